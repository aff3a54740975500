// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "limber/core/version.h"

int main() {
    std::printf("limber %s\n", std::string(limber::build_info().version).c_str());
}
