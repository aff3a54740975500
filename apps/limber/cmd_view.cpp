// SPDX-License-Identifier: Apache-2.0
// limber view: the live page of a scene, or runs played back, on this machine.

#include <CLI/CLI.hpp>

#include "commands.h"
#include "limber/core/errors.h"
#include "options.h"

#if LIMBER_HAS_VIEW
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "limber/core/parallel.h"
#include "limber/io/file.h"
#include "limber/output/registry.h"
#include "limber/output/run_folder.h"
#include "limber/scene/solver_name.h"
#include "limber/view/live.h"
#include "limber/view/page_files.h"
#include "limber/view/replay.h"
#include "scene_folder.h"
#endif

namespace limber::app {

namespace {

struct Arguments {
    std::vector<std::string> what;
    std::string host, threads, solver, device, out = "out";
    std::vector<std::string> sets;
    int port = 0;
    bool paused = false, no_open = false;
    double seconds = 0;
};

#if LIMBER_HAS_VIEW

namespace fs = std::filesystem;

volatile std::sig_atomic_t stop_signal = 0;
/// The first asks for an orderly end, the second gets one at once.
void on_signal(int number) {
    if (stop_signal) _exit(128 + number);
    stop_signal = number;
}

/// A folder of our own for what is dropped onto the page; gone at the end.
class UploadFolder {
  public:
    UploadFolder() {
        std::string name = (fs::temp_directory_path() / "limber_view_XXXXXX").string();
        if (!mkdtemp(name.data())) throw SystemError(name, "create", errno);
        path_ = name;
    }
    ~UploadFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    UploadFolder(const UploadFolder&) = delete;
    UploadFolder& operator=(const UploadFolder&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// The bundled scenes, and those beside the one that was asked for.
std::vector<GalleryEntry> gallery(const std::string& scene) {
    std::vector<GalleryEntry> out;
    const auto add = [&](const fs::path& folder) {
        std::error_code missing;
        if (!fs::is_directory(folder, missing)) return;
        for (const SceneInfo& info : scenes_in(folder)) {
            const std::string name = info.file.filename().string();
            const bool known = std::any_of(out.begin(), out.end(),
                                           [&](const GalleryEntry& e) { return e.name == name; });
            if (!known) out.push_back({name, info.about, info.file.string()});
        }
    };
    const fs::path own = fs::path(scene).parent_path();
    add(own.empty() ? fs::path(".") : own);
    add(scene_folder());
    return out;
}

/// What was dropped onto the page is gone with it: a recording gets copies of its own.
void keep_dropped_files(const std::string& uploads, const std::string& dir, SceneDef& scene) {
    const auto keep = [&](FilePath& path) {
        const fs::path from = std::string(path);
        if (from.parent_path() != fs::path(uploads)) return;
        const fs::path to = fs::path(dir) / from.filename();
        std::error_code error;
        fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
        if (error) throw SystemError(to.string(), "write", error.value());
        path.assign(to.string());
    };
    for (BodyDef& body : scene.bodies) {
        if (body.mesh) keep(*body.mesh);
        if (body.skin) keep(*body.skin);
    }
}

/// A run folder from the state of now on, as limber run writes it.
Recording start_recording(const Arguments& a, const std::string& uploads, SceneDef scene) {
    Recording made;
    const std::string stem = fs::path(scene.file).stem().string() + "-view";
    std::error_code error;
    for (int k = 1; made.dir.empty() || fs::exists(made.dir, error); ++k)
        made.dir = a.out + '/' + stem + (k > 1 ? "-" + std::to_string(k) : "");
    auto folder = std::make_shared<RunFolder>(made.dir, std::vector<std::string>{});
    keep_dropped_files(uploads, made.dir, scene);
    RunOutputOptions o;
    o.dir = made.dir;
    o.every = scene.output.every;
    o.probe_every = scene.output.probe_every;
    o.scene = scene.file;
    o.scene_text = resolved_toml(scene);
    o.solver = solver_name(scene);
    o.device = enum_names(scene.device)[static_cast<std::size_t>(scene.device)];
    o.threads = thread_count();
    write_file_atomic(made.dir + "/scene.toml", o.scene_text);
    for (const ObserverEntry& entry : observer_entries())
        if (!entry.format || entry.name == "vtu") made.observers.push_back(entry.make(o));
    made.finish = [folder] {};
    return made;
}

void open_browser(const std::string& url) {
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
    if (const pid_t pid = fork(); pid == 0) {
        if (fork() == 0) {
            if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
            execlp("xdg-open", "xdg-open", url.c_str(), nullptr);
        }
        _exit(0);
    } else if (pid > 0) {
        waitpid(pid, nullptr, 0);
    }
}

bool is_run(const std::string& path) {
    std::error_code missing;
    return fs::is_directory(path, missing);
}

int view(const Arguments& a) {
    require_page();
    const ThreadLimit limit(thread_limit(a.threads));
    const bool replay = is_run(a.what[0]);
    if (a.what.size() == 2 && !(replay && is_run(a.what[1])))
        throw InputError("two run folders can be seen side by side; a scene only alone");
    std::unique_ptr<UploadFolder> uploads;
    std::unique_ptr<Session> session;
    if (replay) {
        session = std::make_unique<ReplaySession>(a.what);
    } else {
        uploads = std::make_unique<UploadFolder>();
        LiveOptions o;
        o.scene = a.what[0];
        o.load.sets = device_sets(a.device);
        o.load.sets.insert(o.load.sets.end(), a.sets.begin(), a.sets.end());
        if (!a.solver.empty())
            o.load.sets.insert(o.load.sets.begin(), "solver.kind=\"" + a.solver + "\"");
        o.gallery = gallery(a.what[0]);
        o.record = [a, dropped = uploads->path()](const World&, const SceneDef& scene) {
            return start_recording(a, dropped, scene);
        };
        o.playing = !a.paused;
        o.upload_folder = uploads->path();
        session = std::make_unique<LiveSession>(std::move(o));
    }
    ServerOptions options;
    options.address = a.host;
    options.port = a.port;
    if (uploads) options.upload_folder = uploads->path();
    ViewServer server(options);
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    std::printf("live page: %s\n", server.url().c_str());
    if (!a.host.empty())
        std::printf("whoever can reach %s and knows the token in this address can use it\n",
                    a.host.c_str());
    std::printf("Ctrl-C ends it\n");
    std::fflush(stdout);
    if (!a.no_open) open_browser(server.url());
    serve(*session, server, {.stop = &stop_signal, .seconds = a.seconds});
    if (session->working()) {
        // Whoever asked for the end does not wait for a file that is read or a surface that is
        // closed: all is written, and that thread has nothing that another needs.
        uploads.reset();
        std::fflush(stdout);
        _exit(0);
    }
    return 0;
}

#else

int view(const Arguments&) {
    throw InputError(
        "this limber was built without the live page; install libboost-dev and build it again with "
        "-DLIMBER_VIEW=ON");
}

#endif

}  // namespace

void add_view(CLI::App& program, Action& action) {
    auto a = std::make_shared<Arguments>();
    CLI::App* command =
        program.add_subcommand("view", "the live page of a scene, or of one or two finished runs");
    command->add_option("what", a->what, "a scene file, or one or two run folders")
        ->required()
        ->expected(1, 2)
        ->type_name("SCENE|DIR [DIR2]");
    command->add_option("--port", a->port, "port to listen on; default: any free one")
        ->check(CLI::Range(0, 65535))
        ->type_name("P");
    command
        ->add_option("--host", a->host,
                     "address to listen on, 0.0.0.0 for all; default: this machine only")
        ->type_name("ADDRESS");
    command->add_option("--solver", a->solver, "solver.kind of the scene, with its defaults")
        ->type_name("NAME");
    command->add_option("--set", a->sets, "override one value, as for limber run")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    add_threads(*command, a->threads);
    add_device(*command, a->device);
    command->add_option("--out", a->out, "folder for recordings; default: out")->type_name("DIR");
    command->add_option("--seconds", a->seconds, "end after this long; default: until Ctrl-C")
        ->check(CLI::Range(0.0, 1e9))
        ->type_name("S");
    command->add_flag("--paused", a->paused, "do not start by itself");
    command->add_flag("--no-open", a->no_open, "do not open a browser");
    command->footer(
        "Examples: limber view scenes/sphere_drop.toml\n"
        "          limber view out/cg out/warp        two runs side by side, difference coloured");
    command->callback([a, &action] { action = [a] { return view(*a); }; });
}

}  // namespace limber::app
