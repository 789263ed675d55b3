import { spawn } from 'node:child_process';

import type { ExitCode } from './exit-codes.ts';
import { exitCodes } from './exit-codes.ts';

/** Runs a Node program with our own standard streams, hands signals on, and answers whether it ended well. */
export async function runInForeground(main: string, words: readonly string[]): Promise<ExitCode> {
  const child = spawn(process.execPath, [main, ...words], { stdio: 'inherit' });
  const handOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', handOn).on('SIGHUP', handOn);
  // A terminal sends Ctrl-C to both of us: the child decides when to end.
  process.on('SIGINT', doNothing);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  process.off('SIGTERM', handOn).off('SIGHUP', handOn).off('SIGINT', doNothing);
  return code === 0 ? exitCodes.ok : exitCodes.failed;
}

function doNothing(): void {}
