// SPDX-License-Identifier: Apache-2.0
// What the colours stand for, and their range: it follows the values, or is held.
import { parsed, scaleCss, short } from './colour.js';

export class Legend {
  /** `changed()`: the picture must be painted again. */
  constructor(box, changed) {
    const part = (name) => box.querySelector(`#legend-${name}`);
    Object.assign(this, { box, changed, title: part('title'), hi: part('hi'), lo: part('lo'), beyond: part('beyond'), button: part('hold'), held: null, field: null });
    const bar = part('bar').getContext('2d');
    for (let y = 0; y < 100; ++y) {
      bar.fillStyle = scaleCss(1 - y / 99);
      bar.fillRect(0, y, 16, 1);
    }
    this.button.addEventListener('click', () => this.hold(this.held ? null : this.shown));
    for (const input of [this.hi, this.lo]) input.addEventListener('change', () => this.typed());
  }
  typed() {
    const [lo, hi] = [parsed(this.lo.value), parsed(this.hi.value)];
    this.hold(Number.isFinite(lo) && Number.isFinite(hi) && lo < hi ? { lo, hi } : this.held);
  }
  hold(range) {
    this.held = range && { ...range };
    this.button.setAttribute('aria-pressed', String(Boolean(range)));
    this.box.classList.toggle('held', Boolean(range));
    this.show(this.shown);
    this.changed();
  }
  /** The range to paint a frame with. */
  range(frame, field) {
    if (field?.name !== this.field?.name && this.held) this.hold(null);  // of other values
    this.field = field;
    return this.held ?? { lo: frame.lo, hi: frame.hi };
  }
  /** After range(): `values` in `shown`; hidden where there is no scale. */
  setFrame(frame, shown) {
    const { field } = this, visible = Boolean(field && frame.values.length && !field.categories);
    this.box.hidden = !visible;
    if (!visible) return;
    this.title.textContent = field.title + (field.unit ? ` [${field.unit}]` : '');
    this.beyond.textContent = frame.values.some((v) => v > shown.hi + 1e-3 * Math.abs(shown.hi)) ? 'or more' : '';
    this.show(shown);
  }
  show(range) {
    this.shown = range;
    for (const [input, value] of [[this.hi, range?.hi], [this.lo, range?.lo]])
      if (document.activeElement !== input) input.value = short(value);
  }
}
