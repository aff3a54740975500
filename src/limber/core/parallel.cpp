// SPDX-License-Identifier: Apache-2.0
#include "limber/core/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <numeric>
#include <optional>

#if defined(LIMBER_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

#include "limber/core/check.h"
#include "limber/core/run_alone.h"
#include "limber/core/stop.h"

namespace limber {

namespace {

// More threads than cores are only asked for to show that results do not depend on them; the pool's
// own arena stops at the cores, so such a limit brings one of its own.
tbb::task_arena* wide_arena = nullptr;

thread_local bool runs_alone = false;

template <class F>
void in_arena(const F& f) {
    if (wide_arena)
        wide_arena->execute(f);
    else
        f();
}

/// The thread sanitizer does not see how the pool, which is built without it, orders threads, and
/// takes the pool's own templates for races: this file is compiled without it. So it is told: what
/// came before the work was handed out is known to whoever does it, and what was done is known to
/// whoever has waited for it, which is when this goes.
class Handover {
  public:
#if defined(LIMBER_THREAD_SANITIZER)
    Handover() = default;
    Handover(const Handover&) = delete;
    Handover& operator=(const Handover&) = delete;
    ~Handover() {
        __tsan_acquire(&in_);
    }
    void hand_out() {
        __tsan_release(&out_);
    }
    void take_over() {
        __tsan_acquire(&out_);
    }
    template <class F>
    void work(const F& f) {
        struct Done {
            char& in;
            ~Done() { __tsan_release(&in); }
        } const done{in_};
        __tsan_acquire(&out_);
        f();
    }

