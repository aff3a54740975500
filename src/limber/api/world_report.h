// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/api/report.h"
#include "limber/solve/step_report.h"

namespace limber::api {

StepReport told(const limber::StepReport& report);

}  // namespace limber::api
