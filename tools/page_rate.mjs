// SPDX-License-Identifier: Apache-2.0
// Frames a second that a browser shows, beside what `limber bench view-rate` measures with a plain socket:
// node page_rate.mjs LIMBER [SECONDS]. Headless Chromium draws in software, on the cores the solver wants too. The counts
// come as the page's title: a debugger that listens in on the frames would take more time than all the rest.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, startChromium, startView } from './browser.mjs';

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
const folder = await mkdtemp(join(tmpdir(), 'limber_rate_'));
const rows = [];
/** What the page counts; null before it shows anything. */
async function counts(port) {
  const [page] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()).filter((target) => target.type === 'page');
  const [word, frames, step, ms, vertices, quality] = page.title.split(' ').map((part, k) => (k ? Number(part) : part));
  return word === 'counts' && frames > 0 ? { frames, step, ms, vertices, quality } : null;
}
const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
try {
  for (const cells of [20, 90, 315]) {
    const scene = join(folder, `sheet${cells}.toml`);
    await writeFile(scene, sheet(cells));
    const began = Date.now();
    const { address, stop } = await startView(limber, [scene, '--threads', '1']);
    const { endpoint, end } = await startChromium([`${address}&measure`, '--window-size=1280,800']);
    const { port } = new URL(endpoint);
    let first = null;
    while (!(first = await counts(port)) && Date.now() - began < 60000) await wait(20);
    if (!first) throw new Error('the page shows nothing');
    const started = Date.now() - began;
    await wait(3000);  // the picture's quality settles
    const a = await counts(port);
    await wait(1000 * Number(seconds));
    const b = await counts(port), s = (b.ms - a.ms) / 1000;
    rows.push([b.vertices, ((b.frames - a.frames) / s).toFixed(1), ((b.step - a.step) / s).toFixed(1), b.quality, first.ms.toFixed(0), started]);
    await end();
    await stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log('| surface vertices | frames shown a second | steps a second (60 is real time) | levels of quality given up | first picture [ms from page] | [ms from both programs] |');
console.log('| ---: | ---: | ---: | ---: | ---: | ---: |');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
