// SPDX-License-Identifier: Apache-2.0
// What mouse and fingers do to bodies: pull, pin, push with a ball. Beside a body they move the camera.
import { short } from './colour.js';

const SEND_EVERY = 25;  // ms: the server closes clients that send more than 100 commands a second

export class Hand {
  /** `force`: where the force of a pull is written. `live()`: whether there is a simulation to touch. */
  constructor(canvas, stage, force, send, live) {
    Object.assign(this, { canvas, stage, force, send, live, mode: 'pull', held: null, pushing: null, ballScale: 0.2, lastSent: 0 });
    this.onmode = () => {};
    // Captured: runs before the orbit controls.
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.moved(event));
    for (const kind of ['pointerup', 'pointercancel']) canvas.addEventListener(kind, (event) => this.up(event));
    // The last move of a drag that ended between two sends.
    setInterval(() => { if (this.owed && this.throttled(this.owed)) this.owed = null; }, 30);
  }
  /** Sends unless something was sent a moment ago; the newest of what was held back goes a little later. */
  throttled(command) {
    const now = performance.now();
    if (now - this.lastSent < SEND_EVERY) { this.owed = command; return false; }
    this.lastSent = now;
    this.owed = null;
    this.send(command);
    return true;
  }
  setMode(mode) {
    this.mode = mode;
    this.onmode(mode);
    if (mode === 'push') return;
    this.ball = null;
    this.stage.setTool(null);
    this.send({ do: 'tool_off' });
  }
  resizeBall(factor) {
    this.ballScale = Math.min(Math.max(this.ballScale * factor, 0.02), 1);
    if (this.ball) this.push(this.ball);
  }

  down(event) {
    this.canvas.focus({ preventScroll: true });
    if (event.button !== 0 || !event.isPrimary || !this.live()) return;
    if (this.mode === 'push') {  // a finger has no hover: it moves the ball while it is down
      if (event.pointerType === 'touch') { this.take(event); this.pushing = event.pointerId; this.moved(event); }
      return;
    }
    const hit = this.stage.pick(event.clientX, event.clientY);
    if (!hit) return;
    const at = { triangle: hit.triangle, weight: hit.weight };
    if (this.mode === 'pin') { this.send({ do: 'pin', ...at }); return; }
    this.take(event);
    this.held = { id: event.pointerId, world: hit.world, target: hit.point };
    this.send({ do: 'pull', ...at, point: hit.point, value: 1 });
  }
  /** This pointer is the hand's until it is up. */
  take(event) {
    event.stopImmediatePropagation();
    this.canvas.setPointerCapture(event.pointerId);
    this.stage.controls.enabled = false;
  }
  moved(event) {
    if (this.held?.id === event.pointerId) {
      const target = this.stage.drag(event.clientX, event.clientY, this.held.world);
      if (target) { this.held.target = target; this.throttled({ do: 'move', point: target }); }
    } else if (this.mode === 'push' && this.stage.radius && this.live() && (event.buttons === 0 || this.pushing === event.pointerId)) {
      const target = this.stage.drag(event.clientX, event.clientY, this.stage.center);
      if (target) this.push(target);
    }
  }
  push(point) {
    const radius = this.ballScale * this.stage.radius;
    this.ball = point;
    this.stage.setTool(point, radius);
    this.throttled({ do: 'tool', point, value: radius });
  }
  up(event) {
    if (this.pushing === event.pointerId) this.pushing = null;
    else if (this.held?.id === event.pointerId) {
      this.held = this.owed = null;
      this.send({ do: 'release' });
      this.stage.setPull(null);
      this.force.hidden = true;
    } else return;
    this.stage.controls.enabled = true;
  }

  /** The pull as the newest frame has it. */
  show(frame) {
    const pulling = this.held && frame.hand.length >= 6;
    this.stage.setPull(pulling ? [...frame.hand.subarray(0, 3)] : null, pulling ? this.held.target : null);
    this.force.hidden = !pulling;
    if (!pulling) return;
    const [x, y] = this.stage.toPage(this.held.target);
    this.force.textContent = `${short(Math.hypot(...frame.hand.subarray(3, 6)))} N`;
    this.force.style.left = `${x + 14}px`;
    this.force.style.top = `${y - 10}px`;
  }
}
