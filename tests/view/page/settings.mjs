// SPDX-License-Identifier: Apache-2.0
// Options that change while it runs.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { bar, close, open, pictures, sceneFile, stop, until, view } from './kit.mjs';

export default {
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
    assert.equal(await page.inputValue('[data-path="device"]'), 'cpu');
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

  async 'what is refused is not shown any longer'() {
    const server = await view(await sceneFile('refused.toml', bar()));
    const page = await open(server.address);
    const shows = (path, value) => until(page, ([p, v]) => document.querySelector(`[data-path="${p}"]`).value === v, [path, value]);
    await page.fill('[data-path="material.soft.young"]', '-3');
    await page.press('[data-path="material.soft.young"]', 'Enter');
    await until(page, () => limber.state.error.includes('allowed: a number > 0'));
    await shows('material.soft.young', '100000');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.path), 'material.soft.young', 'ready for another try');
    await page.selectOption('[data-path="solver.kind"]', 'projective_dynamics');  // not with this law
    await until(page, () => limber.state.error.includes('projective'));
    await shows('solver.kind', 'corotational');
    await page.evaluate(() => limber.send({ do: 'speed', value: -1 }));
    await until(page, () => limber.state.error.includes('speed'));
    assert.equal(await page.inputValue('#speed'), '1');
    await close(page);
    await stop(server);
  },

  async 'every field says what it is of'() {
    const server = await view(await sceneFile('labels.toml', bar()));
    const page = await open(server.address);
    const label = (path) => page.evaluate((p) => document.querySelector(`[data-path="${p}"]`).closest('label').querySelector('span').textContent, path);
    assert.equal(await label('material.soft.damping.mass'), 'damping mass');
    assert.equal(await label('material.soft.damping.stiffness'), 'damping stiffness');
    await close(page);
    await stop(server);
  },
};
