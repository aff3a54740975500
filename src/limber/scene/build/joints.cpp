// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "limber/scene/build/joint_points.h"
#include "limber/scene/build/placement.h"

namespace limber {

namespace {

/// Three digits are enough for a message.
std::string joint_text(double value) {
    return fmt::format("{:.3g}", value);
}

/// Names of columns: those of the scene, else kind and number.
template <class Def>
std::string name_of(const Def& def, std::string_view kind, std::size_t number) {
    return def.name ? std::string(*def.name) : std::string(kind) + '_' + std::to_string(number);
}

class JointBuilder {
  public:
    JointBuilder(const SceneDef& scene, std::span<const PlacedBody> placed, Model& model,
                 std::vector<std::string>& warnings)
        : scene_(scene),
          placed_(placed),
          model_(model),
          warnings_(warnings),
          points_(scene, model) {}

    void build() {
        for (std::size_t i = 0; i < scene_.attachments.size(); ++i) {
            const AttachDef& def = scene_.attachments[i];
            if (def.hinge)
                add_hinge(def, i);
            else
                add_attachment(def, i);
        }
        for (std::size_t i = 0; i < scene_.cables.size(); ++i) add_cable(scene_.cables[i], i);
        for (std::size_t i = 0; i < scene_.cavities.size(); ++i) add_cavity(scene_.cavities[i], i);
        for (const NeedleDef& def : scene_.needles) add_needle(def);
    }

  private:
    [[noreturn]] void refuse(const Origin& origin, std::string_view key,
                             const std::string& why) const {
        throw InputError(origin.at(key), origin.path + '.' + std::string(key) + why);
    }
    void warn(const Origin& origin, const std::string& what) {
        warnings_.push_back(origin.place.file + ':' + std::to_string(origin.place.line) + ": " +
                            origin.path + what);
    }
    const Body& soft_body(const std::string& name, const Origin& origin) const {
        const Body& body = model_.bodies[points_.side(name).body];
        if (body.rigid || body.cloth)
            refuse(origin, "body",
                   " = \"" + name + "\" has no tets; allowed: a soft body that is no cloth");
        return body;
    }
    std::vector<Index> selected(const SelectDef& select, const JointSide& side) const {
        std::vector<Index> nodes = select_nodes(select, placed_[side.body]);
        for (Index& node : nodes) node += model_.bodies[side.body].node_begin;
        return nodes;
    }

    /// A point of a soft body must be in it; on its surface up to rounding.
    JointPoint point_of(const JointSide& side, const Vec3d& place, const Origin& origin,
                        std::string_view key) {
        const double away = points_.outside(side, place);
        if (side.body >= 0 && away > 1e-6 * points_.size(side.body))
            refuse(origin, key,
                   ": the point " + vector_text(place) + " lies " + joint_text(away) +
                       " m outside of " + points_.side_text(side) + "; allowed: a point inside it");
        return points_.at(side, {place})[0];
    }

    // ---- attachments

    void add_attachment(const AttachDef& def, std::size_t number) {
        AttachmentData data;
        data.name = name_of(def, "attach", number);
        data.closing = def.closing.value_or(0);
        data.collide = def.collide.value_or(false);
        const JointSide a = points_.side(def.body), b = points_.side(def.to.value_or(""));
        if (def.point) {
            const Vec3d to = def.to_point.value_or(*def.point);
            data.pairs.push_back({point_of(a, *def.point, def.origin, "point"),
                                  point_of(b, to, def.origin, def.to_point ? "to_point" : "point"),
                                  *def.point - to});
        } else {
            add_glue(def, a, b, data);
        }
        for (const AttachmentData::Pair& pair : data.pairs)
            check_free(def.origin, def.point ? "point" : "select", pair.a, pair.b);
        model_.joints.push_back(std::move(data));
    }

