import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import type { Environment } from '../core/launch-environment.ts';
import { findProgram, searchPath } from '../platform/find-program.ts';
import { parseJson } from '../platform/json.ts';
import { runProgram } from '../platform/run-program.ts';
import { pollUntil } from '../platform/time.ts';

/**
 * The outcome of words to a session of Codex CLI.
 *
 * - `confirmed`: its transcript has exactly these words, after they were sent.
 * - `queued`: Codex took them, and the session has not read them yet.
 * - `refused`: nothing was sent; `reason` is a sentence without a full stop.
 * - `unknown`: whether Codex took them is unknown.
 */
export type CodexReply =
  | { readonly state: 'confirmed' | 'queued' }
  | { readonly state: 'refused' | 'unknown'; readonly reason: string };

/** `codex queue` answers within 0.2 s; a first start of its own daemon takes longer, ms. */
const RUN_MS = 20_000;
/** An idle session begins its turn within 0.3 s, on a busy machine within seconds, ms. */
const PROOF_MS = 10_000;
/** Maximum size of an argument on Linux, terminator included, bytes. */
const MOST_BYTES = 128 * 1024 - 16;

const THREAD = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Sends words to a session of this user by `codex queue`, as the person's own line, and looks for them in its transcript. */
export async function replyToCodex(
  { threadId, text }: { readonly threadId: string; readonly text: string },
  {
    env,
    home,
    platform,
    proofMs = PROOF_MS,
  }: { env: Environment; home: string; platform: NodeJS.Platform; proofMs?: number },
): Promise<CodexReply> {
  if (!THREAD.test(threadId)) return refused(`"${threadId}" is not the id of a Codex thread`);
  if (text.trim() === '') return refused('the text is empty');
  if (Buffer.byteLength(text) > MOST_BYTES) return refused('the text is longer than 128 KB');
  const program = await findProgram('codex', searchPath(platform, env['PATH']));
  if (program === null) return refused('the program "codex" was not found');
  const sessions = join(env['CODEX_HOME'] ?? join(home, '.codex'), 'sessions');
  const before = transcriptsOf(sessions, threadId);
  const result = await runProgram({
    program,
    // In one argument: a text may begin with a dash.
    arguments: ['queue', `--thread=${threadId}`, `--message=${text}`],
    env: definedIn(env),
    timeoutMs: RUN_MS,
  });
  if (!result.started) return refused(`codex ${result.reason}`);
  if (!result.ok) {
    // Codex ends with a code other than 0 where it stored nothing, such as for an unknown thread.
    const state = result.code === null ? 'unknown' : 'refused';
    return { state, reason: `"codex queue" ${result.reason}${lastLine(result.stderr)}` };
  }
  const look = async () => (hasNewWords(sessions, threadId, before, text) ? true : null);
  const proof = await pollUntil(look, proofMs, 250);
  return { state: proof === true ? 'confirmed' : 'queued' };
}

function refused(reason: string): CodexReply {
  return { state: 'refused', reason };
}

function definedIn(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? '';
  return line === '' ? '' : `: ${line}`;
}

/** Transcripts of a thread by path, with their length, bytes. Codex files them by day, as `rollout-TIME-THREAD.jsonl`. */
function transcriptsOf(sessions: string, threadId: string): ReadonlyMap<string, number> {
  try {
    const names = readdirSync(sessions, { recursive: true, encoding: 'utf8' });
    const own = names.filter((name) => name.endsWith(`-${threadId}.jsonl`));
    return new Map(own.map((name) => [name, statSync(join(sessions, name)).size]));
  } catch {
    return new Map();
  }
}

/** A message of the user, in the two forms of Codex 0.169. */
const Line = z.object({
  payload: z.union([
    z.object({ type: z.literal('user_message'), message: z.string() }),
    z.object({
      type: z.literal('message'),
      role: z.literal('user'),
      content: z.array(z.object({ text: z.string().optional() })),
    }),
  ]),
});

function hasNewWords(
  sessions: string,
  threadId: string,
  before: ReadonlyMap<string, number>,
  text: string,
): boolean {
  for (const [name] of transcriptsOf(sessions, threadId)) {
    const added = readFileSync(join(sessions, name)).subarray(before.get(name) ?? 0);
    for (const line of added.toString('utf8').split('\n')) {
      const { data } = Line.safeParse(parseJson(line));
      if (data === undefined) continue;
      const { payload } = data;
      const texts =
        payload.type === 'user_message'
          ? [payload.message]
          : payload.content.map((one) => one.text);
      if (texts.includes(text)) return true;
    }
  }
  return false;
}
