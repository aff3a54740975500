// SPDX-License-Identifier: Apache-2.0
// The page: messages in, commands out.
import './page.css';
import { Connection } from './connection.js';
import { Stage } from './stage.js';
import { Plots } from './plots.js';
import { Budget } from './budget.js';
import { Quality, drawsInSoftware } from './quality.js';
import { Hand } from './hand.js';
import { Legend } from './legend.js';
import { listenToKeys } from './keys.js';
import { element, showDrives, showGallery, showPanels, updateDrives } from './panels.js';
import { short } from './colour.js';
import { Verdict } from './verdict.js';

const $ = (id) => document.getElementById(id);
const canvas = $('canvas');
const asked = new URLSearchParams(location.search);
const best = asked.get('quality') === 'best';  // for pictures
const stage = new Stage(canvas, best || !drawsInSoftware());
const quality = new Quality(stage, best);
const plots = new Plots($('plots'));
const budget = new Budget($('budget-box'), (path, to) => send({ do: 'set', path, to }));
const legend = new Legend($('legend'), () => repaint());
const verdict = new Verdict($('verdict'), $('verdict-box'), () => layout());
const state = { scene: null, status: {}, geometry: 0, frame: null, waiting: null, frames: 0, last: {}, readings: {}, ready: false, error: '' };

// ---- what the page says

function banner(text, bad = false) {
  state.error = bad ? text : '';
  $('banner').hidden = !text;
  $('banner').classList.toggle('bad', bad);
  $('banner-text').textContent = text;
}
$('banner-close').onclick = () => banner('');
$('banner-cancel').onclick = () => send({ do: 'cancel' });

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
  if (scene.mode === 'program') rows.push(['stepped by', 'a program, which the page does not stop']);
  if (scene.mode === 'live') rows.push([state.status.by_hand ? 'the same run, but for what was done by hand' : 'the same run',
    state.status.command || 'not for a dropped file; Record run keeps it']);
  $('numbers').replaceChildren(...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
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
    showSettings();
    $('drives-box').hidden = !message.drives?.length;
    showDrives($('drives'), message.drives ?? [], (name, value) => hand.throttled({ do: 'drive', name, value }));
    showGallery($('gallery'), message, (name) => send({ do: 'open', name }));
    $('timeline').hidden = message.mode !== 'replay';
    $('time').max = Math.max(message.frame_times.length - 1, 0);
    $('sides').hidden = message.runs.length < 2;
    [$('side-a').textContent, $('side-b').textContent] = [message.runs[0] ?? '', message.runs[1] ?? ''];
    const warnings = message.warnings.join('\n');
    banner(other || warnings !== state.warnings ? warnings : '');  // an old one was read
    state.warnings = warnings;
    layout();
  },
  status(message) {
    const reset = message.failure !== state.status.failure, wasBusy = state.status.busy;
    state.status = message;
    showStatus();
    stage.setPins(message.pins ?? []);
    $('banner-cancel').hidden = !message.busy;
    if (message.failure) banner(state.scene?.mode === 'program' ? `The last step failed: ${message.failure}` : `The simulation stopped: ${message.failure}. Reset starts it again.`, true);
    else if (message.busy) banner(`The dropped file: ${message.busy}`);
    else if (reset || wasBusy) banner('');
    showNumbers();
  },
  notice(message) {
    banner(message.error ?? message.text, Boolean(message.error));
    if (message.error && message.do) showTruth();
  },
  stats(message) {
    plots.add(message);
    budget.setStats(message);
    const row = message.rows[message.rows.length - 1];
    state.last = Object.fromEntries(message.columns.map((name, k) => [name, row[k]]));
    state.readings = message.readings ?? {};
    state.drives = message.drives ?? {};
    updateDrives($('drives'), state.drives);
    showNumbers();
  },
  verdict(message) {
    verdict.set(message, state.scene?.runs ?? []);
  },
  history(message) {
    plots.clear(state.scene.step);
    plots.add(message, true);
  },
};

/** Controls as the last status has them. */
function showStatus() {
  const { playing, speed, colour, contacts, recording } = state.status;
  $('play').textContent = playing ? 'Pause' : 'Play';
  $('speed').value = String(speed);
  $('colour').value = colour;
  $('arrows').setAttribute('aria-pressed', String(contacts));
  $('record').setAttribute('aria-pressed', String(Boolean(recording)));
  $('record').textContent = recording ? 'Stop recording' : 'Record run';
}
function showSettings() {
  showPanels($('panels'), state.scene, (path, to) => send({ do: 'set', path, to }));
  budget.setScene(state.scene);
}
/** What was refused is not shown any longer: every control says what holds. */
function showTruth() {
  showSettings();
  showStatus();
  updateDrives($('drives'), state.drives ?? {});
  if (state.scene.mode === 'replay' && state.frame) $('time').value = nearestFrame(state.frame.time);
}

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
const hand = new Hand(canvas, stage, $('force'), send, () => ['live', 'program'].includes(state.scene?.mode));
hand.onmode = (mode) => { for (const name of ['pull', 'pin', 'push']) $(`tool-${name}`).setAttribute('aria-pressed', String(name === mode)); };

