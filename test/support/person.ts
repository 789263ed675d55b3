import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { DecisionChoice } from '../../src/core/question.ts';
import { shellWord } from '../../src/text/escape.ts';
import type { HookbellHome } from './hookbell-home.ts';
import { openTmux } from './tmux.ts';

export interface PersonDecision {
  readonly question: string;
  readonly requestHash: string;
  readonly choice: DecisionChoice;
  readonly answers?: Readonly<Record<string, string>>;
  /** Not before, Unix ms. */
  readonly atMs: number;
}

export interface PersonResult {
  /** Null: the daemon did not respond. */
  readonly accepted: boolean | null;
  readonly reason: string | null;
  /** When the person decided, Unix ms with fractions. */
  readonly startedAt: number;
}

/** A person at a separate terminal, whose processes are not descendants of this one. */
export interface Person extends AsyncDisposable {
  decide(decision: PersonDecision): Promise<PersonResult>;
}

export async function personAtTerminal({ home }: Pick<HookbellHome, 'home'>): Promise<Person> {
  const path = join(home, 'person.sock');
  const server = createServer();
  server.listen(path);
  await once(server, 'listening');
  const tmux = await openTmux();
  const program = fileURLToPath(new URL('person-at-terminal.js', import.meta.url));
  const arrived = once(server, 'connection');
  await tmux.run(
    'new-window',
    '-d',
    [process.execPath, program, path, home].map(shellWord).join(' '),
  );
  const [connection] = await arrived;
  const answers = createInterface({ input: connection });
  return {
    async decide(decision) {
      const answered = once(answers, 'line');
      connection.write(`${JSON.stringify(decision)}\n`);
      const [text] = await answered;
      return JSON.parse(String(text));
    },
    async [Symbol.asyncDispose]() {
      connection.destroy();
      server.close();
      await tmux[Symbol.asyncDispose]();
    },
  };
}
