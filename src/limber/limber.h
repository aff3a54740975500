// SPDX-License-Identifier: Apache-2.0
#pragma once

// All that a program needs which builds on limber:
//
//     #include <limber/limber.h>
//     int main() {
//         limber::World world(limber::Scene::load("my_bar.toml"));
//         while (world.time() < 2) world.step();
//     }
//
// Nothing here depends on how the library was compiled or on what it is made of: a program needs
// C++20, and no flag of ours.

#include "limber/api/array.h"
#include "limber/api/control.h"
#include "limber/api/report.h"
#include "limber/api/run.h"
#include "limber/api/run_reader.h"
#include "limber/api/scene.h"
#include "limber/api/version.h"
#include "limber/api/view.h"
#include "limber/api/world.h"
#include "limber/core/errors.h"
#include "limber/scene/format/document.h"

// Inside the library these names belong to what they stand for; no source of ours includes this.
namespace limber {
using api::ArrayView;
using api::BodyInfo;
using api::ContactRecord;
using api::Control;
using api::DriveInfo;
using api::Frame;
using api::indices_of;
using api::KeyInfo;
using api::keys_of;
using api::numbers_of;
using api::Observer;
using api::PinInfo;
using api::refuse_nesting;
using api::refuse_value;
using api::run;
using api::RunOptions;
using api::RunReader;
using api::RunResult;
using api::Scene;
using api::set_threads;
using api::StepReport;
using api::threads;
using api::version;
using api::View;
using api::ViewOptions;
using api::World;
using api::WorldOptions;
}  // namespace limber
