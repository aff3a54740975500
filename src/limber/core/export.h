// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a program that uses the library may call. Everything else is hidden: calls within the
/// library stay direct, and no name of ours meets one of the program's.
#define LIMBER_API __attribute__((visibility("default")))
