import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { temporaryDirectory } from './temporary-directory.ts';

/** A separate real tmux server with one client, which a person sits at. */
export interface Tmux extends AsyncDisposable {
  readonly socket: string;
  run(...words: readonly string[]): Promise<string>;
  /** What the terminal sends, such as a key. */
  type(text: string): void;
  /** Settles once the terminal of the client has been sent `text`, with all that it was sent so far. */
  shown(text: string): Promise<string>;
}

const run = promisify(execFile);
/** A signal of tmux that is missed would hold the run for good. */
const PATIENCE_MS = 60_000;

/** Its hooks of clients say each "wait-for -S NAME OF THE HOOK". */
export async function openTmux(): Promise<Tmux> {
  const directory = await temporaryDirectory();
  const socket = join(directory.path, 'tmux');
  const env = { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', LC_ALL: 'C.UTF-8' };
  async function tmux(...words: readonly string[]): Promise<string> {
    const whole = ['-f', '/dev/null', '-S', socket, ...words];
    const { stdout } = await run('tmux', whole, { env, timeout: PATIENCE_MS });
    return stdout;
  }

  await tmux('new-session', '-d', 'sleep 600');
  await tmux('set', '-g', 'focus-events', 'on');
  for (const hook of ['client-attached', 'client-focus-in', 'client-focus-out']) {
    await tmux('set-hook', '-g', hook, `run-shell -b 'tmux -S ${socket} wait-for -S ${hook}'`);
  }
  const client = spawn('script', ['-qfc', `tmux -S ${socket} attach`, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let seen = '';
  client.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    seen += chunk;
  });
  const ended = once(client, 'exit');
  await tmux('wait-for', 'client-attached');
  return {
    socket,
    run: tmux,
    type: (text) => void client.stdin.write(text),
    async shown(text) {
      while (!seen.includes(text)) await once(client.stdout, 'data');
      return seen;
    },
    async [Symbol.asyncDispose]() {
      await tmux('kill-server');
      client.kill('SIGKILL');
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}
