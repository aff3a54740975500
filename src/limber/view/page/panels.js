// SPDX-License-Identifier: Apache-2.0
// Controls for every option the scene format has, made from its own description.
import { short } from './colour.js';

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const look = (values, path) => path.split('.').reduce((v, key) => (key === '' ? v : v?.[key]), values);

/** What a text field holds: a number, or text with a unit ("50 kPa") that the scene reader understands. */
function typed(text) {
  const trimmed = text.trim(), number = Number(trimmed);
  return trimmed !== '' && Number.isFinite(number) ? number : trimmed;
}

function number(field, value, path, send, name) {
  const text = element('input', { type: 'text', value: String(value ?? ''), 'aria-label': name, 'data-path': path, title: field.meaning });
  const change = (to) => { text.value = typeof to === 'number' ? String(Number(to.toPrecision(4))) : to; send(path, to); };
  text.addEventListener('change', () => change(typed(text.value)));
  const box = element('span', { class: 'value' }, text);
  if (field.unit) box.append(element('span', { class: 'unit' }, field.unit));
  const budget = /(deadline|budget)_ms$/.test(field.key);
  if (typeof value !== 'number' || field.kind === 'integer' && !Number.isFinite(value)) return box;
  let range;
  if (budget) range = { min: 0, max: 40, step: 0.5, at: value, of: (x) => x };
  else if (Number.isFinite(field.lo) && Number.isFinite(field.hi) && field.hi - field.lo <= 10) {
    // Open ends are not allowed values: the slider stops a little before them.
    const margin = 0.005 * (field.hi - field.lo);
    range = { min: field.lo + (field.open_lo ? margin : 0), max: field.hi - (field.open_hi ? margin : 0),
      step: (field.hi - field.lo) / 200, at: value, of: (x) => x };
  } else if (value > 0)  // two decades either way
    range = { min: Math.log10(value) - 2, max: Math.log10(value) + 2, step: 0.02, at: Math.log10(value), of: (x) => 10 ** x };
  if (!range) return box;
  const whole = (x) => (field.kind === 'integer' ? Math.round(x) : Number(x.toPrecision(4)));
  const slider = element('input', { type: 'range', min: range.min, max: range.max, step: range.step, value: range.at, 'aria-label': `${name} slider`, 'data-slider': path });
  slider.value = range.at;
  slider.addEventListener('input', () => { text.value = String(whole(range.of(Number(slider.value)))); });
  slider.addEventListener('change', () => change(whole(range.of(Number(slider.value)))));
  box.append(slider);
  return box;
}

function control(field, value, path, send, name) {
  if (field.kind === 'boolean') {
    const box = element('input', { type: 'checkbox', 'data-path': path, 'aria-label': name, onchange: () => send(path, box.checked) });
    box.checked = Boolean(value);
    return box;
  }
  if (field.kind === 'choice') {
    const select = element('select', { 'data-path': path, 'aria-label': name, onchange: () => send(path, select.value) },
      ...field.choices.map((name) => element('option', { value: name }, name)));
    select.value = value;
    return select;
  }
  if (field.kind === 'number' || field.kind === 'integer') return number(field, value, path, send, name);
  if (field.kind === 'vec3') {
    const text = element('input', { type: 'text', value: (value ?? []).map((x) => short(x).replace(' ', '')).join(', '), 'data-path': path, 'aria-label': name });
    text.addEventListener('change', () => send(path, text.value.split(',').map(Number)));
    return text;
  }
  return null;
}

/** `of`: the table these fields are in, which their names alone do not tell ("damping" of "mass"). */
function rows(fields, values, path, send, of = '') {
  const out = [];
  for (const field of fields) {
    const at = path ? `${path}.${field.key}` : field.key, value = look(values, at) ?? field.default, name = of + field.key;
    if (field.kind === 'table') { out.push(...rows(field.fields, values, at, send, `${name} `)); continue; }
    if (value === undefined || value === null) continue;
    const made = control(field, value, at, send, name);
    if (made) out.push(element('label', { class: 'field', title: field.meaning }, element('span', {}, name), made));
  }
  return out;
}

const FIRST = ['young', 'poisson', 'density', 'max_iterations', 'rel_tolerance', 'deadline_ms', 'linear', 'schedule', 'threshold_relative',
  'budget_ms', 'damping', 'friction', 'stiffness', 'step', 'gravity', 'device', 'preconditioner'];

/** Fills `box`. `send(path, value)` asks for a change. */
export function showPanels(box, scene, send) {
  const open = new Set([...box.querySelectorAll('details[open]')].map((d) => d.dataset.panel));
  const { path: held, slider } = box.contains(document.activeElement) ? document.activeElement.dataset : {};
  box.replaceChildren();
  for (const panel of scene.panels ?? []) {
    const group = element('fieldset', {}, element('legend', {}, panel.title));
    let fields = panel.fields;
    if (panel.tag) {
      const path = `${panel.path}.${panel.tag}`, kind = look(scene.values, path);
      const select = element('select', { 'data-path': path, 'aria-label': path, onchange: () => send(path, select.value) },
        ...panel.cases.map((c) => element('option', { value: c.name, title: c.meaning }, c.name)));
      select.value = kind;
      group.append(element('label', { class: 'field', title: panel.cases.find((c) => c.name === kind)?.meaning }, element('span', {}, panel.tag), select));
      fields = [...panel.cases.find((c) => c.name === kind)?.fields ?? [], ...fields.filter((f) => f.key !== panel.tag)];
    }
    const important = fields.filter((f) => FIRST.includes(f.key));
    const rest = fields.filter((f) => !FIRST.includes(f.key));
    group.append(...rows(important, scene.values, panel.path, send));
    const more = rows(rest, scene.values, panel.path, send);
    if (more.length) group.append(element('details', { 'data-panel': panel.title, open: open.has(panel.title) }, element('summary', {}, 'more'), ...more));
    if (group.children.length > 1) box.append(group);
  }
  // Whoever works with the keyboard stays where they were.
  if (held ?? slider) box.querySelector(held ? `[data-path="${held}"]` : `[data-slider="${slider}"]`)?.focus();
}

/** A slider for each cable and cavity; `drive(name, value)` asks for a value. */
export function showDrives(box, drives, drive) {
  box.replaceChildren(...drives.map((d) => {
    const says = element('output', {}, `${short(d.value)} ${d.unit}`);
    const slider = element('input', { type: 'range', min: d.lo, max: d.hi, step: (d.hi - d.lo) / 200, 'aria-label': `${d.name} ${d.what}`, 'data-drive': d.name });
    slider.value = d.value;
    slider.addEventListener('input', () => {
      slider.says(Number(slider.value));
      drive(d.name, Number(slider.value));
    });
    slider.says = (value) => { says.textContent = `${short(value)} ${d.unit}`; };
    return element('label', { class: 'field', title: 'by hand instead of its key frames; Reset brings those back' }, element('span', {}, `${d.name} ${d.what}`), slider, says);
  }));
}

/** Where the drives are now, {name: value}: the sliders follow, but for one that is held. */
export function updateDrives(box, values) {
  for (const slider of box.querySelectorAll('[data-drive]')) {
    const value = values[slider.dataset.drive];
    if (value === undefined || slider.matches(':active')) continue;
    slider.value = value;
    slider.says(value);
  }
}

export function showGallery(box, scene, open) {
  box.replaceChildren(...scene.gallery.map((entry) =>
    element('button', { 'data-scene': entry.name, onclick: () => open(entry.name) }, entry.name, element('small', {}, entry.about))));
}
