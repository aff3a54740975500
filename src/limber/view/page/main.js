// SPDX-License-Identifier: Apache-2.0
// The page: messages in, commands out.
import './page.css';
import { Connection } from './connection.js';
import { Stage } from './stage.js';
import { Plots } from './plots.js';
import { Budget } from './budget.js';
import { Quality, drawsInSoftware } from './quality.js';
import { Hand } from './hand.js';
import { element, showDrives, showGallery, showPanels, updateDrives } from './panels.js';
import { scaleCss, short } from './colour.js';

const $ = (id) => document.getElementById(id);
const canvas = $('canvas');
const asked = new URLSearchParams(location.search);
const best = asked.get('quality') === 'best';  // for pictures
const stage = new Stage(canvas, best || !drawsInSoftware());
const quality = new Quality(stage, best);
const plots = new Plots($('plots'));
const budget = new Budget($('budget-box'), (path, to) => send({ do: 'set', path, to }));
const state = { scene: null, status: {}, geometry: 0, frame: null, waiting: null, frames: 0, last: {}, readings: {}, ready: false, error: '' };

// ---- what the page says

function banner(text, bad = false) {
  state.error = bad ? text : '';
  $('banner').hidden = !text;
  $('banner').classList.toggle('bad', bad);
  $('banner-text').textContent = text;
}
$('banner-close').onclick = () => banner('');

