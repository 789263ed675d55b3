import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

import { startDisplay } from '../support/display.ts';

/** What a person at Wine would see; a window that flashes for a moment counts. */
export interface Screen extends AsyncDisposable {
  /** For DISPLAY. */
  readonly name: string;
  /** How many windows have appeared since the last call. */
  appeared(): number;
}

/** A screen, or why there is none. */
export async function openScreen(): Promise<Screen | { readonly missing: string }> {
  for (const [program, ...words] of [['Xvfb', '-help'] as const, ['xev', '-version'] as const]) {
    const failed = await promisify(execFile)(program, words).then(
      () => false,
      (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT',
    );
    if (failed) return { missing: `${program} cannot be run: install xvfb and x11-utils` };
  }
  const display = await startDisplay(process.env);
  const words = ['-display', display.name, '-root', '-event', 'substructure'];
  const watching: ChildProcess = spawn('stdbuf', ['-o0', 'xev', ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let events = '';
  watching.stdout?.on('data', (bytes: Buffer) => (events += bytes.toString()));
  return {
    name: display.name,
    appeared() {
      const count = events.split('\n').filter((line) => line.startsWith('MapNotify')).length;
      events = '';
      return count;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(watching, 'exit');
      watching.kill();
      await ended;
      await display[Symbol.asyncDispose]();
    },
  };
}
