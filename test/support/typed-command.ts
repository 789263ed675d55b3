import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

/** Longest wait for a text, ms. */
const PATIENCE_MS = 60_000;

/** A command in its own terminal, made by script(1), at which a person types. */
export interface TypedCommand extends AsyncDisposable {
  /** Settles once `text` is shown behind what was waited for before. */
  shown(text: string): Promise<void>;
  type(keys: string): void;
  /** All that it showed so far, escape sequences left out. */
  screen(): string;
  /** Settles when the command has ended, with its exit code and all that it showed, escape sequences left out. */
  ended(): Promise<{ readonly code: number | null; readonly screen: string }>;
}

/** The keys as a terminal sends them. */
export const keys = { up: '\u001b[A', down: '\u001b[B', enter: '\r', interrupt: '\u0003' };

/** @param line for a shell */
export function typedCommand(line: string, env: Readonly<Record<string, string>>): TypedCommand {
  const script = spawn(
    'script',
    ['--quiet', '--flush', '--return', '--command', `stty cols 120 rows 50; ${line}`, '/dev/null'],
    { stdio: ['pipe', 'pipe', 'ignore'], env: { ...env, SHELL: '/bin/sh', TERM: 'xterm' } },
  );
  const closed = once(script, 'close');
  let received = '';
  let seen = 0;
  script.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  return {
    async shown(text) {
      const tooLong = delay(PATIENCE_MS, 'too long', { ref: false });
      for (;;) {
        const screen = stripVTControlCharacters(received);
        const at = screen.indexOf(text, seen);
        if (at >= 0) {
          seen = at + text.length;
          return;
        }
        if (script.exitCode !== null) throw new Error(`It ended without "${text}":\n${screen}`);
        const next = await Promise.race([once(script.stdout, 'data'), closed, tooLong]);
        if (next === 'too long') throw new Error(`It does not show "${text}":\n${screen}`);
      }
    },
    type: (typed) => void script.stdin.write(typed),
    screen: () => stripVTControlCharacters(received),
    async ended() {
      await closed;
      return { code: script.exitCode, screen: stripVTControlCharacters(received) };
    },
    async [Symbol.asyncDispose]() {
      script.kill('SIGKILL');
      await closed;
    },
  };
}
