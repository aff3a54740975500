// SPDX-License-Identifier: Apache-2.0
// Scenes, dropped files, lost connections.
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bar, close, folder, open, pictures, run, sceneFile, stop, until, view } from './kit.mjs';

export default {
  async 'says what is wrong with a scene, and comes back after a lost connection'() {
    const file = await sceneFile('wrong.toml', bar());
    let server = await view(file);
    const page = await open(server.address, { expected: /WebSocket|ERR_CONNECTION/ });
    await writeFile(file, bar().replace('young', 'yuong'));
    await page.click('#reset');
    await until(page, () => limber.state.error.includes("wrong.toml:11") && limber.state.error.includes("did you mean 'young'"));
    await writeFile(file, bar());
    const before = await page.evaluate(() => limber.state.scene.scene);
    await page.click('#reset');
    await until(page, (n) => limber.state.scene.scene > n && limber.state.error === '', before);
    const { port, searchParams } = new URL(server.address);
    await stop(server);
    await until(page, () => limber.state.error.includes('connection is lost'));
    server = await view(file, '--port', port);
    // Another run has another token: the old page must not get in, the new address must.
    assert.notEqual(new URL(server.address).searchParams.get('token'), searchParams.get('token'));
    await page.evaluate((token) => { limber.connection.token = token; }, new URL(server.address).searchParams.get('token'));
    await until(page, () => limber.state.ready && limber.state.error === '');
    await close(page);
    await stop(server);
  },

  async 'takes a mesh that is dropped, and opens a scene of the gallery'() {
    const server = await view(await sceneFile('first.toml', bar()));
    const page = await open(server.address, { expected: /400 \(Bad Request\)/ });
    const box = 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n' +
      'f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n';
    const drop = (text, name) => page.evaluate(([t, n]) => limber.upload(new File([t], n)), [text, name]);
    const numbers = () => page.textContent('#numbers');
    assert.match(await numbers(), /limber run .*first\.toml/);
    await drop(box.replace('f 5 6 7 8\n', ''), 'open.obj');  // its lid is missing
    await until(page, () => limber.state.scene.bodies[0].name === 'dropped' && limber.state.ready);
    await until(page, () => /filled with \d+ tets.*1 hole with 4 open edges was closed/.test(document.getElementById('banner-text').textContent));
    if (pictures) await page.screenshot({ path: join(pictures, 'hole.png') });
    assert.match(await numbers(), /not for a dropped file/, 'no file is named that will be gone');
    await page.click('#record');
    await until(page, () => limber.state.status.recording && limber.state.frame.step > 3);
    const recorded = await page.evaluate(() => limber.state.status.recording);
    await page.click('#record');
    await until(page, () => !limber.state.status.recording);
    const step = await page.evaluate(() => limber.state.frame.step);
    await drop(box.replaceAll(/^v (\d) (\d) 1$/gm, 'v $1 $2 1e-7'), 'foil.obj');
    await until(page, () => limber.state.error.includes('too thin to be filled'));
    await until(page, (n) => limber.state.frame.step > n, step);
    await page.evaluate(() => limber.upload(new File([''], 'empty.obj')));
    await until(page, () => limber.state.error.includes('the file is empty'));
    await page.evaluate(() => limber.upload(new File(['nonsense'], 'bad.obj')));
    await until(page, () => limber.state.error.includes('neither a tet mesh'));
    await page.click('#gallery-box summary');
    await page.click('[data-scene="bar_gravity.toml"]');
    await until(page, () => limber.state.scene.name === 'bar_gravity');
    assert.match(await numbers(), /limber run .*bar_gravity\.toml/);
    await close(page);
    assert.equal(await stop(server), 0);
    // The dropped file has gone with the page; the recording has its own.
    await run(join(recorded, 'scene.toml'), '-o', 'again', '--steps', '2');
  },

  async 'a file that takes long can be cancelled'() {
    const server = await view(await sceneFile('long.toml', bar()));
    const page = await open(server.address);
    await page.evaluate(() => limber.handlers.status({ ...limber.state.status, busy: 'filling, 10 %' }));
    assert.match(await page.textContent('#banner-text'), /filling, 10 %/);
    await page.click('#banner-cancel');
    await until(page, () => document.getElementById('banner-cancel').hidden && document.getElementById('banner').hidden);
    await close(page);
    await stop(server);
  },

  async 'a recording whose folder vanishes ends with a message, not a crash'() {
    const server = await view(await sceneFile('gone.toml', bar()), '--out', 'gone');
    const page = await open(server.address, { expected: /WebSocket|ERR_CONNECTION/ });
    await page.click('#play');
    await until(page, () => limber.state.status.playing === false);
    await page.click('#record');
    await until(page, () => limber.state.status.recording);
    await rm(join(folder, 'gone'), { recursive: true });
    assert.equal(await stop(server), 4);
    await close(page);
  },
};
