// SPDX-License-Identifier: Apache-2.0
// Bundles the page with esbuild and writes it as a C++ source: node bundle.mjs OUT.cpp
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out) throw new Error('usage: node bundle.mjs OUT.cpp');

const bundle = await build({
  entryPoints: { page: join(here, 'main.js') },
  bundle: true, minify: true, format: 'esm', target: 'es2020', legalComments: 'eof',
  outdir: 'out', write: false, logLevel: 'warning',
});

const files = [
  ['/index.html', 'text/html; charset=utf-8', await readFile(join(here, 'index.html'))],
  ['/favicon.svg', 'image/svg+xml', await readFile(join(here, 'favicon.svg'))],
];
for (const made of bundle.outputFiles) {
  const js = made.path.endsWith('.js');
  files.push([js ? '/page.js' : '/page.css', js ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
    Buffer.from(made.contents)]);
}

/** A C++ string literal of any bytes, in lines: octal escapes have three digits, so that what follows never joins them. */
function literal(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 2000) {
    let line = '';
    for (const byte of bytes.subarray(at, at + 2000)) {
      const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
      line += plain ? String.fromCharCode(byte) : '\\' + byte.toString(8).padStart(3, '0');
    }
    lines.push(`"${line}"`);
  }
  return lines.length ? lines.join('\n') : '""';
}

let text = '// Written by view/page/bundle.mjs; do not edit.\n#include "limber/view/page_files.h"\n\nnamespace limber {\n\n' +
  'std::span<const PageFile> page_files() {\n    static constexpr PageFile files[] = {\n';
for (const [path, type, bytes] of files)
  text += `{"${path}", "${type}", std::string_view(${literal(bytes)}, ${bytes.length})},\n`;
text += '    };\n    return files;\n}\n\n}  // namespace limber\n';
await writeFile(out, text);
