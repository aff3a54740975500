// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber {

/// One file descriptor kept for the moment when the system has no other.
class DescriptorReserve {
  public:
    DescriptorReserve() { take(); }
    ~DescriptorReserve() { give(); }
    DescriptorReserve(const DescriptorReserve&) = delete;
    DescriptorReserve& operator=(const DescriptorReserve&) = delete;

    /// Closes it, so that another can be opened; false where there was none.
    bool give();
    /// Keeps one again, where there is one.
    void take();

  private:
    int fd_ = -1;
};

}  // namespace limber
