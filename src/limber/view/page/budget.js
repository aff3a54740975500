// SPDX-License-Identifier: Apache-2.0
// The time budget of a step as a control of its own: less time, more error left, and both are shown.
import { short } from './colour.js';

const OFF = 100, LEAST_MS = 0.01;  // the slider's right end; the budget at its left end
const DEADLINE = 4;                // of the flags of a step (docs/view_protocol.md, stats)

/** Which options of this solver bound its time: {path, set(ms)}; null where it has none. */
function budgetOf(scene) {
  const solver = scene.values?.solver, panel = scene.panels?.find((p) => p.path === 'solver');
  const keys = new Set(panel?.cases.find((c) => c.name === solver?.kind)?.fields.map((f) => f.key));
  if (keys.has('deadline_ms') && solver.linear === 'pcg')
    return { ms: solver.deadline_ms, set: (ms) => [['solver.deadline_ms', ms]] };
  if (keys.has('budget_ms'))  // of the updates of a kept factor; counts under the schedules of time
    return { ms: solver.schedule === 'time' ? solver.budget_ms : 0,
      set: (ms) => [['solver.budget_ms', ms], ['solver.schedule', ms ? 'time' : 'quality']] };
  return null;
}

export class Budget {
  /** `send(path, value)` asks for a change. */
  constructor(box, send) {
    this.slider = box.querySelector('input');
    this.text = box.querySelector('output');
    this.meter = box.querySelector('meter');
    this.left = box.querySelector('p');
    this.slider.addEventListener('input', () => this.show());
    this.slider.addEventListener('change', () => {
      for (const [path, to] of this.budget.set(this.ms)) send(path, to);
    });
  }
  setScene(scene) {
    this.budget = budgetOf(scene);
    this.most = 1000 * scene.step;  // ms: a step in real time
    this.slider.disabled = !this.budget;
    const ms = this.budget?.ms ?? 0;
    const at = (OFF - 1) * Math.log(Math.max(ms, LEAST_MS) / LEAST_MS) / Math.log(this.most / LEAST_MS);
    this.slider.value = ms > 0 ? Math.min(Math.round(at), OFF - 1) : OFF;
    this.show();
  }
  get ms() {
    const at = Number(this.slider.value);
    return at >= OFF ? 0 : Number((LEAST_MS * (this.most / LEAST_MS) ** (at / (OFF - 1))).toPrecision(3));
  }
  show() {
    this.text.textContent = !this.budget ? 'none with this solver' : this.ms ? `${short(this.ms)} ms a step` : 'off';
  }
  /** The newest rows of a stats message. */
  setStats({ columns, rows }) {
    const of = (name) => rows.map((row) => row[columns.indexOf(name)]);
    if (of('residual').includes(null)) {  // a solver that measures none
      this.meter.value = this.meter.min;
      this.left.textContent = 'error left: not measured by this solver';
      return;
    }
    const error = Math.max(...of('residual')), stopped = of('flags').filter((flags) => flags & DEADLINE).length;
    this.meter.value = error > 0 ? Math.log10(error) : this.meter.min;
    this.left.textContent = `error left ${short(error)} |r|/|b|` +
      (stopped ? `, ${Math.round(100 * stopped / rows.length)} % of steps stopped by the clock` : '');
  }
}
