// SPDX-License-Identifier: Apache-2.0
// The Khronos validator on GLB files: node validate_glb.mjs FILE... Prints and fails on any error or warning.
import { readFile } from 'node:fs/promises';
import validator from 'gltf-validator';

let bad = 0;
for (const path of process.argv.slice(2)) {
  const { issues, info } = await validator.validateBytes(new Uint8Array(await readFile(path)));
  const { numErrors, numWarnings } = issues;
  bad += numErrors + numWarnings;
  console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${info.animationCount} animations, ${info.totalVertexCount} vertices`);
  for (const message of issues.messages.filter((m) => m.severity < 2).slice(0, 10)) console.log(`  ${message.code} ${message.pointer}: ${message.message}`);
}
process.exit(bad ? 1 : 0);
