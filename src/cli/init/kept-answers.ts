import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import { z } from 'zod';

import { kinds } from '../../core/hook-event.ts';
import type { Prompts } from '../../core/prompts.ts';
import { FailedError } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json.ts';
import { readOwnFile } from '../../platform/own-file.ts';
import { replaceFile } from '../../platform/replace-file.ts';
import { localTimeText } from '../time-text.ts';
import type { KeptAnswers } from './answers.ts';

const words = z.array(z.string());
const time = z.string().regex(/^\d\d:\d\d$/);

const keptSchema = z.object({
  at: z.string(),
  agents: words.optional(),
  types: words.optional(),
  channels: z.array(
    z.object({
      type: z.string(),
      options: z.record(z.string(), z.unknown()),
      secrets: z.array(z.object({ path: words, value: z.string() })),
    }),
  ),
  quietHours: z
    .union([
      z.literal('none'),
      z.object({ from: time, to: time, letThrough: z.array(z.enum(kinds)).exactOptional() }),
    ])
    .optional(),
});

/** The answers of an interrupted `init`, if the person wants to continue with them; otherwise none, and they are removed. @throws FailedError for a file that is not this user's, or a link */
export async function keptAnswers(path: string, questions: Prompts): Promise<KeptAnswers> {
  const { data } = keptSchema.safeParse(parseJson(ownText(path)));
  if (data === undefined) return { channels: [] };
  const { at, ...kept } = data;
  const names = kept.channels.map(({ type }) => type);
  const what = names.length === 0 ? '' : `, with ${names.join(', ')} set up`;
  const message = `Continue with your answers of ${localTimeText(at, Date.now())}${what}?`;
  if (await questions.yesOrNo({ message, flag: '--yes', initial: true })) return kept;
  await rm(path, { force: true });
  return { channels: [] };
}

/** Keeps the answers, which may contain secrets, where only the user can read them. Returns whether there are any. */
export function keepAnswers(path: string, kept: KeptAnswers): boolean {
  if (kept.agents === undefined && kept.types === undefined) return false;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  replaceFile(path, JSON.stringify({ at: new Date().toISOString(), ...kept }), { mode: 0o600 });
  return true;
}

function ownText(path: string): string {
  const file = readOwnFile(path, process.getuid?.() ?? null);
  if (file.type === 'gone') return '';
  if (file.type === 'not-ours') {
    throw new FailedError(`Cannot continue with the answers in ${path}`, {
      hint: `${file.detail}. Delete it, and run "hookbell init" again`,
    });
  }
  return file.bytes.toString();
}
