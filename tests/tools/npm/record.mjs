// SPDX-License-Identifier: Apache-2.0
// How the recordings beside this file were made: npm against servers of our own on this machine. They take a minute:
// node record.mjs FOLDER writes them anew, with the npm that is installed.
import http from 'node:http'; import https from 'node:https'; import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
const out = process.argv[2];
const listen = (s) => new Promise(r => s.listen(0, '127.0.0.1', () => r(s.address().port)));
const run = (name, registry, env = {}, args = []) => new Promise(done => {
  const dir = fs.mkdtempSync('/tmp/npm_project_');
  const home = fs.mkdtempSync('/tmp/npm_home_');
  fs.writeFileSync(dir + '/package.json', JSON.stringify({ name: 'a', version: '1.0.0', dependencies: { x: '1.0.0' } }));
  fs.writeFileSync(dir + '/package-lock.json', JSON.stringify({ name: 'a', version: '1.0.0', lockfileVersion: 3, packages: {
    '': { name: 'a', version: '1.0.0', dependencies: { x: '1.0.0' } },
    'node_modules/x': { version: '1.0.0', resolved: registry + '/x/-/x-1.0.0.tgz', integrity: 'sha512-' + Buffer.alloc(64).toString('base64') } } }));
  fs.writeFileSync(home + '/rc', '');
  const clean = { PATH: process.env.PATH, HOME: home, npm_config_userconfig: home + '/rc', npm_config_globalconfig: home + '/rc2', npm_config_cache: home + '/c', npm_config_update_notifier: 'false', ...env };
  const p = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--registry', registry, '--fetch-retry-mintimeout=100', '--fetch-retry-maxtimeout=200', '--fetch-timeout=4000', ...args], { cwd: dir, env: clean });
  let text = ''; p.stdout.on('data', d => text += d); p.stderr.on('data', d => text += d);
  p.on('close', code => {
    text = text.replaceAll(home, '/home/user').replaceAll(dir, '/home/user/limber').replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:4873').replace(/port: \d+/g, 'port: 4873');
    fs.writeFileSync(`${out}/${name}.txt`, text); console.log(name, code); done();
  });
});
const free = await new Promise(r => { const s = http.createServer(); s.listen(0, '127.0.0.1', () => { const p = s.address().port; s.close(() => r(p)); }); });
const reply = (code) => { const s = http.createServer((q, a) => { a.statusCode = code; a.end('{}'); }); s.on('connect', (q, sock) => { sock.end(`HTTP/1.1 ${code} no\r\n\r\n`); }); return s; };
await run('no_connection', `http://127.0.0.1:${free}`);
await run('no_name', `http://registry.invalid`);
await run('dead_proxy', 'https://registry.invalid', { HTTPS_PROXY: `http://127.0.0.1:${free}` });
const p407 = await listen(reply(407));
await run('proxy_password', 'https://registry.invalid', { HTTPS_PROXY: `http://127.0.0.1:${p407}` });
await run('proxy_password_plain', 'http://registry.invalid', { HTTP_PROXY: `http://127.0.0.1:${p407}`, npm_config_proxy: `http://127.0.0.1:${p407}` });
const keys = fs.mkdtempSync('/tmp/npm_keys_');
execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keys + '/key', '-out', keys + '/cert',
  '-days', '2', '-subj', '/CN=127.0.0.1'], { stdio: 'ignore' });
const tls = await listen(https.createServer({ key: fs.readFileSync(keys + '/key'), cert: fs.readFileSync(keys + '/cert') }, (q, a) => a.end('{}')));
await run('certificate', `https://127.0.0.1:${tls}`);
for (const code of [403, 404, 500]) await run('registry_' + code, `http://127.0.0.1:${await listen(reply(code))}`);
await run('checksum', `http://127.0.0.1:${await listen(reply(200))}`);
const silent = http.createServer(() => {}); await run('silent', `http://127.0.0.1:${await listen(silent)}`, {}, ['--fetch-retries=0']);
await run('reset', `http://127.0.0.1:${await listen(http.createServer((q) => q.socket.destroy()))}`);
process.exit(0);
