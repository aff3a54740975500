// SPDX-License-Identifier: Apache-2.0
#include "limber/output/plot_labels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace limber {

namespace {

double overlap(const PixelBox& a, const PixelBox& b) {
    const double w = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
    const double h = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
    return w > 0 && h > 0 ? w * h : 0;
}

PixelBox grown(const PixelBox& b, double by) {
    return {b.x0 - by, b.y0 - by, b.x1 + by, b.y1 + by};
}

constexpr std::size_t n_directions = 8;

/// The places around a point, best first: right, left, above, below, corners; then farther away.
std::vector<PlacedLabel> places_of(const LabelRequest& r, double font_size) {
    struct Direction {
        double dx, dy;
    };
    constexpr Direction directions[n_directions] = {{1, 0},  {-1, 0},    {0.7, -0.7}, {-0.7, -0.7},
                                                    {0, -1}, {0.7, 0.7}, {-0.7, 0.7}, {0, 1}};
    const double w = text_width(r.text, font_size), up = 0.76 * font_size, down = 0.24 * font_size;
    std::vector<PlacedLabel> out;
    for (const double away : {4.0, 12.0, 22.0, 34.0, 48.0, 66.0})
        for (const Direction& d : directions) {
            const double cx = r.x + d.dx * (r.radius + away), cy = r.y + d.dy * (r.radius + away);
            PlacedLabel p;
            p.x = d.dx > 0.1 ? cx : d.dx < -0.1 ? cx - w : cx - w / 2;
            p.y = d.dy > 0.1 ? cy + up : d.dy < -0.1 ? cy - down : cy + (up - down) / 2;
            p.box = {p.x, p.y - up, p.x + w, p.y + down};
            p.leader = away > 12;
            out.push_back(p);
        }
    return out;
}

}  // namespace

double text_width(const std::string& text, double font_size) {
    double units = 0;  // of a humanist sans serif: narrow, wide and usual letters
    for (const char c : text)
        units += (c & 0xC0) == 0x80                                            ? 0
                 : std::string("iljtf.,:;'|!() ").find(c) != std::string::npos ? 0.32
                 : std::string("mwMW").find(c) != std::string::npos            ? 0.87
                                                                               : 0.57;
    return units * font_size;
}

std::vector<PlacedLabel> place_labels(const std::vector<LabelRequest>& requests,
                                      const std::vector<PixelBox>& taken, const PixelBox& frame,
                                      double font_size) {
    const std::size_t n = requests.size();
    std::vector<PixelBox> marks;
    for (const LabelRequest& r : requests)
        marks.push_back({r.x - r.radius, r.y - r.radius, r.x + r.radius, r.y + r.radius});
    std::vector<PlacedLabel> placed(n);
    std::vector<bool> done(n, false);
    const auto cost = [&](std::size_t i, const PlacedLabel& p, std::size_t rank) {
        const PixelBox box = grown(p.box, 2);
        double c = static_cast<double>(rank % n_directions) +
                   12.0 * static_cast<double>(rank / n_directions);
        for (std::size_t k = 0; k < n; ++k) {
            if (k != i && done[k]) c += 20 * overlap(box, placed[k].box);
            c += 20 * overlap(box, marks[k]);
        }
        for (const PixelBox& t : taken) c += 0.08 * overlap(box, t);  // a thin line may pass below
        const double inside = overlap(box, frame), area = (box.x1 - box.x0) * (box.y1 - box.y0);
        return c + 100 * (area - inside);
    };
    for (int round = 0; round < 4; ++round)
        for (std::size_t i = 0; i < n; ++i) {
            const std::vector<PlacedLabel> places = places_of(requests[i], font_size);
            double best = std::numeric_limits<double>::infinity();
            for (std::size_t k = 0; k < places.size(); ++k)
                if (const double c = cost(i, places[k], k); c < best) {
                    best = c;
                    placed[i] = places[k];
                }
            done[i] = true;
        }
    return placed;
}

std::vector<double> spread_heights(const std::vector<double>& wanted, double gap, double lo,
                                   double hi) {
    const std::size_t n = wanted.size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    std::vector<double> out(n);
    // Down from the top, then up from the bottom: what does not fit moves as little as it must.
    double next = lo;
    for (std::size_t i : order) {
        out[i] = std::max(wanted[i], next);
        next = out[i] + gap;
    }
    next = hi;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        out[*it] = std::min(out[*it], next);
        next = out[*it] - gap;
    }
    return out;
}

}  // namespace limber
