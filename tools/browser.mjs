// SPDX-License-Identifier: Apache-2.0
// A headless Chromium with WebGL in software, for tests and pictures of the live page.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

const flags = ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
  '--disable-gpu-rasterization',  // Debian turns it on; in software it only costs
  '--no-first-run', '--no-default-browser-check', '--disable-extensions', '--disable-component-update', '--disable-sync',
  '--disable-background-networking', '--disable-background-timer-throttling', '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding', '--disable-dev-shm-usage', '--password-store=basic', '--force-color-profile=srgb',
  '--hide-scrollbars', '--mute-audio', '--remote-debugging-port=0'];

/**
 * Returns {endpoint, end}: a Chromium with one page and its debugger's address. It is started here, not by Playwright, which
 * would give it a process session of its own: Linux shares the CPUs out by session first (sched_autogroup), so beside a
 * session that builds or computes at a raised priority such a browser gets a few per cent of a CPU and seems to hang.
 */
export async function startChromium(more = ['about:blank'], timeout = 120000) {
  const profile = await mkdtemp(join(tmpdir(), 'limber_chromium_'));
  const child = spawn(chromiumPath, [...flags, `--user-data-dir=${profile}`, ...more], { stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const end = async () => {
    child.kill('SIGKILL');
    await gone;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  let said = '';
  try {
    const endpoint = await new Promise((resolve, reject) => {
      child.stderr.on('data', (data) => {
        said = (said + data).slice(-20000);
        const found = said.match(/DevTools listening on (ws:\S+)/);
        if (found) resolve(found[1]);
      });
      child.once('exit', (code) => reject(new Error(`Chromium ended with ${code}: ${said}`)));
      setTimeout(() => reject(new Error(`Chromium does not answer: ${said}`)), timeout).unref();
    });
    return { endpoint, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Starts `limber view ARGS` and returns {address, stop, kill}: what it prints to be opened, and two ways to end it; stop() gives its exit code. */
export async function startView(limber, args, options = {}) {
  const child = spawn(limber, ['view', ...args, '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let text = '';
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      text += data;
      const found = text.match(/http:\S+/);
      if (found) resolve(found[0]);
    });
    ended.then((code) => reject(new Error(`limber view ${args.join(' ')} ended with ${code}`)));
  });
  return { address, async stop() { child.kill('SIGINT'); return ended; }, kill() { child.kill('SIGKILL'); } };
}

/** startChromium() for Playwright: {browser, close}. */
export async function launchBrowser(timeout = 120000) {
  const { endpoint, end } = await startChromium(undefined, timeout);
  try {
    const browser = await chromium.connectOverCDP(endpoint, { timeout });
    return { browser, async close() { await browser.close(); await end(); } };
  } catch (error) {
    await end();
    throw error;
  }
}
