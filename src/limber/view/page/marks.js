// SPDX-License-Identifier: Apache-2.0
// What is drawn over the bodies: the pull and its point, the ball that pushes, contact forces, pins, cables.
import * as THREE from 'three';

const RED = 0xe0352b;
const UP = new THREE.Vector3(0, 1, 0);

/** Arrows of equal thickness, as many as there are contacts: two draw calls. */
class Arrows {
  constructor(root) {
    this.root = root;
    this.material = new THREE.MeshStandardMaterial({ color: RED, roughness: 0.6 });
    this.shaft = new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
    this.head = new THREE.ConeGeometry(2.6, 1, 12).translate(0, 0.5, 0);
    this.parts = [];
    this.room = 0;
    this.longest = 0;  // force [N] that an arrow of full length stands for
  }
  grow(n) {
    for (const part of this.parts) { this.root.remove(part); part.dispose(); }
    this.room = 2 ** Math.ceil(Math.log2(n));
    this.parts = [this.shaft, this.head].map((geometry) => {
      const part = new THREE.InstancedMesh(geometry, this.material, this.room);
      part.frustumCulled = false;
      part.layers.enableAll();
      this.root.add(part);
      return part;
    });
  }
  /** Six floats a contact: point [m], force [N]. `size` of what is drawn [m]. */
  set(contacts, size) {
    const n = contacts.length / 6;
    if (n > this.room) this.grow(n);
    for (const part of this.parts) part.visible = n > 0;
    this.visible = n > 0;
    if (!n) return;
    let largest = 0;
    for (let i = 0; i < n; ++i) largest = Math.max(largest, Math.hypot(contacts[6 * i + 3], contacts[6 * i + 4], contacts[6 * i + 5]));
    // The scale follows at once upwards and slowly downwards, so that a force that fades is seen to.
    this.longest = Math.max(largest, 0.98 * this.longest);
    const scale = this.longest > 0 ? 0.5 * size / this.longest : 0, thick = 0.004 * size, headLength = 0.03 * size;
    const at = new THREE.Matrix4(), turn = new THREE.Quaternion(), from = new THREE.Vector3(), way = new THREE.Vector3(), tip = new THREE.Vector3();
    for (let i = 0; i < n; ++i) {
      from.fromArray(contacts, 6 * i);
      way.fromArray(contacts, 6 * i + 3);
      const length = scale * way.length(), head = Math.min(headLength, length);
      turn.setFromUnitVectors(UP, way.normalize());
      const width = length > 0 ? Math.min(thick, 0.2 * length) : 0;
      this.parts[0].setMatrixAt(i, at.compose(from, turn, tip.set(width, length - head, width)));
      from.addScaledVector(way, length - head);
      this.parts[1].setMatrixAt(i, at.compose(from, turn, tip.set(width, head, width)));
    }
    for (const part of this.parts) { part.count = n; part.instanceMatrix.needsUpdate = true; }
  }
}

export class Marks {
  constructor(root) {
    const line = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(6), 3));
    this.pullLine = new THREE.Line(line, new THREE.LineBasicMaterial({ color: RED, depthTest: false }));
    this.pullDot = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), new THREE.MeshBasicMaterial({ color: RED, depthTest: false }));
    this.tool = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 20),
      new THREE.MeshStandardMaterial({ color: 0xd8a21a, transparent: true, opacity: 0.6, roughness: 0.4 }));
    // Cables run inside bodies: they are drawn through them.
    this.cables = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xd8a21a, depthTest: false }));
    this.arrows = new Arrows(root);
    this.pins = new THREE.Group();
    for (const mark of [this.pullLine, this.pullDot, this.tool, this.cables]) {
      mark.visible = false;
      mark.frustumCulled = false;
      mark.layers.enableAll();
      root.add(mark);
    }
    this.pullLine.renderOrder = this.pullDot.renderOrder = 2;
    this.cables.renderOrder = 1;
    root.add(this.pins);
  }
  setPins(points, size) {
    this.pins.clear();
    for (const p of points) {
      const dot = new THREE.Mesh(this.pullDot.geometry, new THREE.MeshBasicMaterial({ color: 0x111111 }));
      dot.position.set(...p);
      dot.scale.setScalar(0.02 * size);
      dot.layers.enableAll();
      this.pins.add(dot);
    }
  }
  /** From where the spring holds to where the mouse is; null hides it. */
  setPull(from, to, size) {
    this.pullLine.visible = this.pullDot.visible = Boolean(from);
    if (!from) return;
    const { position } = this.pullLine.geometry.attributes;
    position.array.set([...from, ...to]);
    position.needsUpdate = true;
    this.pullDot.position.set(...from);
    this.pullDot.scale.setScalar(0.015 * size);
  }
  setTool(position, radius) {
    this.tool.visible = Boolean(position);
    if (!position) return;
    this.tool.position.set(...position);
    this.tool.scale.setScalar(radius);
  }
  /** Two points a piece, three floats each. */
  setCables(points) {
    this.cables.visible = points.length > 0;
    if (!points.length) return;
    const old = this.cables.geometry.attributes.position;
    if (old?.array.length === points.length) {
      old.array.set(points);
      old.needsUpdate = true;
    } else {
      this.cables.geometry.dispose();
      this.cables.geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(points), 3));
    }
  }
}
