// SPDX-License-Identifier: Apache-2.0
#include "limber/api/scene.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>

#include "limber/api/scene_access.h"
#include "limber/io/file.h"
#include "limber/io/mesh_reader.h"

namespace limber::api {

namespace fs = std::filesystem;

/// A folder of our own, gone with the last scene that needs it.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::error_code error;
        std::string made = (fs::temp_directory_path(error) / "limber-XXXXXX").string();
        if (error) throw SystemError("/tmp", "create a temporary folder", error.value());
        if (!::mkdtemp(made.data())) throw SystemError(made, "create", errno);
        path_ = made;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

namespace {

Value* body_of(Value& document, const std::string& name) {
    Value* bodies = document.find("body");
    if (!bodies || !bodies->is(ValueKind::array)) return nullptr;
    for (Value& body : bodies->items) {
        const Value* found = body.is(ValueKind::table) ? body.find("name") : nullptr;
        if (found && found->is(ValueKind::string) && found->text == name) return &body;
    }
    return nullptr;
}

std::vector<std::string> body_names(const Value& document) {
    std::vector<std::string> names;
    const Value* bodies = document.find("body");
    for (std::size_t k = 0; bodies && k < bodies->items.size(); ++k) {
        const Value& body = bodies->items[k];
        const Value* name = body.is(ValueKind::table) ? body.find("name") : nullptr;
        if (name && name->is(ValueKind::string)) names.push_back(name->text);
    }
    return names;
}

std::string folder_of(const std::string& path) {
    return fs::absolute(path).lexically_normal().parent_path().string();
}

/// Every path of a document, which is relative to the scene's folder, as it is from anywhere.
void make_paths_absolute(Value& value, const TypeInfo& type, const std::string& folder) {
    if (type.kind == FieldKind::path && value.is(ValueKind::string))
        value.text = (fs::path(folder) / value.text).lexically_normal().string();
    if ((type.kind == FieldKind::list || type.kind == FieldKind::map) &&
        (value.is(ValueKind::array) || value.is(ValueKind::table)))
        for (Value& item : value.items) make_paths_absolute(item, type.items[0], folder);
    if (type.kind == FieldKind::table && value.is(ValueKind::table))
        for (const FieldInfo* field : fields_of(type, value))
            if (Value* found = value.find(field->key))
                make_paths_absolute(*found, field->type, folder);
}

TetMesh mesh_of(const ArrayView& nodes, const ArrayView& tets,
                const std::vector<std::pair<std::string, ArrayView>>& tet_groups) {
    const std::vector<double> x = numbers_of(nodes, -1, 3);
    const auto n_nodes = static_cast<std::int64_t>(x.size() / 3);
    const std::vector<std::int32_t> corners = indices_of(tets, -1, 4, n_nodes);
    if (corners.size() / 4 > static_cast<std::size_t>(max_tets))
        throw InputError(tets.name + ": " + std::to_string(corners.size() / 4) +
                         " tets; allowed: at most " + std::to_string(max_tets));
    TetMesh mesh;
    for (std::int64_t i = 0; i < n_nodes; ++i) {
        mesh.nodes.push_back({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
        mesh.node_ids.push_back(i);
    }
    for (std::size_t e = 0; e < corners.size() / 4; ++e) {
        mesh.tets.push_back(
            {corners[4 * e], corners[4 * e + 1], corners[4 * e + 2], corners[4 * e + 3]});
        mesh.tet_ids.push_back(static_cast<FileId>(e));
    }
    for (const auto& [name, members] : tet_groups) {
        std::vector<Index> group = indices_of(members, -1, 0, mesh.n_tets());
        std::sort(group.begin(), group.end());
        group.erase(std::unique(group.begin(), group.end()), group.end());
        mesh.tet_groups[name] = std::move(group);
    }
    return mesh;
}

}  // namespace

namespace {

const FieldInfo* field_of(const TypeInfo& type, const std::string& key) {
    for (const FieldInfo& field : type.fields)
        if (field.key == key) return &field;
    return nullptr;
}

KeyInfo key_info(const FieldInfo& field) {
    return {field.key,      wanted(field.type),
            field.meaning,  field.default_value ? shown(*field.default_value) : "",
            field.required, {}};
}

}  // namespace

std::vector<KeyInfo> keys_of(const std::string& table) {
    const TypeInfo* type = &scene_type();
    if (!table.empty()) {
        const FieldInfo* field = field_of(*type, table);
        type = field ? &field->type : nullptr;
        while (type && (type->kind == FieldKind::list || type->kind == FieldKind::map))
            type = &type->items[0];
    }
    if (!type || type->kind != FieldKind::table) {
        std::vector<std::string> names;
        for (const FieldInfo& field : scene_type().fields) names.push_back(field.key);
        throw InputError("there is no table '" + printable(table) + "' in a scene" +
                         did_you_mean(table, names));
    }
    std::vector<KeyInfo> out;
    for (const FieldInfo& field : type->fields) out.push_back(key_info(field));
    for (const CaseInfo& one : type->cases)
        for (const FieldInfo& field : one.fields) {
            const std::string with = type->tag + " = " + one.name;
            auto same = std::find_if(out.begin(), out.end(), [&](const KeyInfo& info) {
                return info.key == field.key && !info.only_with.empty() &&
                       info.meaning == field.meaning;
            });
            if (same == out.end()) same = out.insert(out.end(), key_info(field));
            same->only_with.push_back(with);
        }
    return out;
}

void refuse_value(const std::string& place, const std::string& type) {
    throw InputError(place + ": found a value of type '" + printable(type) +
                     "'; allowed: true and false, numbers, texts, lists and tables of these");
}

void refuse_nesting(const std::string& place) {
    throw InputError(printable(place, 40) + ": nesting deeper than " + std::to_string(max_nesting) +
                     "; allowed: at most " + std::to_string(max_nesting));
}

struct Scene::Data {
    std::mutex mutex;  // of what follows, where it is changed or copied
    Value document = Value::table();
    std::string path;
    std::unique_ptr<TemporaryFolder> folder;
    std::map<std::string, std::string> meshes;  // body -> file in there

    /// The document with the meshes of arrays as files of `mesh_folder`, and paths as they are seen
    /// from `home`.
    Value placed(const std::string& home, const std::string& mesh_folder,
                 const std::string& prefix) const {
        Value out = document;
        if (folder_of(path) != home) make_paths_absolute(out, scene_type(), folder_of(path));
        for (const auto& [name, file] : meshes) {
            Value* body = body_of(out, name);
            if (!body) continue;  // taken out of the document since
            body->set("mesh", Value::of(mesh_folder.empty()
                                            ? file
                                            : (mesh_folder == home
                                                   ? prefix + name + ".msh"
                                                   : mesh_folder + '/' + prefix + name + ".msh")));
        }
        return out;
    }
    void copy_meshes(const std::string& to, const std::string& prefix) const {
        std::error_code error;
        if (!meshes.empty()) fs::create_directories(to, error);
        if (error) throw SystemError(to, "create", error.value());
        for (const auto& [name, file] : meshes)
            write_file_atomic(to + '/' + prefix + name + ".msh", read_file(file), Flush::to_system);
    }
};

Scene::Scene(const std::string& path) : data_(std::make_unique<Data>()) {
    data_->path = path;
    data_->document.set("limber", Value::of(std::int64_t{1}));
}

Scene::Scene(Value document, const std::string& path) : Scene(path) {
    if (!document.is(ValueKind::table))
        throw InputError("a scene is a table; found " + std::string(kind_name(document.kind)) +
                         ' ' + shown(document));
    data_->document = std::move(document);
}

Scene Scene::load(const std::string& path) {
    return Scene(read_document(path), path);
}

Scene Scene::parse(std::string_view toml, const std::string& path) {
    return Scene(parse_toml(toml, path), path);
}

Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

const std::string& Scene::path() const {
    return data_->path;
}
const Value& Scene::document() const {
    return data_->document;
}

void Scene::edit(const std::function<void(Value&)>& change) {
    const std::lock_guard lock(data_->mutex);
    change(data_->document);
}

void Scene::set(const std::string& path_and_value) {
    edit([&](Value& document) { apply_set(document, path_and_value, scene_type()); });
}

void Scene::set_mesh(const std::string& body, const ArrayView& nodes, const ArrayView& tets,
                     const std::vector<std::pair<std::string, ArrayView>>& tet_groups) {
    const Value* found = body_of(data_->document, body);
    if (!found) {
        const std::vector<std::string> names = body_names(data_->document);
        throw InputError("there is no body '" + printable(body) + "'; allowed: " + joined(names) +
                         did_you_mean(body, names));
    }
    for (const char* key : {"mesh", "shape"})
        if (found->find(key) && !data_->meshes.contains(body))
            throw InputError(found->key_place(key), "body '" + body + "' has a " +
                                                        std::string(key) +
                                                        " already; allowed: one of them or arrays");
    if (body.find('/') != std::string::npos || body.starts_with('.'))
        throw InputError("body name '" + printable(body) +
                         "'; allowed: " + wanted(type_of(FieldKind::name)));
    const TetMesh mesh = mesh_of(nodes, tets, tet_groups);
    const std::lock_guard lock(data_->mutex);
    if (!data_->folder) data_->folder = std::make_unique<TemporaryFolder>();
    const std::string file = data_->folder->path() + '/' + body + ".msh";
    write_tet_mesh(file, mesh);
    data_->meshes[body] = file;
}

void Scene::check() const {
    SceneAccess::definition(*this, {});
}

std::string Scene::toml() const {
    const std::lock_guard lock(data_->mutex);
    return to_toml(data_->document);
}

std::string Scene::resolved() const {
    return resolved_toml(SceneAccess::definition(*this, {}));
}

void Scene::save(const std::string& path) const {
    const std::lock_guard lock(data_->mutex);
    const std::string home = folder_of(path);
    const std::string prefix = fs::path(path).stem().string() + '_';
    data_->copy_meshes(home, prefix);
    write_file_atomic(path, to_toml(data_->placed(home, home, prefix)), Flush::to_system);
}

SceneDef SceneAccess::definition(const Scene& scene, const std::vector<std::string>& sets) {
    Scene::Data& data = *scene.data_;
    const Value document = [&] {
        const std::lock_guard lock(data.mutex);
        return data.placed(folder_of(data.path), "", "");
    }();
    return make_scene(document, data.path, {sets});
}

SceneDef SceneAccess::kept_in(const Scene& scene, const std::vector<std::string>& sets,
                              const std::string& folder) {
    Scene::Data& data = *scene.data_;
    const std::lock_guard lock(data.mutex);
    data.copy_meshes(folder, "");
    return make_scene(data.placed(folder_of(data.path),
                                  data.meshes.empty() ? "" : fs::absolute(folder).string(), ""),
                      data.path, {sets});
}

}  // namespace limber::api
