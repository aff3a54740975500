// SPDX-License-Identifier: Apache-2.0
// What went wrong in the run, a line for each kind: in the panel, where it covers nothing, and counted in the bar, where it is
// seen on a phone too. Nothing is shown where all is well.
import { element } from './panels.js';

const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
const folder = (run) => run.split('/').filter(Boolean).pop() ?? run;

/** "what happened; what to do about it" in two parts. */
function line(text, kind, title) {
  const at = text.indexOf('; '), item = element('li', { 'data-kind': kind, title }, at < 0 ? text : text.slice(0, at));
  if (at >= 0) item.append(element('small', {}, text.slice(at + 2)));
  return item;
}

export class Verdict {
  /** `changed()`: the bar or the panel may have another size. */
  constructor(button, box, changed) {
    Object.assign(this, { button, box, changed, said: '' });
    this.heading = box.querySelector('summary');
    this.list = box.querySelector('ul');
  }
  /** `runs`: the folders of a replay. */
  set({ faults, failed, unknown, since }, runs) {
    const of = (side) => (runs.length > 1 ? `${folder(runs[side] ?? '')}: ` : '');
    const lines = [
      ...failed.map(({ side, text }) => [`${of(side)}${text}`, 'failed', 'the run stopped here']),
      ...faults.map(({ side, text, kind }) => [`${of(side)}${text}`, kind, `${kind} (docs/verdict.md)`]),
      ...unknown.map(({ side, text }) => [`${of(side)}whether anything went wrong is not known: ${text}`, 'unknown', 'no verdict was found']),
    ];
    const said = JSON.stringify([lines, since]);
    if (said === this.said) return;
    this.said = said;
    const n = failed.length + faults.length;
    this.heading.textContent = n ? `Went wrong${since > 0 ? `, counted from step ${since}` : ''}` : 'Verdict';
    this.list.replaceChildren(...lines.map((of) => line(...of)));
    const words = n ? plural(n, 'fault') : 'verdict?', hidden = lines.length === 0;
    const other = this.button.textContent !== words || this.button.hidden !== hidden;
    this.button.textContent = words;
    this.button.classList.toggle('bad', n > 0);
    this.button.hidden = this.box.hidden = hidden;
    if (other) this.changed();
  }
}
