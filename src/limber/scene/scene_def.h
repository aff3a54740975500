// SPDX-License-Identifier: Apache-2.0
#pragma once

// A scene as the user asked for it: plain data. fields() beside each struct is the only list of
// its keys; reader, messages, JSON Schema, format document and resolved scene follow from it.
// An Origin member remembers the place in the file for checks that come later.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "limber/mesh/shapes.h"
#include "limber/scene/format/field_visitors.h"
#include "limber/scene/joint_def.h"
#include "limber/scene/material_def.h"
#include "limber/scene/registry.h"
#include "limber/scene/select_def.h"
#include "limber/solve/model.h"

namespace limber {

/// Of a file; resolved against the file that mentions it.
struct FilePath : std::string {
    using std::string::string;
};

constexpr std::array<std::string_view, 2> enum_names(MassKind) {
    return {"lumped", "consistent"};
}
enum class UpAxis { y, z };
constexpr std::array<std::string_view, 2> enum_names(UpAxis) {
    return {"y", "z"};
}
/// What computes the steps.
enum class DeviceKind { cpu, cuda };
constexpr std::array<std::string_view, 2> enum_names(DeviceKind) {
    return {"cpu", "cuda"};
}
enum class Analysis { dynamic, quasi_static, static_load, modal };
constexpr std::array<std::string_view, 4> enum_names(Analysis) {
    return {"dynamic", "quasi_static", "static", "modal"};
}
enum class DynamicIntegrator { backward_euler, trapezoid };
constexpr std::array<std::string_view, 2> enum_names(DynamicIntegrator) {
    return {"backward_euler", "trapezoid"};
}
enum class Axes { xyz, x, y, z, xy, xz, yz };
constexpr std::array<std::string_view, 7> enum_names(Axes) {
    return {"xyz", "x", "y", "z", "xy", "xz", "yz"};
}
enum class OutputFormat { vtu, contacts };
constexpr std::array<std::string_view, 2> enum_names(OutputFormat) {
    return {"vtu", "contacts"};
}

struct TimeDef {
    double step = 1.0 / 60;  // [s]
    std::optional<double> end;
    std::optional<std::int64_t> steps, modes;
    Analysis analysis = Analysis::dynamic;
    DynamicIntegrator integrator = DynamicIntegrator::backward_euler;
    Origin origin;
    /// Steps until `end`, the last one may pass it by less than a step; a step for each mode.
    std::int64_t n_steps() const;
};
template <class Visitor>
void fields(Visitor& field, TimeDef& o) {
    field("step", o.step, Rule{.lo = 0, .hi = 1, .open_lo = true, .unit = Unit::time},
          "length of a time step");
    field("end", o.end, Rule{.lo = 0, .hi = 1e9, .open_lo = true, .unit = Unit::time},
          "simulated time; the last step may pass it by less than a step");
    field("steps", o.steps, between(0, 1e15), "number of steps, instead of end");
    field("modes", o.modes, between(1, 10000),
          "of modal analysis: how many; each is shown as a step of its own");
    field("analysis", o.analysis, any_value(),
          "dynamic; quasi_static: equilibrium at the end of every step, without inertia; static: "
          "the same with gravity and forces growing from 0 to all over the run, one load step a "
          "time step; modal: the lowest modes of vibration about rest, whatever the solver");
    field("integrator", o.integrator, any_value(),
          "of dynamic analysis: backward Euler, or the trapezoidal rule (implicit Newmark), which "
          "does not damp");
    field.exactly_one({"end", "steps", "modes"});
}

struct SolverDef {
    AnyOptions options = default_options(stepper_cases(), "auto");
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, SolverDef& o) {
    field.one_of("kind", o.options, stepper_cases(), "auto", "the solver");
}

struct ContactDef {
    AnyOptions options = default_options(contact_cases(), "auto");
    bool separate = false;
    std::vector<std::array<std::string, 2>> ignore;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, ContactDef& o) {
    field.one_of("method", o.options, contact_cases(), "auto",
                 "how bodies are kept out of obstacles and of each other");
    field("separate", o.separate, any_value(),
          "bodies that overlap at the start are moved apart before the first step");
    field("ignore", o.ignore, any_value(),
          "pairs of names that do not feel each other: two bodies, a body twice (no contact with "
          "itself), a body and an obstacle");
}

struct AxisAngle {
    Vec3d axis{0, 1, 0};
    double angle = 0;  // [rad]
};
template <class Visitor>
void fields(Visitor& field, AxisAngle& o) {
    field("axis", o.axis, required(), "direction of the axis, any length");
    field("angle", o.angle, required(any_value(Unit::angle)), "right-handed about the axis");
}
/// One of three ways to say a rotation.
struct RotateDef {
    std::optional<AxisAngle> axis_angle;
    std::optional<Vec3d> euler;                  // about x, then y, then z of the world [rad]
    std::optional<std::array<Vec3d, 3>> matrix;  // rows
};
/// A factor, a unit ("1 mm": the mesh is in millimetres) or a factor for each axis.
struct ScaleDef {
    Vec3d factor{1, 1, 1};
};

struct RegionDef {
    std::optional<std::string> group;
    std::optional<SelectDef> select;
    std::string material;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, RegionDef& o) {
    field("group", o.group, any_value(), "named element group of the mesh file");
    field("select", o.select, any_value(), "tets with all four nodes selected");
    field("material", o.material, required(), "of these tets; later regions win");
    field.exactly_one({"group", "select"});
}

/// A body that is a sheet of triangles.
struct ClothDef {
    double thickness = 0;  // [m]
    StretchKind stretch = StretchKind::springs;
    std::optional<double> bending;  // [N m]
    ClothRest rest = ClothRest::mesh;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, ClothDef& o) {
    field("thickness", o.thickness, required(positive(Unit::length)),
          "of the sheet: what density and young are multiplied by");
    field("stretch", o.stretch, any_value(),
          "what resists stretching: a spring along every edge (with Poisson's ratio 1/3, whatever "
          "the material's), or every triangle as a membrane in plane stress");
    field("bending", o.bending, at_least(0),
          "bending rigidity in N m, 1e-6 to 1e-4 for cloth; that of a solid plate, "
          "young thickness^3 / 12 / (1 - poisson^2), where nothing is given");
    field("rest", o.rest, any_value(), "shape that bending returns to: the mesh's, or flat");
}

/// How the inside of a closed surface becomes tets. The keys are those of shapes.
struct FillDef {
    double cell = 0;  // [m]; 0: not given
    Index tets = 0;   // 0: not given
    bool graded = false;
};
template <class Visitor>
void fields(Visitor& field, FillDef& o) {
    field("cell", o.cell, at_least(0, Unit::length), "");
    field("tets", o.tets, between(0, max_tets), "");
    field("graded", o.graded, any_value(), "");
}

struct BodyDef {
    Name name;
    std::optional<FilePath> mesh;
    std::optional<FillDef> fill;  // of a mesh that is a surface
    std::optional<ShapeDef> shape;
    std::optional<std::string> material;
    std::vector<RegionDef> regions;
    std::optional<ScaleDef> scale;
    std::optional<RotateDef> rotate;
    Vec3d translate{0, 0, 0};
    Vec3d velocity{0, 0, 0};
    Vec3d angular_velocity{0, 0, 0};
    std::optional<FilePath> displacement_file, velocity_file;
    std::optional<FilePath> fibres;
    MassKind mass = MassKind::lumped;
    std::optional<int> parts;
    std::optional<FilePath> skin;
    std::optional<ClothDef> cloth;
    bool rigid = false;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, BodyDef& o) {
    field("name", o.name, required(), "what pins, forces, probes and output files call it");
    field(
        "mesh", o.mesh, any_value(),
        "tetrahedral mesh file (of triangles for cloth and rigid bodies), relative to this file; "
        "a closed surface (OBJ, STL, PLY, OFF, ...) is filled with tets where cell or tets stands "
        "beside it, cell counting after scale");
    field.flat("shape", o.shape);
    field.also("mesh", o.fill);
    field("material", o.material, any_value(),
          "name of a [material.NAME]; the default material where nothing is given");
    field("regions", o.regions, any_value(), "other materials for parts of the body");
    field("scale", o.scale, any_value(),
          "first: a factor, a unit (\"1 mm\" for a mesh in millimetres) or a factor for each axis");
    field("rotate", o.rotate, any_value(),
          "second, about the origin: an axis and an angle, angles about the world's x, then y, "
          "then z axis, or the rows of a rotation matrix");
    field("translate", o.translate, any_value(Unit::length), "last");
    field("velocity", o.velocity, any_value(Unit::velocity), "at the start");
    field("angular_velocity", o.angular_velocity, any_value(Unit::frequency),
          "at the start, about the body's centre of mass, in rad/s");
    field("displacement_file", o.displacement_file, any_value(),
          "where nodes start, from the rest shape: CSV file with the line node,ux,uy,uz first and "
          "one node a line: ids of the mesh file, m along the world's axes");
    field("velocity_file", o.velocity_file, any_value(),
          "added to the velocities at the start: CSV file with the line node,vx,vy,vz first and "
          "one node a line: ids of the mesh file, m/s along the world's axes");
    field("fibres", o.fibres, any_value(),
          "directions of the fibres of materials with kind = \"fibre\", tet by tet: CSV file with "
          "the "
          "line tet,x,y,z first and one tet a line: ids of the mesh file, directions of any length "
          "along the axes of the mesh file, which scale and rotate turn with the body; without it "
          "every tet has the direction of its material");
    field("mass", o.mass, any_value(), "a quarter of each tet to each corner, or consistent");
    field("parts", o.parts, at_least(1),
          "number of connected parts the mesh must have; any where nothing is given");
    field("skin", o.skin, any_value(),
          "surface file in the coordinates of the mesh, relative to this file: carried along by "
          "the tets, written beside the body and drawn in its place; keeps its vertex order");
    field("cloth", o.cloth, any_value(),
          "makes the body a sheet of the triangles of its mesh, or of the shapes cloth_sheet and "
          "dress; minimising solvers only");
    field("rigid", o.rigid, any_value(),
          "makes the body keep its shape: six degrees of freedom from the closed surface of its "
          "mesh or shape and the density of its material; contact.method = \"lagrange\" only");
    field.exactly_one({"mesh", "shape"});
}

struct PinDef {
    std::string body;
    std::optional<SelectDef> select;
    std::optional<FilePath> file;
    Axes axes = Axes::xyz;
    std::optional<MotionDef> motion;
    std::optional<std::vector<double>> times, scale;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, PinDef& o) {
    field("body", o.body, required(), "name of the body");
    field("select", o.select, any_value(), "the nodes that are held");
    field("file", o.file, any_value(),
          "nodes that are held, each at a displacement of its own: CSV file with the line "
          "node,ux,uy,uz first and one node a line: ids of the mesh file, m from the place at rest "
          "along the world's axes; coordinates without a column are free. In a static analysis "
          "without times the displacements grow with the loads");
    field("axes", o.axes, any_value(), "coordinates that are held");
    field("motion", o.motion, any_value(), "key frames the nodes follow; they stay without");
    field("times", o.times, any_value(Unit::time), "of a file: key frames of scale, increasing");
    field("scale", o.scale, any_value(),
          "one factor a key frame on all displacements of the file, linear between them, constant "
          "before and after; 1 without: all of it in the first step");
    field.exactly_one({"select", "file"});
    field.at_most_one({"motion", "file"});
    field.needs("times", "scale");
    field.needs("scale", "times");
    field.needs("scale", "file");
}

struct ForceDef {
    std::string body;
    std::optional<SelectDef> select;
    std::optional<Vec3d> total, each, traction;
    std::optional<FilePath> file;
    std::optional<std::vector<double>> times, scale;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, ForceDef& o) {
    field("body", o.body, required(), "name of the body");
    field("select", o.select, any_value(),
          "the loaded nodes; the whole body where nothing is given");
    field("total", o.total, any_value(Unit::force),
          "shared by area over the boundary faces with all three nodes selected; where there are "
          "none, equally over the nodes");
    field("each", o.each, any_value(Unit::force), "on every selected node");
    field("traction", o.traction, any_value(Unit::pressure),
          "force per rest area of the boundary faces with all three nodes selected");
    field("file", o.file, any_value(),
          "CSV file with the line node,fx,fy,fz first (the columns in any order) and one node a "
          "line: ids of the mesh file, N");
    field("times", o.times, any_value(Unit::time), "key frames of scale, increasing");
    field("scale", o.scale, any_value(),
          "one factor a key frame, linear between them, constant before and after; 1 without");
    field.exactly_one({"total", "each", "traction", "file"});
    field.at_most_one({"select", "file"});
    field.needs("times", "scale");
    field.needs("scale", "times");
}

struct ObstacleDef {
    std::optional<Name> name;
    AnyOptions shape;
    Vec3d position{0, 0, 0};
    std::optional<RotateDef> rotate;
    std::optional<MotionDef> motion;
    std::optional<double> friction;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, ObstacleDef& o) {
    field("name", o.name, any_value(), "for messages");
    field.one_of("shape", o.shape, obstacle_cases(), "", "what it looks like");
    field("position", o.position, any_value(Unit::length), "of the centre; of a point on a plane");
    field("rotate", o.rotate, any_value(), "about its centre, as for bodies");
    field("motion", o.motion, any_value(), "key frames it follows");
    field("friction", o.friction, between(0, 10),
          "Coulomb's coefficient; that of [contact] without");
}

struct ProbeDef {
    Name name;
    std::string body;
    std::optional<SelectDef> select;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, ProbeDef& o) {
    field("name", o.name, required(), "of its columns");
    field("body", o.body, required(), "name of the body");
    field("select", o.select, any_value(), "the nodes; the whole body where nothing is given");
}

struct OutputDef {
    std::int64_t every = 1;
    std::vector<OutputFormat> formats{OutputFormat::vtu};
    std::int64_t checkpoint_every = 0;
    std::int64_t probe_every = 1;
    bool energy = true;
    Origin origin;
};
template <class Visitor>
void fields(Visitor& field, OutputDef& o) {
    field("every", o.every, between(1, 1e15), "steps from one frame to the next");
    field("formats", o.formats, any_value(), "of the frames; [] writes none");
    field("checkpoint_every", o.checkpoint_every, between(0, 1e15),
          "steps from one checkpoint to the next; 0: at the end and on interruption only");
    field("probe_every", o.probe_every, between(1, 1e15), "steps from one probe row to the next");
    field("energy", o.energy, any_value(), "measure energies every step");
}

struct SceneDef {
    int version = 1;
    std::optional<Vec3d> gravity;  // filled by load_scene
    UpAxis up = UpAxis::y;
    DeviceKind device = DeviceKind::cpu;
    TimeDef time;
    SolverDef solver;
    std::map<std::string, MaterialDef> materials;
    std::vector<BodyDef> bodies;
    std::vector<PinDef> pins;
    std::vector<ForceDef> forces;
    std::vector<ObstacleDef> obstacles;
    std::vector<AttachDef> attachments;
    std::vector<CableDef> cables;
    std::vector<CavityDef> cavities;
    std::vector<NeedleDef> needles;
    ContactDef contact;
    std::vector<ProbeDef> probes;
    OutputDef output;
    Origin origin;
    std::string file;  // as the user gave it
    /// What "auto" stands for and why, a line each.
    std::vector<std::string> chosen;
};
template <class Visitor>
void fields(Visitor& field, SceneDef& o) {
    field("limber", o.version, required(between(1, 1)), "version of this format");
    field("gravity", o.gravity, any_value(Unit::acceleration),
          "9.81 m/s^2 against `up` where nothing is given");
    field("up", o.up, any_value(), "axis that points up, for the defaults and for pictures");
    field("device", o.device, any_value(),
          "what computes the steps: cpu, or cuda, a graphics card; limber list support tells which "
          "solvers have a form for it");
    field("time", o.time, required(), "time steps");
    field("solver", o.solver, any_value(), "how a step is solved");
    field("material", o.materials, any_value(), "materials by name");
    field("body", o.bodies, required(), "soft bodies");
    field("pin", o.pins, any_value(), "nodes that are held or moved");
    field("force", o.forces, any_value(), "external forces");
    field("obstacle", o.obstacles, any_value(), "rigid things bodies cannot enter");
    field("attach", o.attachments, any_value(),
          "points, surfaces and axes of bodies that are held together");
    field("cable", o.cables, any_value(), "cables through bodies that are pulled");
    field("cavity", o.cavities, any_value(), "hollows of bodies under pressure");
    field("needle", o.needles, any_value(), "straight needles that enter bodies");
    field("contact", o.contact, any_value(),
          "contact of bodies with obstacles and with each other");
    field("probe", o.probes, any_value(), "nodes whose mean is written to a table every step");
    field("output", o.output, any_value(), "what a run writes");
}

template <>
struct FieldTraits<FilePath> {
    static TypeInfo describe(Rule) { return type_of(FieldKind::path); }
    static void assign(const Value& v, const std::string&, FilePath& out) { out.assign(v.text); }
    static Value to_value(const FilePath& s, Rule) { return Value::of(std::string(s)); }
};
template <>
struct FieldTraits<RotateDef> {
    static TypeInfo describe(Rule);
    static void assign(const Value& v, const std::string& path, RotateDef& out);
    static Value to_value(const RotateDef& r, Rule);
};
template <>
struct FieldTraits<ScaleDef> {
    static TypeInfo describe(Rule);
    static void assign(const Value& v, const std::string& path, ScaleDef& out);
    static Value to_value(const ScaleDef& s, Rule);
};

}  // namespace limber
