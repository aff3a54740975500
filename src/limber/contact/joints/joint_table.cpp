// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/joints/joint_table.h"

namespace limber {

namespace {

std::unique_ptr<Joint> made(const AttachmentData& d) {
    return std::make_unique<Attachment>(d);
}
std::unique_ptr<Joint> made(const HingeJointData& d) {
    return std::make_unique<HingeJoint>(d);
}
std::unique_ptr<Joint> made(const CableData& d) {
    return std::make_unique<Cable>(d);
}
std::unique_ptr<Joint> made(const CavityVolumeData& d) {
    return std::make_unique<CavityVolume>(d);
}
std::unique_ptr<Joint> made(const NeedleData& d) {
    return std::make_unique<Needle>(d);
}

}  // namespace

std::vector<std::unique_ptr<Joint>> make_joints(std::span<const JointData> data) {
    std::vector<std::unique_ptr<Joint>> joints;
    for (const JointData& any : data)
        joints.push_back(std::visit([](const auto& d) { return made(d); }, any));
    return joints;
}

}  // namespace limber