function animate() {
  const frame = state.waiting;
  state.waiting = null;
  if (frame && frame.scene === state.geometry && frame.scene === state.scene.scene) showFrame(frame);
  quality.tick(stage.draw());
  if (frame) connection.acknowledge(frame.number);  // it has been seen: the first starts the simulation
  plots.draw();
  requestAnimationFrame(animate);
}
requestAnimationFrame(animate);

/** The newest frame in the colours of its field, in the range that holds. */
function repaint() {
  const { frame } = state;
  if (!frame) return;
  const field = state.scene.fields.find((f) => f.name === state.status.colour), range = legend.range(frame, field);
  stage.setFrame(frame, field, range);
  legend.setFrame(frame, range);
}
function showFrame(frame) {
  state.frame = frame;
  repaint();
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
  verdict: toggleVerdict,
  more: () => openMenu(!$('bar').classList.contains('open')),
  'help-open': () => { openMenu(false); $('help').showModal(); },
  shot: () => canvas.toBlob((blob) => save(blob, `${state.scene.name}.png`)),
  video: toggleVideo,
};
for (const [id, action] of Object.entries(actions)) $(id).onclick = action;
addEventListener('pointerdown', (event) => { if (!event.target.closest?.('#bar')) openMenu(false); }, { capture: true });
/** The lines of the verdict; the panel is closed again where they are seen already. */
function toggleVerdict() {
  const side = $('side'), box = $('verdict-box'), open = !side.classList.contains('closed');
  if (open && box.open && side.scrollTop < 20) return $('side-toggle').click();
  if (!open) $('side-toggle').click();
  box.open = true;
  side.scrollTop = 0;
}
/** The rest of the bar on a small screen. */
function openMenu(open) {
  $('bar').classList.toggle('open', open);
  $('more').setAttribute('aria-expanded', String(open));
}
$('speed').onchange = () => send({ do: 'speed', value: Number($('speed').value) });
$('colour').onchange = () => send({ do: 'colour', name: $('colour').value });
$('cut-axis').onchange = $('cut').oninput = () => {
  $('cut').hidden = !$('cut-axis').value;
  stage.setCut($('cut-axis').value, Number($('cut').value));
};
$('time').oninput = () => hand.throttled({ do: 'seek', value: Number($('time').value) });
$('time').onchange = () => send({ do: 'seek', value: Number($('time').value) });

const keys = { ' ': 'play', '.': 'step', r: 'reset', f: 'frame', w: 'wire', c: 'arrows', p: 'side-toggle', o: 'plots-toggle', g: 'follow', l: 'legend-hold', '?': 'help-open', h: 'help-open',
  1: 'tool-pull', 2: 'tool-pin', 3: 'tool-push' };
listenToKeys(canvas, (key) => {
  if ($('help').open) return false;
  if (state.scene?.mode === 'replay' && (key === 'ArrowLeft' || key === 'ArrowRight')) {
    const at = Number($('time').value) + (key === 'ArrowLeft' ? -1 : 1);
    send({ do: 'seek', value: Math.min(Math.max(at, 0), Number($('time').max)) });
  } else if (key === '[' || key === ']') {
    hand.resizeBall(key === '[' ? 1 / 1.2 : 1.2);
  } else if (key === 'Escape') {
    openMenu(false);
  } else if (keys[key]) {
    $(keys[key]).click();
  } else return false;
  return true;
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

const close = (id) => { $(id).classList.add('closed'); $(`${id}-toggle`).setAttribute('aria-pressed', 'false'); };
/** The picture takes the room that bars and panels leave. */
function layout() {
  const narrow = innerWidth <= 760, side = $('side');
  if (narrow) close('plots');
  const open = !side.classList.contains('closed');
  const top = $('bar').offsetHeight;
  side.style.top = narrow ? '' : `${top}px`;
  $('plots').style.right = open && !narrow ? `${side.offsetWidth}px` : '0';
  plots.resize(innerWidth - (open && !narrow ? side.offsetWidth : 0));
  const below = $('timeline').hidden ? 0 : $('timeline').offsetHeight, bottom = below + $('plots').offsetHeight;
  $('plots').style.bottom = side.style.bottom = `${below}px`;
  stage.inset = { top, right: open && !narrow ? side.offsetWidth : 0, bottom: bottom + (open && narrow ? side.offsetHeight : 0) };
  $('legend').style.bottom = `${stage.inset.bottom + 12}px`;
  $('side-b').style.left = `${(innerWidth - stage.inset.right) / 2 + 10}px`;
  const room = innerWidth - stage.inset.right;
  Object.assign($('banner').style, { top: `${top + 10}px`, left: `${room / 2}px`, maxWidth: `${Math.min(760, room - 20)}px` });
  for (const id of ['side-a', 'side-b']) $(id).style.top = `${top + 8}px`;
  stage.dirty = true;
  state.laidOut = `${innerWidth} ${innerHeight}`;
}
addEventListener('resize', layout);
if (matchMedia('(max-width: 760px), (max-height: 480px)').matches) { close('side'); close('plots'); }  // a small screen is for the picture first
layout();

// Counts that a program can read from outside without slowing the page down (tools/page_rate.mjs).
if (asked.has('measure'))
  setInterval(() => {
    document.title = ['counts', state.frames, state.frame?.step ?? 0, performance.now(), (state.frame?.positions.length ?? 0) / 3, quality.level].join(' ');
  }, 100);

// For tests, and for whoever wants to try things in the console.
window.limber = { state, stage, quality, hand, legend, handlers, connection, send, upload };
