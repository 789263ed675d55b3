import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** A terminal made by script(1). */
export interface PseudoTerminal extends AsyncDisposable {
  /** Such as "/dev/pts/3". */
  readonly path: string;
  /** Settles once `text` has been shown on it, with all that was shown so far. */
  shown(text: string): Promise<string>;
  /** Takes all that was written to it since the last call. */
  taken(): Promise<string>;
  /** What the person types, such as Ctrl-S. */
  type(text: string): void;
}

export async function openPseudoTerminal(): Promise<PseudoTerminal> {
  const script = spawn(
    'script',
    [
      '--quiet',
      '--flush',
      '--command',
      'stty -echo -opost -isig; tty; exec sleep 600',
      '/dev/null',
    ],
    { stdio: ['pipe', 'pipe', 'ignore'], env: { PATH: process.env['PATH'], SHELL: '/bin/sh' } },
  );
  const ended = once(script, 'exit');
  const lines = createInterface(script.stdout);
  const [path] = await once(lines, 'line');
  lines.close();
  if (typeof path !== 'string') throw new Error('script(1) made no terminal');
  let seen = '';
  script.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    seen += chunk;
  });
  script.stdout.resume();
  let marks = 0;
  let takenTo = 0;
  async function shown(text: string): Promise<string> {
    while (!seen.includes(text)) await once(script.stdout, 'data');
    return seen;
  }
  return {
    path,
    shown,
    async taken() {
      marks += 1;
      const mark = `<mark ${marks}>`;
      await writeFile(path, mark);
      const all = await shown(mark);
      const fresh = all.slice(takenTo, all.indexOf(mark));
      takenTo = all.indexOf(mark) + mark.length;
      return fresh;
    },
    type: (text) => void script.stdin.write(text),
    async [Symbol.asyncDispose]() {
      // At SIGTERM it would wait for 2 s; what runs in the terminal ends with the terminal.
      script.kill('SIGKILL');
      await ended;
    },
  };
}
