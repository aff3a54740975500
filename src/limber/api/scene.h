// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/api/array.h"
#include "limber/core/export.h"
#include "limber/scene/format/document.h"

namespace limber::api {

/// A key that a table of a scene may have.
struct LIMBER_API KeyInfo {
    std::string key;
    std::string wanted;  // "a number > 0 [Pa]"
    std::string meaning;
    std::string standard;  // its default as in a file; empty: none
    bool required = false;
    std::vector<std::string> only_with;  // "kind = stvk": needs one of these; empty: always there
};
/// Of [table] or [[table]]; "" for the scene itself. InputError where there is no such table.
LIMBER_API std::vector<KeyInfo> keys_of(const std::string& table);

/// For whoever makes Values of values of another language: InputError that says which it cannot.
[[noreturn]] LIMBER_API void refuse_value(const std::string& place, const std::string& type);
/// The same where tables and lists lie deeper inside each other than max_nesting.
[[noreturn]] LIMBER_API void refuse_nesting(const std::string& place);

/// A scene as a document of docs/scene_format.md: read from a file, or put together in code from
/// the same keys. It is checked as a whole, by check() or when a world is made of it.
class LIMBER_API Scene {
  public:
    /// Empty but for `limber = 1`. Paths in it are relative to the folder of `path`, a file that
    /// need not exist.
    explicit Scene(const std::string& path = "scene.toml");
    /// Of a table; keys as in a file.
    explicit Scene(Value document, const std::string& path = "scene.toml");
    static Scene load(const std::string& path);
    static Scene parse(std::string_view toml, const std::string& path = "scene.toml");
    ~Scene();
    Scene(Scene&&) noexcept;
    Scene& operator=(Scene&&) noexcept;

    const std::string& path() const;
    const Value& document() const;
    /// Calls `change` with the document, while no other thread makes a world of it, checks it or
    /// writes it.
    void edit(const std::function<void(Value&)>& change);
    /// One value, as of --set: "solver.max_iterations=5".
    void set(const std::string& path_and_value);
    /// The mesh of the body of this name, which stands in the document without mesh and shape, as
    /// arrays: n x 3 coordinates and m x 4 node numbers from 0. Groups are tets by name, for
    /// [[body]] regions. Meshes are kept in files of a temporary folder until the scene is saved.
    void set_mesh(const std::string& body, const ArrayView& nodes, const ArrayView& tets,
                  const std::vector<std::pair<std::string, ArrayView>>& tet_groups = {});

    /// InputError with all mistakes that can be seen without reading a mesh.
    void check() const;
    std::string toml() const;      // the document
    std::string resolved() const;  // with every default written out and absolute paths
    /// Writes the document where it reads back as the same scene: meshes given as arrays go beside
    /// it, paths relative to another folder become absolute.
    void save(const std::string& path) const;

  private:
    friend struct SceneAccess;
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace limber::api
