// SPDX-License-Identifier: Apache-2.0
#include "limber/view/frame_message.h"

#include <bit>
#include <cstring>

namespace limber {

static_assert(std::endian::native == std::endian::little,
              "messages are written as memory has them");

namespace {

/// A message of known length, filled from the front.
class Words {
  public:
    explicit Words(std::size_t n_words) : bytes_(4 * n_words, '\0') {}
    template <class T>
    void put(const T& value) {
        std::memcpy(bytes_.data() + at_, &value, sizeof value);
        at_ += sizeof value;
    }
    template <class T>
    void put_all(std::span<const T> values) {
        if (values.empty()) return;
        std::memcpy(bytes_.data() + at_, values.data(), values.size_bytes());
        at_ += values.size_bytes();
    }
    void put_vector(const Vec3d& v) {
        for (int k = 0; k < 3; ++k) put(static_cast<float>(v[k]));
    }
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
    std::size_t at_ = 0;
};

constexpr std::size_t frame_head = 16, geometry_head = 4;  // words

}  // namespace

std::string encode_frame(const FrameContent& c) {
    Words out(frame_head + c.positions.size() + c.values.size() + 12 * c.poses.size() +
              6 * (c.contacts.size() + c.hand.size() + c.cables.size()));
    out.put(static_cast<std::uint32_t>(MessageKind::frame));
    out.put(c.scene);
    out.put(c.number);
    out.put(static_cast<std::uint32_t>(c.positions.size() / 3));
    out.put(static_cast<double>(c.step));
    out.put(c.time);
    out.put(static_cast<std::uint32_t>(c.values.size()));
    out.put(c.lo);
    out.put(c.hi);
    out.put(static_cast<std::uint32_t>(c.poses.size()));
    out.put(static_cast<std::uint32_t>(c.contacts.size()));
    out.put(static_cast<std::uint32_t>(c.hand.size()));
    out.put(static_cast<std::uint32_t>(c.cables.size()));
    out.put(std::uint32_t{0});  // room for a later version
    out.put_all(c.positions);
    out.put_all(c.values);
    for (const ObstaclePose& pose : c.poses) {
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                out.put(static_cast<float>(pose.rotation(row, column)));
        out.put_vector(pose.position);
    }
    for (const std::span<const ForceArrow> arrows : {c.contacts, c.hand})
        for (const ForceArrow& arrow : arrows) {
            out.put_vector(arrow.point);
            out.put_vector(arrow.force);
        }
    for (const auto& [from, to] : c.cables) {
        out.put_vector(from);
        out.put_vector(to);
    }
    return out.take();
}

std::string encode_geometry(std::uint32_t scene, std::uint32_t n_vertices,
                            std::span<const Triangle> triangles) {
    static_assert(sizeof(Triangle) == 12);
    Words out(geometry_head + 3 * triangles.size());
    out.put(static_cast<std::uint32_t>(MessageKind::geometry));
    out.put(scene);
    out.put(n_vertices);
    out.put(static_cast<std::uint32_t>(triangles.size()));
    out.put_all(triangles);
    return out.take();
}

}  // namespace limber
