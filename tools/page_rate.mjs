// SPDX-License-Identifier: Apache-2.0
// Frames a second that a browser shows, beside what `limber bench view-rate` measures with a plain socket:
// node page_rate.mjs LIMBER [SECONDS]. Headless Chromium draws in software, on the cores the solver wants too.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, launchBrowser } from './browser.mjs';

const [limber, seconds = '10'] = process.argv.slice(2);
if (!chromiumPath || !limber) {
  console.error(limber ? 'error: no Chromium here; tools/packages.sh browser installs one' : 'usage: page_rate.mjs LIMBER [SECONDS]');
  process.exit(4);
}
/** As sheet_scene() of bench/view_rate.cpp. */
const sheet = (cells) => `limber = 1
[time]
step = ${1 / 60}
end = 1
[solver]
kind = "corotational"
max_iterations = 5
[material.soft]
young = "1 MPa"
[[body]]
name = "sheet"
shape = "sheet"
size = [1, 0.02, 1]
cells = [${cells}, 1, ${cells}]
material = "soft"
[[pin]]
body = "sheet"
select = { side = "x-" }
[output]
energy = false
`;
const folder = await mkdtemp(join(tmpdir(), 'limber_rate_')), { browser, close } = await launchBrowser();
const rows = [];
try {
  for (const cells of [20, 90, 315]) {
    const scene = join(folder, `sheet${cells}.toml`);
    await writeFile(scene, sheet(cells));
    const child = spawn(limber, ['view', scene, '--no-open', '--threads', '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const began = Date.now();
    let text = '';
    const address = await new Promise((resolve, reject) => {
      child.stdout.on('data', (data) => { text += data; const found = text.match(/http:\S+/); if (found) resolve(found[0]); });
      child.on('exit', (code) => reject(new Error(`limber view ended with ${code}`)));
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(180000);
    await page.goto(address, { waitUntil: 'commit' });
    await page.waitForFunction(() => window.limber?.state.ready);
    const first = Date.now() - began;
    const counts = () => page.evaluate(() => ({ frames: limber.state.frames, step: limber.state.frame.step, at: performance.now(),
      vertices: limber.state.frame.positions.length / 3 }));
    const a = await counts();
    await page.waitForTimeout(1000 * Number(seconds));
    const b = await counts(), s = (b.at - a.at) / 1000;
    rows.push([b.vertices, ((b.frames - a.frames) / s).toFixed(1), ((b.step - a.step) / s).toFixed(1), first]);
    await page.close();
    child.removeAllListeners('exit');
    child.kill('SIGINT');
  }
} finally {
  await close();
  await rm(folder, { recursive: true, force: true });
}
console.log('| surface vertices | frames shown a second | steps a second (60 is real time) | first picture [ms from start of the program] |');
console.log('| ---: | ---: | ---: | ---: |');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