function showNumbers() {
  const now = state.last, scene = state.scene;
  if (!scene) return;
  const rows = [['step', `${state.frame?.step ?? 0}`], ['time', `${(state.frame?.time ?? 0).toFixed(3)} s`]];
  if (now.wall_ms !== undefined) {
    rows.push(['a step takes', `${short(now.wall_ms)} ms of ${short(1000 * scene.step)} ms`]);
    rows.push(['iterations', `${now.iterations}`], ['error left', now.residual === null ? 'not measured by this solver' : `${short(now.residual)} |r|/|b|${now.flags & 4 ? ', stopped by the budget' : ''}`]);
    rows.push(['contacts', `${now.contacts}, deepest ${short(now.max_penetration)} m`]);
    if (now.constraints > 0) rows.push(['constraints', `${now.constraints} rows, ${now.contact_iterations} iterations, ${short(now.contact_residual)} left`]);
    if (stage.marks.arrows.visible) rows.push(['longest arrow', `${short(stage.marks.arrows.longest)} N`]);
    if (now.substeps > 1) rows.push(['sub-steps', `${now.substeps}`]);
  }
  const nodes = scene.bodies.reduce((n, b) => n + b.nodes, 0), tets = scene.bodies.reduce((n, b) => n + b.tets, 0);
  if (nodes) rows.push(['size', `${nodes} nodes, ${tets} tets`]);
  if (state.status.solver) rows.push(['solver', state.status.solver]);
  if (quality.level > 0) rows.push(['picture', 'simpler: this machine draws slowly']);
  for (const [name, value] of Object.entries(state.readings).slice(0, 8)) rows.push([name, short(value)]);
  if (state.status.recording) rows.push(['recording to', state.status.recording]);
  if (state.status.command) rows.push(['the same run', state.status.command]);
  $('numbers').replaceChildren(...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
}

function showLegend(frame) {
  const field = state.scene.fields.find((f) => f.name === state.status.colour);
  const shown = Boolean(field && frame.values.length && !field.categories);
  $('legend').hidden = !shown;
  if (!shown) return;
  $('legend-title').textContent = field.title + (field.unit ? ` [${field.unit}]` : '');
  const beyond = frame.values.some((v) => v > 1.001 * frame.hi);
  $('legend-hi').textContent = (beyond ? 'from ' : '') + short(frame.hi);
  $('legend-lo').textContent = short(frame.lo);
}
const bar = $('legend-bar').getContext('2d');
for (let y = 0; y < 100; ++y) {
  bar.fillStyle = scaleCss(1 - y / 99);
  bar.fillRect(0, y, 16, 1);
}

// ---- messages

const handlers = {
  scene(message) {
    const other = !state.scene || state.scene.name !== message.name || state.scene.mode !== message.mode;
    state.scene = message;
    document.body.className = message.mode;
    document.title = `${message.name} - limber`;
    $('name').textContent = message.name;
    stage.setScene(message);
    if (other) { stage.radius = 0; plots.clear(message.step); state.last = {}; }
    plots.realTimeMs = 1000 * message.step;
    $('colour').replaceChildren(element('option', { value: '' }, 'body'), ...message.fields.map((f) => element('option', { value: f.name }, f.title)));
    $('colour').value = state.status.colour ?? '';
    showPanels($('panels'), message, (path, to) => send({ do: 'set', path, to }));
    budget.setScene(message);
    $('drives-box').hidden = !message.drives?.length;
    showDrives($('drives'), message.drives ?? [], (name, value) => hand.throttled({ do: 'drive', name, value }));
    showGallery($('gallery'), message, (name) => send({ do: 'open', name }));
    $('timeline').hidden = message.mode !== 'replay';
    $('time').max = Math.max(message.frame_times.length - 1, 0);
    $('sides').hidden = message.runs.length < 2;
    [$('side-a').textContent, $('side-b').textContent] = [message.runs[0] ?? '', message.runs[1] ?? ''];
    banner(message.warnings[0] ?? '');
    layout();
  },
  status(message) {
    const reset = message.failure !== state.status.failure;
    state.status = message;
    $('play').textContent = message.playing ? 'Pause' : 'Play';
    $('speed').value = String(message.speed);
    $('colour').value = message.colour;
    $('arrows').setAttribute('aria-pressed', String(message.contacts));
    $('record').setAttribute('aria-pressed', String(Boolean(message.recording)));
    $('record').textContent = message.recording ? 'Stop recording' : 'Record run';
    stage.setPins(message.pins ?? []);
    if (message.failure) banner(`The simulation failed at ${message.failure}. Reset starts it again.`, true);
    else if (reset) banner('');
    showNumbers();
  },
  notice(message) { banner(message.error ?? message.text, Boolean(message.error)); },
  stats(message) {
    plots.add(message);
    budget.setStats(message);
    const row = message.rows[message.rows.length - 1];
    state.last = Object.fromEntries(message.columns.map((name, k) => [name, row[k]]));
    state.readings = message.readings ?? {};
    updateDrives($('drives'), message.drives ?? {});
    showNumbers();
  },
  history(message) {
    plots.clear(state.scene.step);
    plots.add(message, true);
  },
};

const connection = new Connection({
  open() { banner(''); },
  lost(reason) { state.ready = false; banner(`The connection is lost${reason ? ` (${reason})` : ''}; trying again.`, true); },
  text(message) { handlers[message.type]?.(message); },
  binary(message) {
    if (message.kind === 'geometry' && message.scene === state.scene?.scene) {
      stage.setGeometry(message);
      state.geometry = message.scene;
    }
    if (message.kind === 'frame') {
      if (state.waiting) connection.acknowledge(state.waiting.number);
      state.waiting = message;  // shown in the next animation frame: only the newest is
    }
  },
});
const send = (command) => connection.send(command);
const hand = new Hand(canvas, stage, $('force'), send, () => state.scene?.mode === 'live');
hand.onmode = (mode) => { for (const name of ['pull', 'pin', 'push']) $(`tool-${name}`).setAttribute('aria-pressed', String(name === mode)); };

function animate() {
  const frame = state.waiting;
  if (frame) {
    state.waiting = null;
    if (frame.scene === state.geometry && frame.scene === state.scene.scene) showFrame(frame);
    connection.acknowledge(frame.number);
  }
  quality.tick(stage.draw());
  plots.draw();
  requestAnimationFrame(animate);
}
requestAnimationFrame(animate);

function showFrame(frame) {
  state.frame = frame;
  const field = state.scene.fields.find((f) => f.name === state.status.colour);
  stage.setFrame(frame, field);
  showLegend(frame);
  hand.show(frame);
  if (state.scene.mode === 'replay') {
    if (document.activeElement !== $('time') || state.status.playing) $('time').value = nearestFrame(frame.time);
    $('time-text').textContent = `step ${frame.step}, ${frame.time.toFixed(3)} s`;
  }
  state.frames += 1;
  state.ready = true;
  if (state.frames % 6 === 1 || !state.status.playing) showNumbers();
}
const nearestFrame = (time) => {
  const times = state.scene.frame_times;
  let best = 0;
  times.forEach((t, k) => { if (Math.abs(t - time) < Math.abs(times[best] - time)) best = k; });
  return best;
};

// ---- buttons and keys

const toggled = (id) => {
  const on = $(id).getAttribute('aria-pressed') !== 'true';
  $(id).setAttribute('aria-pressed', String(on));
  return on;
};
const togglePlay = () => send({ do: state.status.playing ? 'pause' : 'play' });
const actions = {
  play: togglePlay,
  step: () => send({ do: 'step' }),
  reset: () => { send({ do: 'reset' }); plots.clear(state.scene.step); },
  'tool-pull': () => hand.setMode('pull'),
  'tool-pin': () => hand.setMode('pin'),
  'tool-push': () => hand.setMode('push'),
  unpin: () => send({ do: 'unpin' }),
  wire: () => stage.setWire(toggled('wire')),
  arrows: () => send({ do: 'contacts', on: !state.status.contacts }),
  frame: () => stage.frameAll(),
  record: () => send({ do: 'record', on: !state.status.recording }),
  'plots-toggle': () => { $('plots').classList.toggle('closed', !toggled('plots-toggle')); layout(); },
  follow: () => { stage.follow = toggled('follow'); },
  'side-toggle': () => { $('side').classList.toggle('closed', !toggled('side-toggle')); layout(); },
  'help-open': () => $('help').showModal(),
  shot: () => canvas.toBlob((blob) => save(blob, `${state.scene.name}.png`)),
  video: toggleVideo,
};
for (const [id, action] of Object.entries(actions)) $(id).onclick = action;
$('speed').onchange = () => send({ do: 'speed', value: Number($('speed').value) });
$('colour').onchange = () => send({ do: 'colour', name: $('colour').value });
$('cut-axis').onchange = $('cut').oninput = () => {
  $('cut').hidden = !$('cut-axis').value;
  stage.setCut($('cut-axis').value, Number($('cut').value));
};
$('time').oninput = () => hand.throttled({ do: 'seek', value: Number($('time').value) });
$('time').onchange = () => send({ do: 'seek', value: Number($('time').value) });

const keys = { ' ': 'play', '.': 'step', r: 'reset', f: 'frame', w: 'wire', c: 'arrows', p: 'side-toggle', o: 'plots-toggle', g: 'follow', '?': 'help-open', h: 'help-open',
  1: 'tool-pull', 2: 'tool-pin', 3: 'tool-push' };
addEventListener('keydown', (event) => {
  if (event.target.matches('input, select, button') || event.ctrlKey || event.metaKey || event.altKey || $('help').open) return;
  if (state.scene?.mode === 'replay' && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
    const at = Number($('time').value) + (event.key === 'ArrowLeft' ? -1 : 1);
    send({ do: 'seek', value: Math.min(Math.max(at, 0), Number($('time').max)) });
  } else if (event.key === '[' || event.key === ']') {
    hand.resizeBall(event.key === '[' ? 1 / 1.2 : 1.2);
  } else if (keys[event.key]) {
    event.preventDefault();
    $(keys[event.key]).click();
  }
});

function save(blob, name) {
  const link = element('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
let recorder = null;
function toggleVideo() {
  if (recorder) { recorder.stop(); return; }
  if (!window.MediaRecorder || !canvas.captureStream) { banner('This browser cannot record a video.', true); return; }
  const parts = [], type = ['video/webm;codecs=vp9', 'video/webm'].find((t) => MediaRecorder.isTypeSupported(t));
  recorder = new MediaRecorder(canvas.captureStream(30), type ? { mimeType: type } : {});
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => {
    recorder = null;
    toggled('video');
    state.video = new Blob(parts, { type: 'video/webm' });
    save(state.video, `${state.scene.name}.webm`);
  };
  recorder.start();
  toggled('video');
}

// ---- files dropped onto the page

let dragging = 0;
addEventListener('dragenter', () => { $('drop').hidden = ++dragging === 0 || !state.scene?.uploads; });
addEventListener('dragleave', () => { $('drop').hidden = --dragging <= 0; });
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', async (event) => {
  event.preventDefault();
  dragging = 0;
  $('drop').hidden = true;
  const [file] = event.dataTransfer.files;
  if (file) await upload(file);
});
async function upload(file) {
  banner(`${file.name} is on its way`);
  try { await connection.upload(file); } catch (error) { banner(String(error.message ?? error), true); }
}

/** The picture takes the room that bars and panels leave. */
function layout() {
  const narrow = innerWidth <= 760, side = $('side'), open = !side.classList.contains('closed');
  const top = $('bar').offsetHeight;
  side.style.top = narrow ? '' : `${top}px`;
  if (narrow) $('plots').classList.add('closed');
  $('plots').style.right = open && !narrow ? `${side.offsetWidth}px` : '0';
  plots.resize(innerWidth - (open && !narrow ? side.offsetWidth : 0));
  const below = $('timeline').hidden ? 0 : $('timeline').offsetHeight, bottom = below + $('plots').offsetHeight;
  $('plots').style.bottom = side.style.bottom = `${below}px`;
  stage.inset = { top, right: open && !narrow ? side.offsetWidth : 0, bottom: bottom + (open && narrow ? side.offsetHeight : 0) };
  $('legend').style.bottom = `${stage.inset.bottom + 12}px`;
  $('side-b').style.left = `${(innerWidth - stage.inset.right) / 2 + 10}px`;
  for (const id of ['side-a', 'side-b']) $(id).style.top = `${top + 8}px`;
  stage.dirty = true;
}
addEventListener('resize', layout);
layout();

// Counts that a program can read from outside without slowing the page down (tools/page_rate.mjs).
if (asked.has('measure'))
  setInterval(() => {
    document.title = ['counts', state.frames, state.frame?.step ?? 0, performance.now(), (state.frame?.positions.length ?? 0) / 3, quality.level].join(' ');
  }, 100);

// For tests, and for whoever wants to try things in the console.
window.limber = { state, stage, quality, hand, connection, send, upload };
