// SPDX-License-Identifier: Apache-2.0
#include "limber/core/errors.h"
#include "limber/gpu/device.h"

namespace limber::gpu {

void require_memory(std::int64_t bytes) {
    const Device card = device();
    if (!card.found) throw InputError("device = \"cuda\": " + card.missing);
    if (bytes <= card.free) return;
    const auto mib = [](std::int64_t n) { return std::to_string((n >> 20) + 1) + " MiB"; };
    throw SystemError("the scene needs " + mib(bytes) + " of the memory of " + card.name +
                      ", which has " + mib(card.free) + " left");
}

}  // namespace limber::gpu
