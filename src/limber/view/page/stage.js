// SPDX-License-Identifier: Apache-2.0
// What is drawn: bodies, obstacles, ground, lights; one picture, or two side by side with one camera.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { bodyColour, paint } from './colour.js';
import { Marks } from './marks.js';
import { LEVELS } from './quality.js';

const SMOOTH_UP_TO = 60000;  // vertices: beyond, normals a frame cost more than they show
const SHARED = 0;            // layer of what both sides show

const dark = matchMedia('(prefers-color-scheme: dark)');

export class Stage {
  constructor(canvas, antialias) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias, preserveDrawingBuffer: true });
    this.quality = LEVELS[0];
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.localClippingEnabled = true;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => { this.dirty = true; });
    this.root = new THREE.Group();  // the scene's own axes
    this.scene.add(this.root);
    this.addLights();
    this.bodies = [];
    this.obstacles = [];
    this.sides = 1;
    this.dirty = true;
    this.wire = false;
    this.cut = new THREE.Plane(new THREE.Vector3(1, 0, 0), 0);
    this.cutting = false;
    this.follow = true;
    this.inset = { right: 0, top: 0, bottom: 0 };
    this.marks = new Marks(this.root);
    this.theme();
    dark.addEventListener('change', () => this.theme());
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  setQuality(level) {
    this.quality = level;
    this.sun.castShadow = level.shadows;
    if (this.grid) { this.grid.anisotropy = level.anisotropy; this.grid.needsUpdate = true; }
    this.renderer.setPixelRatio(level.scale * Math.min(devicePixelRatio, 2));
    this.resize();
  }
  theme() {
    this.scene.background = new THREE.Color(dark.matches ? 0x171d24 : 0xdfe6ed);
    this.scene.fog = null;
    if (this.radius) this.placeGround(this.radius);
    this.dirty = true;
  }
  addLights() {
    this.sky = new THREE.HemisphereLight(0xffffff, 0x66707a, 1.3);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.02;
    for (const light of [this.sky, this.sun]) { light.layers.enableAll(); this.scene.add(light); }
    this.scene.add(this.sun.target);
  }
  setScene(description) {
    this.description = description;
    this.root.rotation.x = description.up === 'z' ? -Math.PI / 2 : 0;
    for (const body of this.bodies) this.drop(body.mesh);
    for (const obstacle of this.obstacles) this.drop(obstacle);
    if (this.ground) this.drop(this.ground);
    this.marks.arrows.longest = 0;
    this.bodies = [];
    this.obstacles = description.obstacles.map((o) => this.makeObstacle(o.shape));
    this.ground = null;
    this.groundDue = true;
    this.sides = description.bodies.some((b) => b.side === 1) ? 2 : 1;
    this.dirty = true;
  }
  drop(object) {
    object.parent?.remove(object);
    object.traverse((o) => { o.geometry?.dispose(); o.material?.dispose(); });
  }

  setGeometry(message) {
    for (const body of this.bodies) this.drop(body.mesh);
    this.bodies = this.description.bodies.map((d, index) => this.makeBody(d, index, message));
    this.dirty = true;
  }
  makeBody(d, index, message) {
    const [v0, v1] = d.vertices, [t0, t1] = d.triangles, n = v1 - v0;
    const geometry = new THREE.BufferGeometry();
    const indices = new Uint32Array(3 * (t1 - t0));
    for (let k = 0; k < indices.length; ++k) indices[k] = message.triangles[3 * t0 + k] - v0;
    geometry.setIndex(new THREE.BufferAttribute(indices, 1));
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * n), 3).setUsage(THREE.DynamicDrawUsage));
    geometry.setAttribute('color', new THREE.BufferAttribute(new Float32Array(3 * n), 3).setUsage(THREE.DynamicDrawUsage));
    const smooth = message.vertices <= SMOOTH_UP_TO;
    const sameSide = this.description.bodies.filter((b) => b.side === d.side).indexOf(d);
    const material = new THREE.MeshStandardMaterial({ roughness: 0.55, metalness: 0, flatShading: !smooth, side: THREE.DoubleSide });
    material.color.setRGB(...bodyColour(sameSide), THREE.SRGBColorSpace);
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    const wire = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: 0x10161c, wireframe: true, transparent: true, opacity: 0.35 }));
    wire.visible = this.wire;
    wire.frustumCulled = false;
    mesh.add(wire);
    if (this.sides === 2) for (const o of [mesh, wire]) o.layers.set(1 + d.side);
    this.root.add(mesh);
    const body = { mesh, wire, material, plain: material.color.clone(), first: v0, n, t0, side: d.side, smooth, index };
    this.clip(body);
    return body;
  }

  makeObstacle(shape) {
    const material = new THREE.MeshStandardMaterial({ color: 0x8d98a3, roughness: 0.8, side: THREE.DoubleSide });
    let geometry;
    if (shape.kind === 'sphere') geometry = new THREE.SphereGeometry(shape.radius, 48, 32);
    else if (shape.kind === 'box') geometry = new THREE.BoxGeometry(...shape.half.map((h) => 2 * h));
    else if (shape.kind === 'cylinder') geometry = new THREE.CylinderGeometry(shape.radius, shape.radius, 2 * shape.half_height, 48);
    else if (shape.kind === 'torus') geometry = new THREE.TorusGeometry(shape.major, shape.minor, 24, 64).rotateX(Math.PI / 2);
    else if (shape.kind === 'mesh') {
      geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.Float32BufferAttribute(shape.points, 3));
      geometry.setIndex(shape.triangles);
      geometry.computeVertexNormals();
    } else geometry = new THREE.BufferGeometry();
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    mesh.userData.plane = shape.kind === 'plane' ? new THREE.Vector3(...shape.normal) : null;
    this.root.add(mesh);
    return mesh;
  }
  /** Planes as large as what stands on them; a floor of our own where the scene has none, for the shadow. */
  placeGround(radius) {
    this.groundDue = false;
    const own = !this.obstacles.some((o) => o.userData.plane);
    const size = 24 * radius;
    for (const mesh of this.obstacles.filter((o) => o.userData.plane)) {
      mesh.geometry.dispose();
      mesh.geometry = this.tiles(size, radius, new THREE.Vector3(0, 0, 1), mesh.userData.plane);
      mesh.castShadow = false;
      mesh.material.color.set(dark.matches ? 0x3a444f : 0xcfd6dd);
      mesh.material.map ??= this.gridTexture();
      mesh.material.needsUpdate = true;
    }
    if (this.ground) { this.drop(this.ground); this.ground = null; }
    if (!own) return;
    const material = new THREE.MeshStandardMaterial({ color: dark.matches ? 0x3a444f : 0xcfd6dd, roughness: 1, map: this.gridTexture() });
    this.ground = new THREE.Mesh(this.tiles(size, radius, new THREE.Vector3(0, 0, 1), new THREE.Vector3(0, 1, 0)), material);
    this.ground.position.set(this.center.x, this.low - 0.02 * radius, this.center.z);
    this.ground.receiveShadow = true;
    this.scene.add(this.ground);
  }
  tiles(size, radius, from, to) {
    const geometry = new THREE.PlaneGeometry(size, size);
    const tile = 10 ** Math.round(Math.log10(radius / 2)), uv = geometry.attributes.uv;
    for (let k = 0; k < uv.count; ++k) uv.setXY(k, (uv.getX(k) - 0.5) * size / tile, (uv.getY(k) - 0.5) * size / tile);
    return geometry.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(from, to));
  }
  gridTexture() {
    if (this.grid) return this.grid;
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 128;
    const pen = canvas.getContext('2d');
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, 128, 128);
    pen.strokeStyle = '#b4bcc4';
    pen.lineWidth = 3;
    pen.strokeRect(0, 0, 128, 128);
    this.grid = new THREE.CanvasTexture(canvas);
    this.grid.wrapS = this.grid.wrapT = THREE.RepeatWrapping;
    this.grid.anisotropy = this.quality.anisotropy;
    this.grid.colorSpace = THREE.SRGBColorSpace;
    return this.grid;
  }

  /** `range`: values that the ends of the colour scale stand for. */
  setFrame(frame, field, range) {
    for (const body of this.bodies) {
      const { geometry } = body.mesh, position = geometry.attributes.position;
      position.array.set(frame.positions.subarray(3 * body.first, 3 * (body.first + body.n)));
      position.needsUpdate = true;
      if (body.smooth) geometry.computeVertexNormals();
      const painted = frame.values.length > 0;
      if (painted) {
        paint(frame.values.subarray(body.first, body.first + body.n), range.lo, range.hi, field?.categories, geometry.attributes.color.array);
        geometry.attributes.color.needsUpdate = true;
      }
      if (body.material.vertexColors !== painted) {
        body.material.vertexColors = painted;
        body.material.color.copy(painted ? new THREE.Color(1, 1, 1) : body.plain);
        body.material.needsUpdate = true;
      }
    }
    this.obstacles.forEach((mesh, k) => {
      const p = frame.poses.subarray(12 * k, 12 * k + 12);
      if (p.length < 12) return;
      mesh.matrix.set(p[0], p[1], p[2], p[9], p[3], p[4], p[5], p[10], p[6], p[7], p[8], p[11], 0, 0, 0, 1);
      mesh.matrixWorldNeedsUpdate = true;
    });
    this.measure(frame.positions);
    this.marks.arrows.set(frame.contacts, this.radius ?? 1);
    this.marks.setCables(frame.cables);
    this.dirty = true;
  }
  /** Where everything is: for the light, the camera and the sizes of marks. */
  measure(positions) {
    const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < positions.length; i += 3)
      for (let k = 0; k < 3; ++k) {
        const x = positions[i + k];
        if (x < lo[k]) lo[k] = x;
        if (x > hi[k]) hi[k] = x;
      }
    const box = new THREE.Box3(new THREE.Vector3(...lo), new THREE.Vector3(...hi));
    if (box.isEmpty()) return;
    this.root.updateMatrixWorld();
    this.box = box.clone();
    const sphere = box.applyMatrix4(this.root.matrixWorld).getBoundingSphere(new THREE.Sphere());
    if (this.follow && this.center && this.radius && this.leaving(sphere.center)) {
      const way = sphere.center.clone().sub(this.center);
      this.camera.position.add(way);
      this.controls.target.add(way);
      this.controls.update();
    }
    this.center = sphere.center;
    this.low = box.min.y;
    const first = !this.radius;
    this.radius = Math.max(sphere.radius, 1e-6);
    const reach = 1.6 * this.radius, cam = this.sun.shadow.camera;
    this.sun.position.copy(this.center).add(new THREE.Vector3(1, 2.2, 1.3).normalize().multiplyScalar(4 * this.radius));
    this.sun.target.position.copy(this.center);
    Object.assign(cam, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * this.radius, far: 12 * this.radius });
    this.sun.shadow.normalBias = 0.01 * this.radius;
    cam.updateProjectionMatrix();
    // A floor of our own gives way: it is there for the shadow alone.
    if (this.ground) this.ground.position.y = Math.min(this.ground.position.y, this.low - 0.02 * this.radius);
    if (first) this.frameAll();
    else if (this.groundDue) this.placeGround(this.radius);
  }
  /** Whether a point is about to leave the picture. */
  leaving(point) {
    const p = point.clone().project(this.camera);
    return Math.max(Math.abs(p.x), Math.abs(p.y)) > 0.5;
  }
  setPins(points) { this.marks.setPins(points, this.radius ?? 1); this.dirty = true; }
  setPull(from, to) { this.marks.setPull(from, to, this.radius); this.dirty = true; }
  setTool(position, radius) { this.marks.setTool(position, radius); this.dirty = true; }
  setWire(on) {
    this.wire = on;
    for (const body of this.bodies) body.wire.visible = on;
    this.dirty = true;
  }
  /** `axis` x, y, z or '' and the share of the box that is left. */
  setCut(axis, share) {
    this.cutting = axis !== '';
    if (this.cutting && this.box) {
      const normal = { x: [-1, 0, 0], y: [0, -1, 0], z: [0, 0, -1] }[axis];
      const at = this.box.min[axis] + share * (this.box.max[axis] - this.box.min[axis]);
      this.cut.set(new THREE.Vector3(...normal), at).applyMatrix4(this.root.matrixWorld);
    }
    for (const body of this.bodies) this.clip(body);
    this.dirty = true;
  }
  clip(body) {
    for (const material of [body.material, body.wire.material]) {
      const planes = this.cutting ? [this.cut] : null;
      if (Boolean(material.clippingPlanes) !== Boolean(planes)) material.needsUpdate = true;
      material.clippingPlanes = planes;
    }
  }

  frameAll() {
    if (!this.radius) return;
    const aspect = Math.max(this.aspect(), 0.1);
    const fit = this.radius / Math.sin((this.camera.fov * Math.PI) / 360) / Math.min(1, aspect);
    const direction = new THREE.Vector3(0.75, 0.5, 1).normalize();
    this.camera.position.copy(this.center).addScaledVector(direction, 1.1 * fit);
    this.camera.near = fit / 200;
    this.camera.far = fit * 60;
    this.controls.target.copy(this.center);
    this.controls.maxDistance = fit * 20;
    this.controls.update();
    this.placeGround(this.radius);
    this.dirty = true;
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h) return;
    this.renderer.setSize(w, h, false);
    this.dirty = true;
  }
  /** The part of the canvas that nothing covers, cut in two where two runs are shown. */
  views() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const width = Math.max(w - this.inset.right, 50), bottom = this.inset.bottom, height = Math.max(h - this.inset.top - bottom, 50);
    const each = width / this.sides;
    return Array.from({ length: this.sides }, (_, k) => ({ x: k * each, y: bottom, width: each, height, side: k }));
  }
  aspect() { const [view] = this.views(); return view.width / view.height; }
  draw() {
    if (!this.dirty) return false;
    this.dirty = false;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    this.renderer.setScissorTest(false);
    this.renderer.setViewport(0, 0, w, h);
    this.renderer.setClearColor(this.scene.background);
    this.renderer.clear();
    this.renderer.setScissorTest(true);
    for (const view of this.views()) {
      this.camera.aspect = view.width / view.height;
      this.camera.updateProjectionMatrix();
      this.camera.layers.set(SHARED);
      this.camera.layers.enable(1 + view.side);
      this.sun.shadow.camera.layers.mask = this.camera.layers.mask;
      this.renderer.setViewport(view.x, view.y, view.width, view.height);
      this.renderer.setScissor(view.x, view.y, view.width, view.height);
      this.renderer.render(this.scene, this.camera);
    }
    return true;
  }

  /** A ray through a point of the page, and the view it is in. */
  ray(x, y) {
    const box = this.canvas.getBoundingClientRect(), px = x - box.left, py = box.bottom - y;
    const view = this.views().find((v) => px >= v.x && px < v.x + v.width && py >= v.y && py < v.y + v.height) ?? this.views()[0];
    const ray = new THREE.Raycaster();
    this.camera.aspect = view.width / view.height;
    this.camera.updateProjectionMatrix();
    ray.setFromCamera(new THREE.Vector2((2 * (px - view.x)) / view.width - 1, (2 * (py - view.y)) / view.height - 1), this.camera);
    ray.layers.enableAll();
    return { ray, view };
  }
  /** What is under a point of the page: triangle, weights of its corners, place in the scene's axes. */
  pick(x, y) {
    const { ray, view } = this.ray(x, y);
    const meshes = this.bodies.filter((b) => this.sides === 1 || b.side === view.side);
    for (const body of meshes) { body.mesh.geometry.computeBoundingSphere(); body.mesh.geometry.boundingBox = null; }
    const [hit] = ray.intersectObjects(meshes.map((b) => b.mesh), false);
    if (!hit) return null;
    const body = this.bodies.find((b) => b.mesh === hit.object);
    const local = this.root.worldToLocal(hit.point.clone());
    const at = body.mesh.geometry.attributes.position, corner = (i) => new THREE.Vector3().fromBufferAttribute(at, i);
    const weight = new THREE.Vector3();
    THREE.Triangle.getBarycoord(local, corner(hit.face.a), corner(hit.face.b), corner(hit.face.c), weight);
    return { triangle: body.t0 + hit.faceIndex, weight: [weight.x, weight.y, weight.z], point: local.toArray(), world: hit.point };
  }
  /** Where the ray through a point of the page meets the plane through `world` that faces the camera; scene's axes. */
  drag(x, y, world) {
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), world);
    const hit = this.ray(x, y).ray.ray.intersectPlane(plane, new THREE.Vector3());
    return hit ? this.root.worldToLocal(hit).toArray() : null;
  }
  /** A place of the scene as pixels of the page. */
  toPage(point) {
    const [view] = this.views(), p = this.root.localToWorld(new THREE.Vector3(...point)).project(this.camera);
    return [view.x + ((p.x + 1) / 2) * view.width, this.canvas.clientHeight - (view.y + ((p.y + 1) / 2) * view.height)];
  }
}
