// SPDX-License-Identifier: Apache-2.0
#include "signal_watch.h"

#include <pthread.h>
#include <unistd.h>

namespace limber::app {

SignalWatch::SignalWatch(StopFlag& stop) : stop_(stop) {
    sigemptyset(&watched_);
    sigaddset(&watched_, SIGINT);
    sigaddset(&watched_, SIGTERM);
    // Threads that start from now on, those of the pool too, leave them to ours.
    pthread_sigmask(SIG_BLOCK, &watched_, &before_);
    try {
        thread_ = std::thread([this] { watch(); });
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        throw;
    }
}

SignalWatch::~SignalWatch() {
    over_ = true;
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalWatch::watch() {
    for (;;) {
        int signal = 0;
        if (sigwait(&watched_, &signal) != 0) continue;
        if (over_) return;
        if (!running_ || stop_.requested()) _exit(128 + signal);  // files are whole at any moment
        stop_.request(signal);
    }
}

}  // namespace limber::app
