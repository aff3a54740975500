// SPDX-License-Identifier: Apache-2.0
// What the checks of the live page have in common: one Chromium, one page for each check.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve as absolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser, startView } from '../../../tools/browser.mjs';

const program = absolute(process.argv[2]);
export const pictures = process.argv[3];
const here = dirname(fileURLToPath(import.meta.url));
export const scenes = join(here, '../../../scenes');

export const folder = await mkdtemp(join(tmpdir(), 'limber_page_'));
const patience = Number(process.env.LIMBER_PAGE_PATIENCE_MS ?? 180000);  // for machines that are busy, never reached on a free one

const barText = await readFile(join(here, '../bar.toml'), 'utf8');  // test_live.cpp's too
export const bar = (more = '') => barText + more;
export async function sceneFile(name, text) {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

const running = new Set();
export async function view(...args) {
  const server = await startView(program, [...args, '--threads', '1'], { cwd: folder });
  running.add(server);
  return server;
}
/** Returns its exit code. */
export async function stop(server) {
  running.delete(server);
  return server.stop();
}

/** limber run ARGS, which must end well. */
export async function run(...args) {
  const child = spawn(program, ['run', ...args], { cwd: folder, stdio: 'ignore' });
  assert.equal(await new Promise((resolve) => { child.on('exit', resolve); }), 0);
}

const { browser, close: closeBrowser } = await launchBrowser();
export { closeBrowser };

const contexts = new Set();  // ours: Chromium's own first one must stay open
/** A page that fails its check on any error, unless `expected` says that some are part of it. `init` runs in it before all else, and then nothing is waited for. */
export async function open(address, { expected, init, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 900, height: 600 }, acceptDownloads: true, ...options });
  contexts.add(context);
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.faults = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !expected?.test(message.text())) page.faults.push(message.text());
  });
  page.on('pageerror', (error) => page.faults.push(String(error)));
  if (init) await page.addInitScript(init);
  await page.goto(address, { waitUntil: 'commit' });
  if (!init) await page.waitForFunction(() => window.limber?.state.ready);
  return page;
}
export async function close(page) {
  assert.deepEqual(page.faults, []);
  contexts.delete(page.context());
  await page.context().close();
}
export const until = (page, condition, argument) => page.waitForFunction(condition, argument);
/** A frame that was made after everything sent so far had been done. */
export async function nextFrame(page) {
  const seen = await page.evaluate(() => limber.state.frames);
  await until(page, (n) => limber.state.frames > n + 2, seen);
}
/** How many pixels of the picture are of the body, and how their brightness spreads. */
export const pixels = (page) => page.evaluate(() => {
  const { stage } = limber, gl = stage.renderer.getContext();
  stage.dirty = true;
  stage.draw();
  const w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, data = new Uint8Array(4 * w * h);
  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, data);
  let n = 0, sum = 0, squares = 0;
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
    if (b - r < 40) continue;  // the first body is blue, ground and sky are grey
    const light = (r + g + b) / 765;
    n += 1;
    sum += light;
    squares += light * light;
  }
  return { share: n / (w * h), spread: n ? Math.sqrt(Math.max(squares / n - (sum / n) ** 2, 0)) : 0 };
});
export const middle = (page, body = 0) => page.evaluate((k) => {
  const p = limber.stage.bodies[k].mesh.geometry.attributes.position.array, c = [0, 0, 0];
  for (let i = 0; i < p.length; ++i) c[i % 3] += p[i] / (p.length / 3);
  return c;
}, body);
/** The pixel where a place of the scene is drawn. */
export const onPage = (page, point) => page.evaluate((p) => limber.stage.toPage(p), point);
/** Ends whatever a check has left behind, and begins with an empty folder. */
export async function clean() {
  for (const server of running) server.kill();
  running.clear();
  for (const context of contexts) await context.close();
  contexts.clear();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
}
/** Every button and field that can be seen and is covered by something else: their names. */
export const covered = (page) => page.evaluate(() => [...document.querySelectorAll('button, select, input, summary')].filter((e) => {
  const { x, y, width, height } = e.getBoundingClientRect(), cx = x + width / 2, cy = y + height / 2;
  if (!width || !height || cx < 0 || cy < 0 || cx > innerWidth || cy > innerHeight || e.closest('dialog, #side, #banner')) return false;
  const top = document.elementFromPoint(cx, cy);
  return top !== e && !e.contains(top);
}).map((e) => e.id));
