// SPDX-License-Identifier: Apache-2.0
// Finished runs.
import assert from 'node:assert/strict';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { bar, close, folder, middle, open, pictures, run, sceneFile, stop, until, view } from './kit.mjs';

export default {
  async 'plays back a run, and two side by side'() {
    const scene = await sceneFile('run.toml', bar('[output]\nevery = 2\n').replace('[0, 0, 0]', '[0, -9.81, 0]'));
    for (const [name, young] of [['a', '1e5'], ['b', '2e5']]) {
      await run(scene, '-o', join(folder, name), '--steps', '40', '--set', `material.soft.young=${young}`);
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

  async 'a skin shows the stress and the size of its body'() {
    const skin = 'v -0.5 -0.1 -0.1\nv 0.5 -0.1 -0.1\nv 0.5 0.1 -0.1\nv -0.5 0.1 -0.1\nv -0.5 -0.1 0.1\nv 0.5 -0.1 0.1\nv 0.5 0.1 0.1\nv -0.5 0.1 0.1\n' +
      'f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n';
    await sceneFile('skin.obj', skin);
    const scene = await sceneFile('skinned.toml', bar('[output]\nevery = 5\n').replace('[0, 0, 0]', '[0, -9.81, 0]').replace('name = "bar"', 'name = "bar"\nskin = "skin.obj"'));
    await run(scene, '-o', 'skinned', '--steps', '20');
    await truncate(join(folder, 'skinned/vtu/bar_000010.vtu'), 3000);  // and one frame that was cut off
    const server = await view('skinned');
    const page = await open(server.address);
    await until(page, () => limber.state.error.includes('step 10 cannot be read; that of step 5 is shown'));
    await until(page, () => limber.state.frame.step === 20 && !limber.state.status.playing);
    await page.selectOption('#colour', 'von_mises');
    await until(page, () => limber.state.frame.hi > 100);
    assert.match(await page.textContent('#numbers'), /99 nodes, \d\d+ tets/);
    await close(page);
    await stop(server);
  },
};
