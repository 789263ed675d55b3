import { readFileSync } from 'node:fs';

import { z } from 'zod';

import type { HookFacts } from '../../src/core/facts.ts';
import { factKeys } from '../../src/core/facts.ts';
import { agentNames, kinds } from '../../src/core/hook-event.ts';

const directory = new URL('../../../test/fixtures/payloads/', import.meta.url);

const text = z.string().nullable();

/** One row of `expected.json`; its README explains the fields. */
const Expected = z.object({
  file: z.string(),
  agent: z.enum(agentNames),
  event: text,
  input: z.enum(['stdin', 'argv']),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  valid: z.boolean(),
  kind: z.enum(kinds).nullable(),
  sessionId: text,
  cwd: text,
  message: text,
  tool: text,
  reason: text,
  display: z
    .object({ mustNotMatch: z.string().optional(), mustContain: z.array(z.string()).optional() })
    .optional(),
});
export type Expected = z.output<typeof Expected>;

/** The oracle for all recorded payloads, row by row. */
export function expectedPayloads(): readonly Expected[] {
  return z
    .array(Expected)
    .parse(JSON.parse(readFileSync(new URL('expected.json', directory), 'utf8')));
}

/** One line of the history, as far as the payload decides it. */
export function lineOf({ agent, event, sessionId, cwd }: Omit<Expected, 'file'>): string {
  return [agent, event, sessionId, cwd?.split(/[\\/]/).at(-1) ?? null].join(' ');
}

/** The bytes of a recorded payload, such as "droid/Stop-1.json". */
export function readPayloadFixture(file: string): Uint8Array {
  return readFileSync(new URL(file, directory));
}

/** The facts a hook records when it is installed with `args` and runs with only `env` of the agents' variables set. */
export function factsFor({ args, env }: Pick<Expected, 'args' | 'env'>): HookFacts {
  const said = new Map(Object.entries(env).map(([name, value]) => [name.toLowerCase(), value]));
  for (let at = 0; at + 1 < args.length; at += 2) {
    said.set((args[at] ?? '').replace(/^--/, ''), args[at + 1] ?? '');
  }
  return Object.fromEntries([...said].filter(([key]) => factKeys.some((known) => known === key)));
}
