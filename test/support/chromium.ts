import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { environmentAt } from './environment-at.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** Where pictures are kept: artifacts/ at the root of the repository, seen from dist/test/support. */
const ARTIFACTS = fileURLToPath(new URL('../../../artifacts/', import.meta.url));

interface Drawing {
  readonly scheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
  /** A file; without a folder it goes to artifacts/. */
  readonly picture: string;
}

/** Draws a page in Chromium and keeps the picture; answers its path. */
export async function drawPage(
  html: string,
  { scheme, width, height, picture }: Drawing,
): Promise<string> {
  await using directory = await temporaryDirectory();
  const page = join(directory.path, 'page.html');
  const target = picture.includes('/') ? picture : join(ARTIFACTS, picture);
  await writeFile(page, html);
  await mkdir(dirname(target), { recursive: true });
  const words = [
    ...'--headless --no-sandbox --disable-gpu --hide-scrollbars'.split(' '),
    `--window-size=${width},${height}`,
    `--blink-settings=preferredColorScheme=${scheme === 'dark' ? 0 : 1}`,
    `--user-data-dir=${join(directory.path, 'chromium')}`,
    `--screenshot=${target}`,
    `file://${page}`,
  ];
  await run('chromium', words, { env: environmentAt(directory.path) });
  return target;
}

/** Lists the colours of a picture and how often each is there. */
export async function coloursIn(picture: string): Promise<string> {
  const { stdout } = await run('convert', [
    picture,
    '-depth',
    '8',
    '-format',
    '%c',
    'histogram:info:-',
  ]);
  return stdout;
}
