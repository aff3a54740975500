// SPDX-License-Identifier: Apache-2.0
// The live page in a real browser: node page.mjs LIMBER [PICTURES [NAME]], NAME part of a check's name. The checks are in
// page/, by subject. They wait on what the page shows, never on time. Exit code 77 where there is no Chromium.
import { rm } from 'node:fs/promises';
import { chromiumPath } from '../../tools/browser.mjs';

if (!chromiumPath) {
  console.log('skipped: no Chromium here; tools/packages.sh browser installs one');
  process.exit(77);
}
const { clean, closeBrowser, folder } = await import('./page/kit.mjs');
const only = process.argv[4] ?? '';

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
      await clean();
      if (late && attempt === 1) {
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
  for (const subject of ['picture', 'hand', 'settings', 'files', 'layout', 'replay', 'verdict']) {
    const { default: checks } = await import(`./page/${subject}.mjs`);
    for (const [name, check] of Object.entries(checks))
      if (name.includes(only)) results.push(await tried(name, check));
  }
} finally {
  await clean();
  await closeBrowser();
  await rm(folder, { recursive: true, force: true });
}
if (results.every((result) => result === 'late')) {
  console.log('skipped: the browser of this machine gets no page to run in time');
  process.exit(77);
}
process.exit(results.every((result) => result === 'ok') ? 0 : 1);
