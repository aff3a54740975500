// SPDX-License-Identifier: Apache-2.0
#include "mesher_programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/io/mesh_reader.h"

extern char** environ;

namespace limber::app {

namespace fs = std::filesystem;

namespace {

/// Gone with all it holds at the end.
class TempFolder {
  public:
    TempFolder() {
        std::error_code error;
        std::string name = (fs::temp_directory_path(error) / "limber-XXXXXX").string();
        if (error) throw SystemError("TMPDIR", "use it", error.value());
        if (!::mkdtemp(name.data())) throw SystemError(name, "make a folder", errno);
        path_ = name;
    }
    ~TempFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }

  private:
    fs::path path_;
};

/// What the program printed last, for the message.
std::string last_lines(const std::string& log) {
    std::string text;
    try {
        text = read_file(log);
    } catch (const SystemError&) {
        return "";
    }
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    const std::size_t from = text.size() > 300 ? text.size() - 300 : 0;
    std::string out = text.substr(from);
    std::replace(out.begin(), out.end(), '\n', ' ');
    return printable(out, 400);
}

/// Runs args[0] from the PATH with its output in a file; 0 is the only good end.
void run_program(std::vector<std::string> args, const std::string& log) {
    std::vector<char*> argv;
    for (std::string& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    pid_t pid = 0;
    const int error = ::posix_spawnp(&pid, argv[0], &files, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error == ENOENT)
        throw InputError(
            fmt::format("--with {}: the program is not installed or not on the PATH; "
                        "Debian has it as a package (apt-get install {})",
                        args[0], args[0]));
    if (error != 0) throw SystemError(args[0], "start", error);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) throw SystemError(args[0], "wait for", errno);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    throw InputError(
        fmt::format("{} failed ({} {}): {}", args[0], WIFEXITED(status) ? "exit code" : "signal",
                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), last_lines(log)));
}

/// Edge of a regular tet of this volume: V = a³ / (6 √2).
double edge_of(double tet_volume) {
    return std::cbrt(6 * std::sqrt(2.0) * tet_volume);
}

TetMesh by_tetgen(const TriMesh& surface, const TempFolder& folder, double tet_volume) {
    write_surface(folder.file("in.off"), surface);
    // p: fill a surface; q: quality; a: largest volume; Q: few words.
    run_program({"tetgen", fmt::format("-pq1.414a{:.9e}Q", tet_volume), folder.file("in.off")},
                folder.file("log"));
    if (!exists(folder.file("in.1.ele")))
        throw InputError("tetgen made no mesh: " + last_lines(folder.file("log")));
    return read_tet_mesh(folder.file("in.1.node")).mesh;
}

TetMesh by_gmsh(const TriMesh& surface, const TempFolder& folder, double tet_volume) {
    write_surface(folder.file("in.stl"), surface);
    write_file_atomic(
        folder.file("in.geo"),
        fmt::format("Merge \"in.stl\";\nSurface Loop(1) = {{1}};\nVolume(1) = {{1}};\n"
                    "Mesh.MeshSizeMax = {:.9e};\n",
                    edge_of(tet_volume)),
        Flush::to_system);
    run_program(
        {"gmsh", folder.file("in.geo"), "-3", "-format", "msh41", "-o", folder.file("out.msh")},
        folder.file("log"));
    if (!exists(folder.file("out.msh")))
        throw InputError("gmsh made no mesh: " + last_lines(folder.file("log")));
    return read_tet_mesh(folder.file("out.msh")).mesh;
}

}  // namespace

TetMesh mesh_by_program(const std::string& program, const TriMesh& surface, double cell,
                        std::int64_t tets) {
    const double volume = std::fabs(signed_volume(surface));
    if (!(volume > 0)) throw InputError("the surface has no volume");
    const Vec3d size = bounding_box(surface.nodes).size();
    const double edge = cell > 0 ? cell : std::max({size.x, size.y, size.z}) / 20;
    const double tet_volume =
        tets > 0 ? volume / double(tets) : edge * edge * edge / (6 * std::sqrt(2.0));
    const TempFolder folder;
    try {
        return program == "tetgen" ? by_tetgen(surface, folder, tet_volume)
                                   : by_gmsh(surface, folder, tet_volume);
    } catch (const InputError& e) {
        // The folder is gone by the time the user reads this.
        throw InputError(e.place().file.empty()
                             ? e.message()
                             : program + " made a mesh that is not usable: " + e.message());
    }
}

}  // namespace limber::app