    /// Selected nodes of a, each at its place on or in b.
    void add_glue(const AttachDef& def, const JointSide& a, const JointSide& b,
                  AttachmentData& data) {
        const std::vector<Vec3d>& x = model_.mesh.nodes;
        const double reach = def.reach.value_or(b.body >= 0 ? 1e-3 * points_.size(b.body) : 0);
        double nearest = std::numeric_limits<double>::infinity();
        std::vector<Index> nodes;
        std::vector<Vec3d> places;
        for (const Index node : selected(*def.select, a)) {
            const double away = points_.outside(b, x[node]);
            nearest = std::min(nearest, away);
            if (away > reach || taken(x[node], places, def.region)) continue;
            nodes.push_back(node);
            places.push_back(x[node]);
        }
        if (nodes.empty())
            refuse(def.origin, "select",
                   ": no selected node is within reach = " + joint_text(reach) + " m of " +
                       points_.side_text(b) + "; the nearest is " + joint_text(nearest) +
                       " m away");
        const std::vector<JointPoint> others = points_.at(b, places);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            data.pairs.push_back({points_.node(a.body, nodes[i]), others[i], {}});
    }
    static bool taken(const Vec3d& p, const std::vector<Vec3d>& places,
                      const std::optional<double>& region) {
        return region && std::any_of(places.begin(), places.end(),
                                     [&](const Vec3d& q) { return norm(p - q) < *region; });
    }

    void add_hinge(const AttachDef& def, std::size_t number) {
        HingeJointData data;
        data.name = name_of(def, "attach", number);
        data.collide = def.collide.value_or(false);
        const JointSide a = points_.side(def.body), b = points_.side(def.to.value_or(""));
        for (int k = 0; k < 2; ++k) {
            data.a[k] = point_of(a, (*def.hinge)[k], def.origin, "hinge");
            data.b[k] = point_of(b, (*def.hinge)[k], def.origin, "hinge");
            check_free(def.origin, "hinge", data.a[k], data.b[k]);
        }
        model_.joints.push_back(std::move(data));
    }

    /// Whether a point cannot follow a force: of no body, or on pinned nodes alone.
    bool held(const JointPoint& p) const {
        for (int k = 0; k < p.at.n; ++k) {
            const Index node = p.at.node[k];
            if (model_.is_rigid(node) || model_.free[node] != Vec3d{0, 0, 0}) return false;
        }
        return true;
    }
    std::string point_text(const JointPoint& p) const {
        const Body& body = model_.bodies[p.body];
        if (p.at.n == 1)
            return "node " + std::to_string(model_.mesh.node_ids[p.at.node[0]]) + " of body '" +
                   body.name + "'";
        return "the point " + vector_text(p.at.gather(model_.mesh.nodes)) + " of body '" +
               body.name + "'";
    }
    /// Constraints that contradict each other, or that cannot act (S15 for attachments).
    void check_free(const Origin& origin, std::string_view key, const JointPoint& a,
                    const JointPoint& b) {
        if (held(a) && held(b))
            refuse(origin, key,
                   ": " + point_text(a) +
                       " is pinned, and so is what it is attached to; allowed: one of the two");
        if (b.of_body()) return;
        std::vector<std::pair<Index, double>> which;
        for (int k = 0; k < a.at.n; ++k)
            which.emplace_back(a.at.node[k], std::round(1e6 * a.at.weight[k]));
        std::sort(which.begin(), which.end());
        const auto [first, fresh] = fixed_.emplace(which, &origin);
        if (!fresh)
            refuse(origin, key,
                   ": " + point_text(a) + " is attached to a place by " + first->second->path +
                       " (line " + std::to_string(first->second->place.line) +
                       ") already; allowed: one place for a point");
    }

    // ---- cables

