// SPDX-License-Identifier: Apache-2.0
#pragma once

// How VTK XML files store the values of an array: text, or bytes with a length in front, raw or as
// base64, plain or in zlib blocks. VTK file formats, "XML file formats".

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

enum class VtkType { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };
std::optional<VtkType> vtk_type(std::string_view name);  // "Float64", ...
std::size_t size_of(VtkType type);

/// The value of that type at `bytes`; `swap`: it is big-endian.
double number_at(const char* bytes, VtkType type, bool swap);
std::int64_t whole_at(const char* bytes, VtkType type, bool swap);

/// What the <VTKFile> tag says about binary data.
struct VtkEncoding {
    bool big_endian = false;
    bool header64 = false;  // lengths are UInt64, else UInt32
    bool zlib = false;
};

/// Bytes to be taken one after another.
class ByteSource {
  public:
    virtual ~ByteSource() = default;
    /// False where fewer than n bytes are left.
    virtual bool take(void* out, std::size_t n) = 0;
    /// An upper bound.
    virtual std::size_t bytes_left() const = 0;
};

class RawSource final : public ByteSource {
  public:
    explicit RawSource(std::string_view bytes) : bytes_(bytes) {}
    bool take(void* out, std::size_t n) override;
    std::size_t bytes_left() const override { return bytes_.size(); }

  private:
    std::string_view bytes_;
};

/// Base64 with blanks anywhere. Padding ends a group but not the source: VTK encodes the lengths
/// and the values of compressed data one after the other, each with its own padding.
class Base64Source final : public ByteSource {
  public:
    explicit Base64Source(std::string_view text) : text_(text) {}
    bool take(void* out, std::size_t n) override;
    std::size_t bytes_left() const override { return text_.size() / 4 * 3 + 6; }

  private:
    bool refill();
    std::string_view text_;
    unsigned char group_[3]{};
    int used_ = 0, filled_ = 0;
};

/// Thrown inside io only: the caller knows the array and its place and makes an InputError of it.
struct ArrayFault {
    std::string reason;
};
/// Exactly n values, or an ArrayFault.
std::vector<double> take_numbers(ByteSource& source, VtkType type, std::size_t n,
                                 const VtkEncoding& encoding);
std::vector<std::int64_t> take_wholes(ByteSource& source, VtkType type, std::size_t n,
                                      const VtkEncoding& encoding);

}  // namespace limber
