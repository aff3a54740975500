// SPDX-License-Identifier: Apache-2.0
// What mouse, fingers and keys do.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { bar, close, nextFrame, onPage, open, pictures, sceneFile, scenes, stop, until, view } from './kit.mjs';

export default {
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

  async 'a cable is drawn, and driven by its slider'() {
    const server = await view(join(scenes, 'soft_finger.toml'));
    const page = await open(server.address);
    await until(page, () => limber.stage.marks.cables.visible && limber.state.frame.cables.length === 30);
    await page.click('#reset');
    await until(page, () => limber.state.status.by_hand === false);
    const pull = (value) => page.locator('[data-drive="tendon"]').evaluate((slider, to) => {
      slider.value = to;
      slider.dispatchEvent(new Event('input'));
    }, value);
    await pull(0.02);  // more than the key frames ever do
    await until(page, () => document.getElementById('numbers').textContent.includes('but for what was done by hand'));
    await until(page, () => limber.state.readings['tendon length'] < 0.0975 && limber.state.readings['tendon force'] > 0);
    if (pictures) await page.screenshot({ path: join(pictures, 'cable.png') });
    await pull(0);
    await until(page, () => limber.state.readings['tendon length'] > 0.113);  // it hangs at 0.1138, whether its swing is seen or not
    await close(page);
    await stop(server);
  },

  async 'keys work after a button was clicked'() {
    const server = await view(await sceneFile('keys.toml', bar()));
    const page = await open(server.address);
    const pressed = (id) => page.getAttribute(`#${id}`, 'aria-pressed');
    await page.click('#wire');
    assert.equal(await pressed('wire'), 'true');
    await page.keyboard.press('w');
    assert.equal(await pressed('wire'), 'false');
    await page.keyboard.press(' ');  // plays or pauses; does not press the button again
    await until(page, () => limber.state.status.playing === false);
    assert.equal(await pressed('wire'), 'false');
    await page.click('#numbers-box summary');
    await page.keyboard.press('w');
    assert.equal(await pressed('wire'), 'true');
    await page.locator('[data-slider="material.soft.young"]').click();
    await page.keyboard.press('w');
    assert.equal(await pressed('wire'), 'false');
    await page.fill('[data-path="material.soft.density"]', '');
    await page.locator('[data-path="material.soft.density"]').pressSequentially('w');  // a letter of a text is none of these
    assert.equal(await pressed('wire'), 'false');
    await page.focus('#follow');  // by keyboard a button is a button
    await page.keyboard.press(' ');
    assert.equal(await pressed('follow'), 'false');
    await close(page);
    await stop(server);
  },
};
