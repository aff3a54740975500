// SPDX-License-Identifier: Apache-2.0
// Colours of values: a scale from dark blue over green to yellow that also tells in grey, and hues for things.

const STOPS = [[0.13, 0.10, 0.35], [0.17, 0.30, 0.55], [0.13, 0.49, 0.55], [0.23, 0.65, 0.45], [0.58, 0.78, 0.27], [0.98, 0.90, 0.18]];
const BODIES = [[0.22, 0.49, 0.80], [0.87, 0.49, 0.18], [0.25, 0.62, 0.38], [0.70, 0.33, 0.60], [0.78, 0.27, 0.27], [0.45, 0.45, 0.72]];

const toLinear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const linear = (table) => table.map((rgb) => rgb.map(toLinear));
const SCALE = linear(STOPS);
export const bodyColour = (index) => BODIES[index % BODIES.length];

/** sRGB bytes of the scale at 0..1, for the legend. */
export function scaleCss(t) {
  const rgb = mix(STOPS, t);
  return `rgb(${rgb.map((c) => Math.round(255 * c)).join(' ')})`;
}
function mix(table, t) {
  const s = Math.min(Math.max(t, 0), 1) * (table.length - 1), k = Math.min(Math.floor(s), table.length - 2), f = s - k;
  return table[k].map((c, i) => c + f * (table[k + 1][i] - c));
}

/** Fills `out` (three floats a vertex, linear) from `values`. */
export function paint(values, lo, hi, categories, out) {
  const span = hi > lo ? hi - lo : 1;
  for (let i = 0; i < values.length; ++i) {
    if (categories) {
      // Hues a golden angle apart: neighbours in number never look alike.
      const hue = (values[i] * 0.618034) % 1;
      for (let k = 0; k < 3; ++k) {
        const c = Math.abs(((hue + k / 3) % 1) * 6 - 3) - 1;
        out[3 * i + k] = toLinear(0.25 + 0.6 * Math.min(Math.max(c, 0), 1));
      }
      continue;
    }
    const s = Math.min(Math.max((values[i] - lo) / span, 0), 1) * (SCALE.length - 1);
    const k = Math.min(Math.floor(s), SCALE.length - 2), f = s - k, a = SCALE[k], b = SCALE[k + 1];
    out[3 * i] = a[0] + f * (b[0] - a[0]);
    out[3 * i + 1] = a[1] + f * (b[1] - a[1]);
    out[3 * i + 2] = a[2] + f * (b[2] - a[2]);
  }
}

/** A number for people: three digits, with a prefix where it helps. */
export function short(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 1e-3 || size >= 1e10) return value.toExponential(2);
  for (const [limit, name] of [[1e9, 'G'], [1e6, 'M'], [1e4, 'k']])
    if (size >= limit) return `${Number((value / (name === 'k' ? 1e3 : limit)).toPrecision(3))} ${name}`;
  return String(Number(value.toPrecision(3)));
}

/** The number that short() wrote, or that somebody typed; NaN where it is none. */
export function parsed(text) {
  const [, number, prefix] = text.trim().match(/^([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*([kMG]?)$/) ?? [];
  return number === undefined ? NaN : Number(number) * { '': 1, k: 1e3, M: 1e6, G: 1e9 }[prefix];
}
