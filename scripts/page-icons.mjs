// Draws the icons of the page for home screens, which take no SVG: from src/page/page-icon.ts to
// src/page/page-icon-pictures.ts. Systems cut them to their own shape, so they fill the square, and the bell keeps away from
// the edges: https://www.w3.org/TR/appmanifest/#icon-masks
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pageIcon } from '../dist/src/page/page-icon.js';
import { drawPage } from '../dist/test/support/chromium.js';

const target = fileURLToPath(new URL('../src/page/page-icon-pictures.ts', import.meta.url));
const sizes = [180, 192, 512];

/** @param scratch a directory for files in between */
export async function drawPageIcons(scratch) {
  const [, background, bell] = /(<rect[^>]*>)(.*)<\/svg>/.exec(pageIcon);
  const full = background.replace(/ rx="\d+"/, '');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="1024" height="1024" style="position:fixed;inset:0">${full}<g transform="translate(6.4 6.4) scale(.8)">${bell}</g></svg>`;
  const drawn = join(scratch, 'icon.png');
  await drawPage(svg, { scheme: 'light', width: 1024, height: 1024, picture: drawn });
  const lines = sizes.map((size) => {
    const file = join(scratch, `icon-${size}.png`);
    const small = ['-resize', `${size}x${size}`, '-strip', '+dither', '-colors', '32'];
    execFileSync('convert', [
      drawn,
      ...small,
      '-define',
      'png:compression-level=9',
      `PNG8:${file}`,
    ]);
    return `  ${size}:\n    '${readFileSync(file).toString('base64')}',\n`;
  });
  const text = `/** Icons of the page as PNG in base64, by their size in pixels; drawn by "npm run picture icons". */
export const pageIconPictures = {
${lines.join('')}} as const;
`;
  writeFileSync(target, text);
  process.stdout.write(`Wrote "${target}", ${text.length} bytes\n`);
}
