// SPDX-License-Identifier: Apache-2.0
// Large screens and small ones.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { bar, close, covered, open, pictures, sceneFile, scenes, stop, until, view } from './kit.mjs';

const SIZES = [[1280, 800], [900, 600], [620, 700], [390, 844], [844, 390]];

export default {
  async 'a banner covers no button'() {
    const server = await view(await sceneFile('banner.toml', bar()));
    const page = await open(server.address);
    const long = `${'a long sentence about what went wrong; '.repeat(8)}\nand another`;
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await until(page, ([w, h]) => innerWidth === w && innerHeight === h && limber.state.laidOut === `${w} ${h}`, [width, height]);
      await page.evaluate((text) => limber.handlers.notice({ error: text }), long);
      assert.deepEqual(await covered(page), [], `${width} x ${height}`);
      const box = await page.locator('#banner').boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= width, `the banner is inside ${width} x ${height}`);
      await page.click('#banner-close');
    }
    await close(page);
    await stop(server);
  },

  async 'on a phone the bar is one row and the rest is behind a button'() {
    const server = await view(join(scenes, 'sphere_drop.toml'));
    for (const [width, height] of SIZES.slice(3)) {
      const page = await open(server.address, { hasTouch: true, viewport: { width, height }, colorScheme: width < height ? 'light' : 'dark' });
      const { height: high } = await page.locator('#bar').boundingBox();
      assert.ok(high <= 56, `${high} of ${height} pixels`);
      if (pictures) await page.screenshot({ path: join(pictures, `phone_${width}.png`) });
      assert.ok(!await page.isVisible('#tool-push'));
      await page.tap('#more');
      assert.deepEqual((await covered(page)).filter((id) => !/legend|cut|time/.test(id)), []);
      if (pictures) await page.screenshot({ path: join(pictures, `phone_${width}_menu.png`) });
      await page.tap('#tool-push');
      assert.equal(await page.getAttribute('#tool-push', 'aria-pressed'), 'true');
      await page.tap('#canvas', { position: { x: width / 2, y: height - 60 } });
      assert.ok(!await page.isVisible('#tool-push'), 'the picture closes it');
      await close(page);
    }
    await stop(server);
  },
};
