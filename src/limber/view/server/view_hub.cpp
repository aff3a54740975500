// SPDX-License-Identifier: Apache-2.0
#include "limber/view/server/view_hub.h"

namespace limber {

void ViewHub::add(JoinedClient* client) {
    clients.insert(client);
    n_clients = static_cast<int>(clients.size());
}

void ViewHub::remove(JoinedClient* client) {
    clients.erase(client);
    n_clients = static_cast<int>(clients.size());
}

bool ViewHub::let_one_give_way() {
    if (idle.empty()) return false;
    ++gave_way;
    idle.front()->give_way();
    return true;
}

void ViewHub::deliver() {
    const Payloads fresh = mailbox.collect();
    for (int s = 0; s < n_slots; ++s) {
        if (!fresh[s]) continue;
        const auto slot = static_cast<Slot>(s);
        if (is_kept(slot)) kept[s] = fresh[s];
        // Frames of an earlier scene mean nothing beside a new one.
        if (slot == Slot::scene) kept[static_cast<int>(Slot::frame)] = nullptr;
        const std::set<JoinedClient*> now = clients;
        for (JoinedClient* client : now)
            if (clients.count(client)) client->offer(slot, fresh[s]);
    }
    count_ready();
}

void ViewHub::count_ready() {
    int n = 0;
    for (const JoinedClient* client : clients) n += client->ready_for_frame();
    ready = n;
}

}  // namespace limber
