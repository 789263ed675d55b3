import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** Pixels of a module: the decoder wants some. */
const SCALE = 4;

/**
 * Reads the QR code on a screen with the decoder of zbar, as a camera would read it: black on white.
 *
 * @param screen lines of half blocks, among others
 */
export async function scanQrCode(screen: string): Promise<string> {
  const lines = screen
    .split(/\r?\n/)
    .filter((line) => /^[ █▀▄]{20,}$/.test(line) && line.trim() !== '');
  const width = Math.max(...lines.map((line) => line.length));
  const blank = ' '.repeat(width);
  const rows = [blank, blank, ...lines, blank, blank].flatMap((line) => {
    const cells = line.padEnd(width).split('');
    const upper = cells.map((cell) => (cell === '█' || cell === '▀' ? '1' : '0'));
    const lower = cells.map((cell) => (cell === '█' || cell === '▄' ? '1' : '0'));
    return [upper, lower];
  });
  const pixels = rows.flatMap((row) => {
    const wide = row.flatMap((pixel) => Array.from({ length: SCALE }, () => pixel)).join('');
    return Array.from({ length: SCALE }, () => wide);
  });
  await using directory = await temporaryDirectory();
  const picture = join(directory.path, 'code.pbm');
  await writeFile(picture, `P1\n${width * SCALE} ${pixels.length}\n${pixels.join('\n')}\n`);
  const { stdout } = await run('zbarimg', ['--quiet', '--raw', picture]);
  return stdout.trim();
}
