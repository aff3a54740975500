// SPDX-License-Identifier: Apache-2.0
// The live page in a real browser: node page.mjs LIMBER [PICTURES [NAME]], NAME part of a check's name. One Chromium, one page a check. Waits on what the
// page shows, never on time. Exit code 77 where there is no Chromium.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve as absolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromiumPath, launchBrowser, startView } from '../../tools/browser.mjs';

const limber = absolute(process.argv[2]), pictures = process.argv[3], only = process.argv[4] ?? '';
const here = dirname(fileURLToPath(import.meta.url)), scenes = join(here, '../../scenes');
if (!chromiumPath) {
  console.log('skipped: no Chromium here; tools/packages.sh browser installs one');
  process.exit(77);
}

const folder = await mkdtemp(join(tmpdir(), 'limber_page_'));
const patience = 180000;  // ms; for machines that are busy, never reached on a free one

const barText = await readFile(join(here, 'bar.toml'), 'utf8');  // test_live.cpp's too
const bar = (more = '') => barText + more;
async function sceneFile(name, text) {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

const running = new Set();
async function view(...args) {
  const server = await startView(limber, [...args, '--threads', '1'], { cwd: folder });
  running.add(server);
  return server;
}
async function stop(server) {
  running.delete(server);
  await server.stop();
}

const { browser, close: closeBrowser } = await launchBrowser();

const contexts = new Set();  // ours: Chromium's own first one must stay open
/** A page that fails its check on any error, unless `expected` says that some are part of it. */
async function open(address, { expected, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 900, height: 600 }, acceptDownloads: true, ...options });
  contexts.add(context);
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.faults = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !expected?.test(message.text())) page.faults.push(message.text());
  });
  page.on('pageerror', (error) => page.faults.push(String(error)));
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.limber?.state.ready);
  return page;
}
async function close(page) {
  assert.deepEqual(page.faults, []);
  contexts.delete(page.context());
  await page.context().close();
}
const until = (page, condition, argument) => page.waitForFunction(condition, argument);
/** A frame that was made after everything sent so far had been done. */
async function nextFrame(page) {
  const seen = await page.evaluate(() => limber.state.frames);
  await until(page, (n) => limber.state.frames > n + 2, seen);
}
/** How many pixels of the picture are of the body, and how their brightness spreads. */
const pixels = (page) => page.evaluate(() => {
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
const middle = (page, body = 0) => page.evaluate((k) => {
  const p = limber.stage.bodies[k].mesh.geometry.attributes.position.array, c = [0, 0, 0];
  for (let i = 0; i < p.length; ++i) c[i % 3] += p[i] / (p.length / 3);
  return c;
}, body);
/** The pixel where a place of the scene is drawn. */
const onPage = (page, point) => page.evaluate((p) => limber.stage.toPage(p), point);

const checks = {
  async 'shows a lit mesh that moves'() {
    const server = await view(join(scenes, 'sphere_drop.toml'));
    const page = await open(server.address);
    const { share, spread } = await pixels(page);
    assert.ok(share > 0.005, `the ball covers ${share} of the picture`);
    assert.ok(spread > 0.03, `its brightness spreads by ${spread}: lit, not flat`);
    const before = await middle(page);
    await nextFrame(page);
    const after = await middle(page);
    assert.ok(Math.hypot(...after.map((x, k) => x - before[k])) > 1e-3, 'it moves');
    await until(page, () => limber.state.last.contacts > 0);
    await until(page, () => document.querySelectorAll('#plots canvas').length === 4);
    await page.selectOption('#colour', 'von_mises');
    await until(page, () => !document.getElementById('legend').hidden);
    await page.click('#arrows');
    await until(page, () => limber.stage.marks.arrows.visible);
    if (pictures) await page.screenshot({ path: join(pictures, 'ball.png') });
    await close(page);
    await stop(server);
  },

  async 'the mouse pulls, pins and pushes'() {
    const server = await view(await sceneFile('pull.toml', bar()));
    const page = await open(server.address);
    const height = () => page.evaluate(() => {
      const p = limber.stage.bodies[0].mesh.geometry.attributes.position.array;
      let best = [-1, 0];
      for (let i = 0; i < p.length; i += 3) if (p[i] > best[0]) best = [p[i], p[i + 1]];
      return best[1];
    });
    const start = await height();
    const [x, y] = await onPage(page, [0.42, 0, 0.1]);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await until(page, () => limber.state.frame.hand.length === 6);
    await page.mouse.move(x, y - 60, { steps: 5 });
    await page.mouse.move(x, y - 100, { steps: 5 });
    await until(page, (h) => {
      const p = limber.stage.bodies[0].mesh.geometry.attributes.position.array;
      let top = -1;
      for (let i = 0; i < p.length; i += 3) top = Math.max(top, p[i + 1]);
      return top > h + 0.15 && limber.stage.marks.pullLine.visible;
    }, start);
    assert.match(await page.textContent('#force'), /[1-9].* N/);
    if (pictures) await page.screenshot({ path: join(pictures, 'pull.png') });
    await page.mouse.up();
    await until(page, () => limber.state.frame.hand.length === 0);

    await page.click('#tool-pin');
    await page.mouse.click(...await onPage(page, [-0.35, 0, 0.1]));  // beside the held end: the rest still swings
    await until(page, () => limber.state.status.pins.length === 1);
    await page.click('#unpin');
    await until(page, () => limber.state.status.pins.length === 0);

    await until(page, () => {  // back at rest
      const p = limber.stage.bodies[0].mesh.geometry.attributes.position.array;
      return p.every((v, i) => i % 3 !== 1 || Math.abs(v) < 0.15);
    });
    await page.click('#tool-push');
    const [px, py] = await onPage(page, [0.3, 0.0, 0]);
    for (let k = 10; k >= 0; --k) {
      await page.mouse.move(px, py - 14 * k);
      await nextFrame(page);
    }
    await until(page, () => limber.stage.marks.tool.visible && limber.state.last.contacts > 0);
    await page.click('#tool-pull');
    await close(page);
    await stop(server);
  },

  async 'plays, stops, steps and starts again'() {
    const server = await view(await sceneFile('play.toml', bar()));
    const page = await open(server.address);
    await until(page, () => limber.state.frame.step > 3);
    await page.focus('#canvas');
    await page.keyboard.press(' ');
    await until(page, () => limber.state.status.playing === false);
    const seen = await page.evaluate(() => limber.state.frames);
    await page.click('#arrows');  // any command makes a frame, now of the last step
    await until(page, (n) => limber.state.status.contacts && limber.state.frames > n, seen);
    const at = await page.evaluate(() => limber.state.frame.step);
    await page.click('#step');
    await until(page, (n) => limber.state.frame.step === n + 1, at);
    await page.click('#reset');
    await until(page, () => limber.state.frame.step === 0);
    await page.click('#play');
    await page.selectOption('#speed', '0.1');
    await until(page, () => limber.state.status.speed === 0.1 && limber.state.frame.step > 0);
    await close(page);
    await stop(server);
  },

  async 'solver and material change while it runs'() {
    const server = await view(await sceneFile('change.toml', bar()));
    const page = await open(server.address);
    for (const solver of ['warp_canceling', 'stiffness_warping', 'xpbd', 'cholesky', 'corotational']) {
      const step = await page.evaluate(() => limber.state.frame.step);
      await page.selectOption('[data-path="solver.kind"]', solver);
      await until(page, (name) => limber.state.status.solver === name, solver);
      await until(page, (n) => limber.state.frame.step > n, step);
      assert.ok(await page.evaluate((n) => limber.state.frame.step >= n, step), 'the state is kept');
      if (solver === 'xpbd') await until(page, () => /not measured/.test(document.getElementById('numbers').textContent));
    }
    await page.locator('[data-slider="material.soft.young"]').evaluate((slider) => {
      slider.value = 6;
      slider.dispatchEvent(new Event('change'));
    });
    await until(page, () => limber.state.scene.values.material.soft.young === 1e6);
    await page.fill('[data-path="material.soft.young"]', '50 kPa');
    await page.press('[data-path="material.soft.young"]', 'Enter');
    await until(page, () => limber.state.scene.values.material.soft.young === 5e4);
    await page.fill('[data-path="material.soft.young"]', '-3');
    await page.press('[data-path="material.soft.young"]', 'Enter');
    await until(page, () => limber.state.error.includes('allowed: a number > 0'));
    await close(page);
    await stop(server);
  },

  async 'a time budget bounds the solver and shows the error left'() {
    const server = await view(await sceneFile('budget.toml', bar('').replace('[0, 0, 0]', '[0, -9.81, 0]')));
    const page = await open(server.address);
    const slide = (to) => page.locator('#budget').evaluate((slider, value) => {
      slider.value = value;
      slider.dispatchEvent(new Event('input'));
      slider.dispatchEvent(new Event('change'));
    }, to);
    assert.equal(await page.textContent('#budget-text'), 'off');
    await until(page, () => /error left/.test(document.getElementById('budget-left').textContent));
    await slide(0);  // a hundredth of a millisecond: the iteration cannot go on
    await until(page, () => limber.state.scene.values.solver.deadline_ms === 0.01);
    await until(page, () => /stopped by the clock/.test(document.getElementById('budget-left').textContent));
    const error = await page.evaluate(() => limber.state.last.residual);
    assert.ok(error > 1e-3, `the error left is ${error}`);
    assert.equal(await page.textContent('#budget-text'), '0.01 ms a step');
    await slide(100);
    await until(page, () => limber.state.scene.values.solver.deadline_ms === 0);
    await until(page, () => !/stopped/.test(document.getElementById('budget-left').textContent));
    await page.selectOption('[data-path="solver.kind"]', 'warp_canceling');
    await until(page, () => limber.state.status.solver === 'warp_canceling');
    await slide(50);
    await until(page, () => limber.state.scene.values.solver.schedule === 'time' && limber.state.scene.values.solver.budget_ms > 0);
    if (pictures) await page.screenshot({ path: join(pictures, 'budget.png') });
    await page.selectOption('[data-path="solver.kind"]', 'cholesky');
    await until(page, () => document.getElementById('budget').disabled);
    await close(page);
    await stop(server);
  },

  async 'says what is wrong with a scene, and comes back after a lost connection'() {
    const file = await sceneFile('wrong.toml', bar());
    let server = await view(file);
    const page = await open(server.address, { expected: /WebSocket|ERR_CONNECTION/ });
    await writeFile(file, bar().replace('young', 'yuong'));
    await page.click('#reset');
    await until(page, () => limber.state.error.includes("wrong.toml:11") && limber.state.error.includes("did you mean 'young'"));
    await writeFile(file, bar());
    const before = await page.evaluate(() => limber.state.scene.scene);
    await page.click('#reset');
    await until(page, (n) => limber.state.scene.scene > n && limber.state.error === '', before);
    const { port, searchParams } = new URL(server.address);
    await stop(server);
    await until(page, () => limber.state.error.includes('connection is lost'));
    server = await view(file, '--port', port);
    // Another run has another token: the old page must not get in, the new address must.
    assert.notEqual(new URL(server.address).searchParams.get('token'), searchParams.get('token'));
    await page.evaluate((token) => { limber.connection.token = token; }, new URL(server.address).searchParams.get('token'));
    await until(page, () => limber.state.ready && limber.state.error === '');
    await close(page);
    await stop(server);
  },

  async 'takes a mesh that is dropped, and opens a scene of the gallery'() {
    const server = await view(await sceneFile('first.toml', bar()));
    const page = await open(server.address);
    const box = 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n' +
      'f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n';
    await page.evaluate((text) => limber.upload(new File([text], 'box.obj')), box);
    await until(page, () => limber.state.scene.bodies[0].name === 'dropped' && limber.state.ready);
    assert.match(await page.textContent('#banner-text'), /filled with \d+ tets/);
    await page.evaluate(() => limber.upload(new File(['nonsense'], 'bad.obj')));
    await until(page, () => limber.state.error.includes('neither a tet mesh'));
    await page.click('#gallery-box summary');
    await page.click('[data-scene="bar_gravity.toml"]');
    await until(page, () => limber.state.scene.name === 'bar_gravity');
    await close(page);
    await stop(server);
  },

  async 'saves a picture and a video, and works by touch'() {
    const server = await view(await sceneFile('touch.toml', bar()));
    const page = await open(server.address, { hasTouch: true, viewport: { width: 420, height: 800 }, colorScheme: 'dark' });
    const [picture] = await Promise.all([page.waitForEvent('download'), page.click('#shot')]);
    const png = await readFile(await picture.path());
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    await page.click('#video');
    await nextFrame(page);
    const [video] = await Promise.all([page.waitForEvent('download'), page.click('#video')]);
    assert.equal((await readFile(await video.path())).readUInt32BE(0), 0x1a45dfa3);  // EBML, what WebM begins with
    const [x, y] = await onPage(page, [0.42, 0, 0.1]);
    const touch = (type, dx, dy) => page.evaluate(([t, px, py]) => {
      document.getElementById('canvas').dispatchEvent(new PointerEvent(t, { pointerId: 7, pointerType: 'touch', isPrimary: true,
        clientX: px, clientY: py, bubbles: true, cancelable: true }));
    }, [type, x + dx, y + dy]);
    await page.evaluate(() => { document.getElementById('canvas').setPointerCapture = () => {}; });
    await touch('pointerdown', 0, 0);
    await until(page, () => limber.state.frame.hand.length === 6);
    await touch('pointermove', 0, -60);
    await nextFrame(page);
    await touch('pointerup', 0, -60);
    await until(page, () => limber.state.frame.hand.length === 0);
    await page.click('#tool-push');  // without hover: the ball follows the finger
    await touch('pointerdown', 0, -90);
    await until(page, () => limber.stage.marks.tool.visible);
    for (let y = -90; y <= 0; y += 10) {
      await touch('pointermove', 0, y);
      await nextFrame(page);
    }
    await until(page, () => limber.state.last.contacts > 0);
    await touch('pointerup', 0, 0);
    await page.click('#help-open');
    await page.waitForSelector('dialog[open]');
    if (pictures) await page.screenshot({ path: join(pictures, 'touch.png') });
    await close(page);
    await stop(server);
  },

  async 'a cable is drawn, and driven by its slider'() {
    const server = await view(join(scenes, 'soft_finger.toml'));
    const page = await open(server.address);
    await until(page, () => limber.stage.marks.cables.visible && limber.state.frame.cables.length === 30);
    await page.click('#reset');
    const pull = (value) => page.locator('[data-drive="tendon"]').evaluate((slider, to) => {
      slider.value = to;
      slider.dispatchEvent(new Event('input'));
    }, value);
    await pull(0.02);  // more than the key frames ever do
    await until(page, () => limber.state.readings['tendon length'] < 0.0975 && limber.state.readings['tendon force'] > 0);
    if (pictures) await page.screenshot({ path: join(pictures, 'cable.png') });
    await pull(0);
    await until(page, () => limber.state.readings['tendon length'] > 0.114);
    await close(page);
    await stop(server);
  },

  async 'plays back a run, and two side by side'() {
    const scene = await sceneFile('run.toml', bar('[output]\nevery = 2\n').replace('[0, 0, 0]', '[0, -9.81, 0]'));
    for (const [name, young] of [['a', '1e5'], ['b', '2e5']]) {
      const child = spawn(limber, ['run', scene, '-o', join(folder, name), '--steps', '40', '--set', `material.soft.young=${young}`], { stdio: 'ignore' });
      assert.equal(await new Promise((resolve) => child.on('exit', resolve)), 0);
    }
    const one = await view(join(folder, 'a'));
    const page = await open(one.address);
    await until(page, () => limber.state.frame.step === 40 && !limber.state.status.playing);
    await page.evaluate(() => limber.send({ do: 'seek', value: 5 }));
    await until(page, () => limber.state.frame.step === 10 && document.getElementById('time').value === '5');
    await page.keyboard.press('ArrowRight');
    await until(page, () => limber.state.frame.step === 12);
    await close(page);
    await stop(one);

    const two = await view(join(folder, 'a'), join(folder, 'b'));
    const both = await open(two.address);
    await until(both, () => limber.state.frame.step === 40 && limber.stage.sides === 2);
    assert.ok(await both.evaluate(() => limber.state.frame.hi > 1e-3 && !document.getElementById('legend').hidden), 'the difference is coloured');
    const [left, right] = [await middle(both, 0), await middle(both, 1)];
    assert.ok(left[1] < right[1], 'the softer bar hangs lower');
    if (pictures) await both.screenshot({ path: join(pictures, 'two.png') });
    await close(both);
    await stop(two);
  },
};

/** A check that ran out of time is tried once more: drawing in software on a busy machine may take minutes to start. */
async function tried(name, check) {
  for (let attempt = 1; ; ++attempt) {
    const began = Date.now();
    try {
      await check();
      console.log(`ok      ${name} (${Date.now() - began} ms)`);
      return 'ok';
    } catch (error) {
      const late = error.name === 'TimeoutError';
      for (const server of running) server.kill();
      running.clear();
      for (const context of contexts) await context.close();
      contexts.clear();
      if (late && attempt === 1) {
        await rm(folder, { recursive: true, force: true });
        await mkdir(folder);
        console.log(`again   ${name}: ${error.message.split('\n')[0]}`);
        continue;
      }
      console.log(`FAILED  ${name}\n${error.stack ?? error}`);
      return late ? 'late' : 'wrong';
    }
  }
}

const results = [];
try {
  for (const [name, check] of Object.entries(checks))
    if (name.includes(only)) results.push(await tried(name, check));
} finally {
  for (const server of running) server.kill();
  await closeBrowser();
  await rm(folder, { recursive: true, force: true });
}
if (results.every((result) => result === 'late')) {
  console.log('skipped: the browser of this machine gets no page to run in time');
  process.exit(77);
}
process.exit(results.every((result) => result === 'ok') ? 0 : 1);
