// SPDX-License-Identifier: Apache-2.0
// How well the picture is drawn: as well as the machine can while it moves. Without a graphics card a full picture takes
// a tenth of a second and more.

const SLOW = 55;   // ms from one drawn frame to the next
const ENOUGH = 8;  // intervals before anything is decided
export const LEVELS = [
  { shadows: true, anisotropy: 8, scale: 1 },
  { shadows: false, anisotropy: 1, scale: 1 },
  { shadows: false, anisotropy: 1, scale: 0.6 },
  { shadows: false, anisotropy: 1, scale: 0.4 },
];

/** Whether WebGL is computed by the processor. */
export function drawsInSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Quality {
  /** `fixed`: never lowered. */
  constructor(stage, fixed) {
    Object.assign(this, { stage, fixed, level: 0, last: 0, drew: false });
    this.restart();
    document.addEventListener('visibilitychange', () => this.restart());
  }
  restart() { Object.assign(this, { n: 0, sum: 0, drew: false }); }
  /** Once an animation frame; `drew`: something was drawn in it. */
  tick(drew) {
    const now = performance.now(), interval = now - this.last;
    const counts = drew && this.drew && !this.fixed && this.level + 1 < LEVELS.length;
    this.last = now;
    this.drew = drew;
    if (!counts) return;
    this.sum += interval;
    if (++this.n < ENOUGH) return;
    const slow = this.sum / this.n > SLOW;
    this.restart();
    if (slow) this.stage.setQuality(LEVELS[++this.level]);
  }
}