    void add_cable(const CableDef& def, std::size_t number) {
        CableData data;
        data.name = name_of(def, "cable", number);
        if (!def.pull.empty()) data.pull = {def.times, def.pull};
        for (std::size_t k = 0; k < def.path.size(); ++k) {
            const JointSide side = points_.side(def.body ? *def.body : (*def.bodies)[k]);
            data.path.push_back(point_of(side, def.path[k], def.origin, "path"));
            if (k > 0) data.length += norm(def.path[k] - def.path[k - 1]);
        }
        for (const double pull : def.pull)
            if (pull >= data.length)
                refuse(def.origin, "pull",
                       " = " + joint_text(pull) + " m leaves nothing of a cable of " +
                           joint_text(data.length) + " m");
        if (std::all_of(data.path.begin(), data.path.end(),
                        [&](const JointPoint& p) { return held(p); }))
            refuse(def.origin, "path",
                   ": every point is fixed or pinned; a cable needs one that "
                   "moves");
        model_.joints.push_back(std::move(data));
    }

    // ---- cavities

    std::vector<Triangle> wall_of(const CavityDef& def, const Body& body) const {
        std::vector<Triangle> wall;
        if (def.select) {
            std::vector<char> chosen(model_.mesh.nodes.size(), 0);
            for (const Index node : selected(*def.select, points_.side(def.body))) chosen[node] = 1;
            for (const Triangle& t : body.surface)
                if (chosen[t[0]] && chosen[t[1]] && chosen[t[2]]) wall.push_back(t);
            if (wall.empty())
                refuse(def.origin, "select",
                       ": no boundary face of body '" + body.name +
                           "' has all three nodes selected; a cavity needs a wall");
            return wall;
        }
        const TriMesh surface{model_.mesh.nodes, body.surface};
        const std::vector<Index> part = triangle_parts(surface);
        for (Index p = 0; p <= *std::max_element(part.begin(), part.end()); ++p) {
            TriMesh one{model_.mesh.nodes, {}};
            for (std::size_t i = 0; i < part.size(); ++i)
                if (part[i] == p) one.triangles.push_back(body.surface[i]);
            if (signed_volume(one) < 0)  // it looks into a hollow
                wall.insert(wall.end(), one.triangles.begin(), one.triangles.end());
        }
        if (wall.empty())
            refuse(
                def.origin, "body",
                " = \"" + body.name +
                    "\" has no closed hollow inside; allowed: select = the nodes of a wall whose "
                    "rim is pinned");
        return wall;
    }

    /// Nodes of the wall's open edges; they should not move.
    std::vector<Index> rim_of(const CavityDef& def, const std::vector<Triangle>& wall) {
        const std::vector<EdgeUse> uses = edge_uses(wall);
        std::set<Index> rim;
        for (std::size_t i = 0; i < uses.size();) {
            std::size_t end = i + 1;
            while (end < uses.size() && uses[end].lo == uses[i].lo && uses[end].hi == uses[i].hi)
                ++end;
            if (end == i + 1) rim.insert({uses[i].lo, uses[i].hi});
            i = end;
        }
        std::size_t loose = 0, moving = 0;
        for (const Index node : rim) {
            loose += model_.free[node] != Vec3d{0, 0, 0};
            for (const Pin& pin : model_.pins)
                moving += !pin.motion.still() &&
                          std::binary_search(pin.nodes.begin(), pin.nodes.end(), node);
        }
        if (loose > 0) {
            const std::string what = ": the wall is open at " + std::to_string(rim.size()) +
                                     " nodes, of which " + std::to_string(loose) +
                                     " are not pinned";
            const std::string_view key = def.select ? "select" : "body";
            if (def.volume)
                refuse(def.origin, key, what + "; allowed: a closed wall, or a rim that is held");
            warn(def.origin, what + ": the pressure also pushes the body as a whole");
        }
        if (moving > 0 && def.volume)
            refuse(def.origin, "volume",
                   ": the wall is open at a rim that moves, so that its volume is not known");
        return {rim.begin(), rim.end()};
    }

