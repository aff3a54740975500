// SPDX-License-Identifier: Apache-2.0
// What is drawn, and who starts it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bar, close, middle, nextFrame, onPage, open, pictures, pixels, sceneFile, scenes, stop, until, view } from './kit.mjs';

export default {
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

  async 'saves a picture and a video, and works by touch'() {
    const server = await view(await sceneFile('touch.toml', bar()));
    const page = await open(server.address, { hasTouch: true, viewport: { width: 420, height: 800 }, colorScheme: 'dark' });
    await page.click('#more');  // the rest of the bar
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
    assert.ok(!await page.isVisible('#tool-push'), 'a touch of the picture has closed the rest of the bar');
    await page.click('#more');
    await page.click('#tool-push');  // without hover: the ball follows the finger
    await touch('pointerdown', 0, -90);
    await until(page, () => limber.stage.marks.tool.visible);
    for (let y = -90; y <= 0; y += 10) {
      await touch('pointermove', 0, y);
      await nextFrame(page);
    }
    await until(page, () => limber.state.last.contacts > 0);
    await touch('pointerup', 0, 0);
    await page.click('#more');
    await page.click('#help-open');
    await page.waitForSelector('dialog[open]');
    if (pictures) await page.screenshot({ path: join(pictures, 'touch.png') });
    await close(page);
    await stop(server);
  },

  async 'the simulation starts with the first picture, not before'() {
    const server = await view(await sceneFile('start.toml', bar()));
    const page = await open(server.address, { init: () => {  // a page that is slow to draw
      const real = window.requestAnimationFrame.bind(window), held = [];
      window.requestAnimationFrame = (f) => held.push(f);
      window.go = () => { window.requestAnimationFrame = real; held.forEach((f) => real(f)); };
    } });
    // Playwright looks once in an animation frame, unless told otherwise.
    const waits = (condition) => page.waitForFunction(condition, null, { polling: 50 });
    await waits(() => window.limber?.state.waiting);
    await page.reload();  // that went without having seen anything
    await waits(() => window.limber?.state.waiting);
    assert.equal(await page.evaluate(() => { const { step } = limber.state.waiting; window.go(); return step; }), 0);
    await waits(() => limber.state.frame?.step > 3);
    await close(page);
    await stop(server);
  },

  async 'the range of the colours can be held'() {
    const server = await view(await sceneFile('range.toml', bar().replace('[0, 0, 0]', '[0, -0.2, 0]')));
    const page = await open(server.address);
    await page.selectOption('#colour', 'displacement');
    await until(page, () => limber.state.frame.hi > 0 && !document.getElementById('legend').hidden);
    await page.click('#legend-hold');
    const held = await page.inputValue('#legend-hi');
    await page.evaluate(() => limber.send({ do: 'set', path: 'gravity', to: [0, -0.8, 0] }));  // it goes beyond what it was, wherever that was
    await until(page, () => limber.state.frame.hi > 1.2 * limber.legend.held.hi);
    assert.equal(await page.inputValue('#legend-hi'), held, 'it stays where it was');
    assert.equal(await page.textContent('#legend-beyond'), 'or more');
    await page.fill('#legend-hi', '1e-9');
    await page.press('#legend-hi', 'Enter');
    await until(page, () => {  // nearly everything is beyond: the last colour of the scale
      const { array } = limber.stage.bodies[0].mesh.geometry.attributes.color;
      let n = 0;
      for (let i = 0; i < array.length; i += 3) n += array[i] > 0.9;
      return n > 0.8 * (array.length / 3);
    });
    if (pictures) await page.screenshot({ path: join(pictures, 'range.png') });
    await page.fill('#legend-hi', 'nonsense');
    await page.press('#legend-hi', 'Enter');
    await until(page, () => limber.legend.held.hi === 1e-9);
    await page.click('#legend-hold');
    await until(page, () => limber.legend.held === null && limber.legend.shown.hi === limber.state.frame.hi);
    await page.click('#legend-hold');
    await page.selectOption('#colour', 'speed');  // the range of other values
    await until(page, () => limber.legend.held === null && document.getElementById('legend-hold').getAttribute('aria-pressed') === 'false');
    await close(page);
    await stop(server);
  },
};
