// SPDX-License-Identifier: Apache-2.0
// What went wrong in a run is told, and nothing where nothing did.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bar, close, covered, folder, nextFrame, open, pictures, run, sceneFile, scenes, stop, until, view } from './kit.mjs';

const sinking = join(scenes, '../tests/program/verdict/penetration.toml');
const falling = () => bar('[output]\nevery = 5\n').replace('[0, 0, 0]', '[0, -9.81, 0]');
const lines = (page) => page.locator('#verdict-box li').allTextContents();
/** Places of the canvas, beside bar and panel, that are covered by something. */
const coveredPicture = (page) => page.evaluate(() => {
  const { inset } = limber.stage, out = [];
  for (let x = 5; x < innerWidth - inset.right; x += 20)
    for (let y = inset.top + 5; y < innerHeight - inset.bottom; y += 20)
      if (document.elementFromPoint(x, y)?.id !== 'canvas') out.push([x, y]);
  return out;
});
async function assertQuiet(page) {
  assert.ok(!await page.isVisible('#verdict') && !await page.isVisible('#verdict-box'));
  assert.deepEqual(await lines(page), []);
}

export default {
  async 'what goes wrong is told while it runs, until it starts again'() {
    const server = await view(sinking, '--paused');
    const page = await open(server.address);
    await assertQuiet(page);
    await page.click('#play');
    await page.waitForSelector('#verdict-box li[data-kind=penetration]');
    const [line] = await lines(page);
    assert.match(line, /^penetration left .* in \d+ steps?, (first in step|number) \d+, body 'sinking'.* m.*lagrange/);
    assert.match(await page.textContent('#verdict'), /^\d faults?$/);
    const count = (text) => Number(text.match(/in (\d+) step/)[1]);
    await until(page, (n) => Number(document.querySelector('[data-kind=penetration]').textContent.match(/in (\d+) step/)[1]) > n, count(line));
    if (pictures) await page.screenshot({ path: join(pictures, 'verdict.png') });
    await page.click('#play');
    await until(page, () => limber.state.status.playing === false);
    await page.click('#reset');
    await until(page, () => document.getElementById('verdict').hidden);
    await assertQuiet(page);
    await close(page);
    await stop(server);
  },

  async 'a simulation that stopped is not shown as one that runs'() {
    const server = await view(join(scenes, '../tests/program/verdict/runs_away_explicit_sheet.toml'));
    const page = await open(server.address);
    await page.waitForSelector('#verdict-box li[data-kind=failed]');
    assert.match((await lines(page))[0], /^step \d+ failed in body 'sheet'/);
    await until(page, () => /^The simulation stopped: step \d+ failed/.test(document.getElementById('banner-text').textContent));
    await until(page, () => document.getElementById('play').textContent === 'Play');
    await until(page, () => limber.state.frame.step > 0 && document.getElementById('numbers').textContent.startsWith(`step${limber.state.frame.step}time`));
    await close(page);
    await stop(server);
  },

  async 'on a phone the verdict covers nothing of the picture'() {
    const server = await view(sinking);
    for (const [width, height] of [[390, 844], [844, 390]]) {
      const page = await open(server.address, { hasTouch: true, viewport: { width, height } });
      await page.waitForSelector('#verdict:not([hidden])');
      assert.deepEqual(await coveredPicture(page), [], 'the picture is free');
      assert.deepEqual(await covered(page), []);
      const { height: high } = await page.locator('#bar').boundingBox();
      assert.ok(high <= 56, 'the bar is one row');
      await page.tap('#verdict');
      assert.ok(await page.isVisible('#verdict-box li[data-kind=penetration]'));
      await nextFrame(page);
      assert.deepEqual(await coveredPicture(page), [], 'the picture has moved into the room that is left');
      assert.ok(await page.evaluate(() => innerHeight - limber.stage.inset.top - limber.stage.inset.bottom > 0.4 * innerHeight));
      if (pictures) await page.screenshot({ path: join(pictures, `verdict_${width}.png`) });
      await page.tap('#verdict');
      assert.ok(!await page.isVisible('#verdict-box'), 'a second tap closes it');
      await close(page);
    }
    await stop(server);
  },

  async 'a good run has no verdict, live or played back'() {
    const scene = await sceneFile('good.toml', falling());
    const live = await view(scene);
    const page = await open(live.address);
    await until(page, () => limber.state.frame.step > 30);
    await assertQuiet(page);
    await close(page);
    await stop(live);

    await run(scene, '-o', 'good', '--steps', '20');
    const replay = await view('good');
    const again = await open(replay.address);
    await until(again, () => limber.state.frame.step === 20 && !limber.state.status.playing);
    await assertQuiet(again);
    await close(again);
    await stop(replay);
  },

  async 'a replay tells what the run ended with, of each of two'() {
    const output = ['--set', 'output.formats=["vtu"]'];
    await run(sinking, '-o', 'bad', ...output);
    const [fault] = JSON.parse(await readFile(join(folder, 'bad/summary.json'), 'utf8')).verdict;
    const same = (text) => text.replace('; ', '');  // where the page begins a new line
    const one = await view('bad');
    const page = await open(one.address);
    await page.waitForSelector('#verdict-box li');
    assert.deepEqual(await lines(page), [same(fault.text)]);
    if (pictures) await page.screenshot({ path: join(pictures, 'verdict_replay.png') });
    await close(page);
    await stop(one);

    await run(await sceneFile('well.toml', falling()), '-o', 'well', '--steps', '20');
    const two = await view('well', 'bad');
    const both = await open(two.address);
    await both.waitForSelector('#verdict-box li');
    assert.deepEqual(await lines(both), [`bad: ${same(fault.text)}`]);
    await close(both);
    await stop(two);

    await writeFile(join(folder, 'bad/summary.json'), '{');
    const torn = await view('bad');
    const unknown = await open(torn.address);
    await unknown.waitForSelector('#verdict-box li[data-kind=unknown]');
    assert.match((await lines(unknown))[0], /not known: .*summary\.json/);
    await close(unknown);
    await stop(torn);
  },
};