  private:
    char out_ = 0, in_ = 0;
#else
    void hand_out() {}
    void take_over() {}
    template <class F>
    void work(const F& f) {
        f();
    }
#endif
};

}  // namespace

struct ThreadLimit::Control {
    /// `usual`: tbb::info::default_concurrency(), asked for before there is a limit: where memory
    /// is short it throws, and oneTBB 2021.8 then waits for ever in the limit's destructor.
    Control(int n, int usual)
        : limit(tbb::global_control::max_allowed_parallelism, n > 0 ? n : usual) {
        if (n > usual) wide_arena = &arena.emplace(n);
    }
    ~Control() { wide_arena = outer; }
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    tbb::global_control limit;
    std::optional<tbb::task_arena> arena;
    tbb::task_arena* outer = wide_arena;
};

ThreadLimit::ThreadLimit(int n)
    : control_(std::make_unique<Control>(n, tbb::info::default_concurrency())) {}
ThreadLimit::~ThreadLimit() = default;

RunAlone::RunAlone() : outer_(runs_alone) {
    runs_alone = true;
}
RunAlone::~RunAlone() {
    runs_alone = outer_;
}

int thread_count() {
    if (runs_alone) return 1;
    return static_cast<int>(
        tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

namespace detail {

namespace {

/// One piece of work, wherever it runs: it looks whether it is still wanted.
struct Piece {
    void* context;
    ChunkFunction function;
    const StopFlag* stop = StopScope::current();

    void here(Index i) const {
        stop_if_requested(stop);
        function(context, i);
    }
    void on_any_thread(Index i) const {
        const StopScope scope(stop);
        here(i);
    }
};

}  // namespace

void run_chunks(Index n_chunks, void* context, ChunkFunction function) {
    const Piece piece{context, function};
    if (n_chunks <= 1 || thread_count() == 1) {
        for (Index chunk = 0; chunk < n_chunks; ++chunk) piece.here(chunk);
        return;
    }
    Handover handover;
    handover.hand_out();
    in_arena([&, n_chunks] {
        tbb::parallel_for(
            Index{0}, n_chunks,
            [=, &handover](Index chunk) { handover.work([=] { piece.on_any_thread(chunk); }); },
            tbb::static_partitioner{});
    });
}

void run_tiles(Index n_tiles, void* context, ChunkFunction function) {
    const Piece piece{context, function};
    if (n_tiles <= 1 || thread_count() == 1) {
        for (Index tile = 0; tile < n_tiles; ++tile) piece.here(tile);
        return;
    }
    Handover handover;
    handover.hand_out();
    in_arena([&, n_tiles] {
        tbb::this_task_arena::isolate([&, n_tiles] {
            tbb::parallel_for(
                Index{0}, n_tiles,
                [=, &handover](Index tile) { handover.work([=] { piece.on_any_thread(tile); }); },
                tbb::simple_partitioner{});
        });
    });
}

}  // namespace detail

TaskTree::TaskTree(std::vector<Index> parent)
    : parent_(std::move(parent)),
      child_begin_(parent_.size() + 1, 0),
      pending_(std::make_unique<std::atomic<Index>[]>(parent_.size())) {
    for (Index i = 0; i < size(); ++i) {
        LIMBER_CHECK(parent_[i] == -1 || (parent_[i] > i && parent_[i] < size()),
                     "children have smaller numbers than their parents");
        if (parent_[i] == -1)
            root_.push_back(i);
        else
            ++child_begin_[parent_[i] + 1];
    }
    std::partial_sum(child_begin_.begin(), child_begin_.end(), child_begin_.begin());
    child_.resize(child_begin_.back());
    std::vector<Index> fill(child_begin_.begin(), child_begin_.end() - 1);
    for (Index i = 0; i < size(); ++i)
        if (parent_[i] != -1) child_[fill[parent_[i]]++] = i;
}

void TaskTree::run_upward(std::span<const char> todo, void* context,
                          detail::ChunkFunction function) {
    const auto wanted = [&](Index i) { return todo.empty() || todo[i] != 0; };
    const detail::Piece piece{context, function};
    if (thread_count() == 1) {
        for (Index i = 0; i < size(); ++i)
            if (wanted(i)) piece.here(i);
        return;
    }
    for (Index i = 0; i < size(); ++i) pending_[i].store(0, std::memory_order_relaxed);
    for (Index i = 0; i < size(); ++i)
        if (wanted(i) && parent_[i] != -1) pending_[parent_[i]].fetch_add(1);
    Handover handover;
    // Whoever finishes the last child goes on with the parent.
    const auto climb = [&](Index i) {
        for (;;) {
            piece.on_any_thread(i);
            handover.hand_out();
            i = parent_[i];
            if (i == -1 || !wanted(i) || pending_[i].fetch_sub(1) != 1) return;
            handover.take_over();
        }
    };
    in_arena([&] {
        tbb::task_group group;
        const auto start = [&](Index i) {
            group.run([&climb, &handover, i] { handover.work([&climb, i] { climb(i); }); });
        };
        handover.hand_out();
        // pending_ falls while tasks run: only tasks without children to wait for start here.
        for (Index i = 0; i < size(); ++i) {
            const auto children =
                std::span(child_).subspan(child_begin_[i], child_begin_[i + 1] - child_begin_[i]);
            if (wanted(i) && std::ranges::none_of(children, wanted)) start(i);
        }
        group.wait();
    });
}

void TaskTree::run_downward(std::span<const char> todo, void* context,
                            detail::ChunkFunction function) {
    const auto wanted = [&](Index i) { return todo.empty() || todo[i] != 0; };
    const detail::Piece piece{context, function};
    if (thread_count() == 1) {
        for (Index i = size() - 1; i >= 0; --i)
            if (wanted(i)) piece.here(i);
        return;
    }
    Handover handover;
    in_arena([&] {
        tbb::task_group group;
        struct Descent {
            const TaskTree& tree;
            const decltype(wanted)& is_wanted;
            tbb::task_group& tasks;
            Handover& handover;
            const detail::Piece& piece;
            void operator()(Index i) const {
                piece.on_any_thread(i);
                handover.hand_out();
                for (Index k = tree.child_begin_[i]; k < tree.child_begin_[i + 1]; ++k)
                    start(tree.child_[k]);
            }
            void start(Index i) const {
                if (is_wanted(i))
                    tasks.run([this, &to = handover, i] { to.work([this, i] { (*this)(i); }); });
            }
        } descent{*this, wanted, group, handover, piece};
        handover.hand_out();
        for (Index root : root_) descent.start(root);
        group.wait();
    });
}

}  // namespace limber