    void add_cavity(const CavityDef& def, std::size_t number) {
        const Body& body = soft_body(def.body, def.origin);
        const std::vector<Triangle> faces = wall_of(def, body);
        const std::vector<Index> rim = rim_of(def, faces), all = nodes_of(faces);
        const std::vector<Vec3d>& x = model_.mesh.nodes;
        Vec3d apex{};
        const std::vector<Index>& around = rim.empty() ? all : rim;
        for (const Index node : around) apex += (1.0 / double(around.size())) * x[node];
        const CavityWall wall(faces, apex);
        const double volume = wall.volume(x);
        if (!(volume > 0))
            refuse(def.origin, def.select ? "select" : "body",
                   ": the selected faces hold " + joint_text(volume) +
                       " m^3: they look outwards; allowed: the wall of a hollow");
        const std::string name = name_of(def, "cavity", number);
        if (def.pressure) {
            model_.pressures.push_back({name, wall, {def.times, *def.pressure}});
        } else {
            if (std::all_of(all.begin(), all.end(), [&](Index i) {
                    return model_.free[i] == Vec3d{0, 0, 0};
                }))
                refuse(def.origin, "volume", ": every node of the wall is pinned");
            model_.joints.push_back(
                CavityVolumeData{name, wall, volume, wall.area(x), {def.times, *def.volume}});
        }
    }

    // ---- needles

    double mean_edge(const Body& body) const {
        double sum = 0;
        const std::vector<Vec3d>& x = model_.mesh.nodes;
        for (Index t = body.tet_begin; t < body.tet_end; ++t) {
            const Tet& n = model_.mesh.tets[t];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < i; ++j) sum += norm(x[n[i]] - x[n[j]]) / 6;
        }
        return sum / (body.tet_end - body.tet_begin);
    }

    void add_needle(const NeedleDef& def) {
        const Body& body = soft_body(def.body, def.origin);
        NeedleData data;
        data.name = def.name;
        data.n_nodes = model_.n_nodes();
        data.tets.assign(model_.mesh.tets.begin() + body.tet_begin,
                         model_.mesh.tets.begin() + body.tet_end);
        data.surface = body.surface;
        data.tip = def.tip;
        data.direction = direction(def.direction, def.origin, "direction");
        data.length = def.length;
        if (def.motion) data.motion = motion_of(*def.motion);
        data.puncture = def.puncture;
        data.spacing = def.spacing.value_or(mean_edge(body));
        data.friction = def.friction;
        data.cutting = def.cutting;
        const Vec3d tip = data.tip_at(0);
        const std::vector<Vec3d>& x = model_.mesh.nodes;
        data.inside = points_on_shaft(data, x, tip, data.direction_at(0));
        if (data.inside.empty() && point_inside(data.tets, x, tip))
            refuse(def.origin, "length",
                   " = " + joint_text(def.length) + " m: the whole needle is inside body '" +
                       def.body + "'; allowed: a shaft that reaches out of it");
        warn_if_it_misses(def, data);
        model_.joints.push_back(std::move(data));
    }

    /// A body may come to a needle, so that this is no error.
    void warn_if_it_misses(const NeedleDef& def, const NeedleData& data) {
        const double end = static_cast<double>(scene_.time.n_steps()) * scene_.time.step;
        double nearest = std::numeric_limits<double>::infinity();
        constexpr int samples = 500;
        for (int k = 0; k <= samples && nearest > 0; ++k)
            nearest = std::min(
                nearest, points_.outside(points_.side(def.body), data.tip_at(end * k / samples)));
        if (nearest < 0.01 * points_.size(points_.side(def.body).body)) return;
        warn(def.origin, ": the tip comes no nearer than " + joint_text(nearest) + " m to body '" +
                             def.body +
                             "' where that is at rest; is tip, direction or motion wrong?");
    }

    const SceneDef& scene_;
    std::span<const PlacedBody> placed_;
    Model& model_;
    std::vector<std::string>& warnings_;
    JointPoints points_;
    std::map<std::vector<std::pair<Index, double>>, const Origin*> fixed_;  // points held in place
};

}  // namespace

void add_joints(const SceneDef& scene, std::span<const PlacedBody> placed, Model& model,
                std::vector<std::string>& warnings) {
    JointBuilder(scene, placed, model, warnings).build();
}

}  // namespace limber
