import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A virtual display of 1280 x 720 pixels. */
export interface Display extends AsyncDisposable {
  /** For DISPLAY. */
  readonly name: string;
}

export async function startDisplay(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Display> {
  const screen = ['-screen', '0', '1280x720x24', '-nolisten', 'tcp'];
  const server = spawn('Xvfb', ['-displayfd', '1', ...screen], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(server, 'exit');
  const lines = createInterface(server.stdout);
  const [number] = await Promise.race([once(lines, 'line'), ended]);
  lines.close();
  if (typeof number !== 'string') throw new Error('Xvfb did not start');
  return {
    name: `:${number}`,
    async [Symbol.asyncDispose]() {
      server.kill();
      await ended;
    },
  };
}
