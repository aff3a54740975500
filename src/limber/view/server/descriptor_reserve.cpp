// SPDX-License-Identifier: Apache-2.0
#include "limber/view/server/descriptor_reserve.h"

#include <fcntl.h>
#include <unistd.h>

namespace limber {

bool DescriptorReserve::give() {
    if (fd_ < 0) return false;
    ::close(fd_);
    fd_ = -1;
    return true;
}

void DescriptorReserve::take() {
    if (fd_ < 0) fd_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

}  // namespace limber
