// SPDX-License-Identifier: Apache-2.0
// A picture of the live page without a display: node page_picture.mjs LIMBER OUT.png [--dark] SCENE|DIR...
// With --pull the first body is held by the mouse, with --contacts contact forces are drawn, --colour=FIELD colours.
import { chromiumPath, launchBrowser, startView } from './browser.mjs';

const args = process.argv.slice(2), flag = (name) => args.includes(name) && args.splice(args.indexOf(name), 1).length > 0;
const dark = flag('--dark'), pull = flag('--pull'), contacts = flag('--contacts'), colour = args.find((a) => a.startsWith('--colour='))?.slice(9);
const [limber, out, ...what] = args.filter((a) => !a.startsWith('--colour='));
if (!chromiumPath || !out || !what.length) {
  console.error(out ? 'error: no Chromium here; tools/packages.sh browser installs one' : 'usage: page_picture.mjs LIMBER OUT.png SCENE|DIR...');
  process.exit(4);
}
const { address, stop } = await startView(limber, what);
const { browser, close } = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: dark ? 'dark' : 'light' });
  await page.goto(`${address}&quality=best`);
  await page.waitForFunction(() => window.limber?.state.ready);
  page.setDefaultTimeout(120000);
  if (colour) await page.selectOption('#colour', colour);
  if (contacts) {
    await page.click('#arrows');
    await page.waitForFunction(() => limber.stage.marks.arrows.visible);
    await page.click('#frame');
  }
  if (pull) {
    const [x, y] = await page.evaluate(() => {
      // Towards the right end of what is drawn, well inside it: the body moves while we aim.
      const { stage } = limber, p = stage.bodies[0].mesh.geometry.attributes.position.array, all = [];
      for (let i = 0; i < p.length; i += 3) all.push(stage.toPage([p[i], p[i + 1], p[i + 2]]));
      const mean = [0, 1].map((k) => all.reduce((sum, at) => sum + at[k] / all.length, 0));
      const right = all.reduce((best, at) => (at[0] > best[0] ? at : best));
      return mean.map((m, k) => m + 0.5 * (right[k] - m));
    });
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y - 110, { steps: 8 });
    await page.waitForFunction(() => limber.state.frame.hand.length === 6);
  }
  const steps = pull ? 60 : 40;
  await page.waitForFunction((n) => limber.state.frames > 12 && (limber.state.frame.step > n || !limber.state.status.playing), steps);
  await page.screenshot({ path: out });
} finally {
  await close();
  await stop();
}
