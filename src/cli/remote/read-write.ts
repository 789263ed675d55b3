import type { JsonObject } from '../../core/json-object.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Shown } from './show.ts';

/** Reads what came of a call that the client does more for than send it; null for any other. */
export function readWrite(id: string, value: unknown): Shown | null {
  if (!isJsonObject(value)) return null;
  if (id === 'org.setLimits') return readLimits(value);
  if (id === 'computers.installDeps') return readInstall(value);
  return id === 'sessions.addMessage' ? readAdded(value) : null;
}

/** One row for each entry; anything but the limit that was asked for, for all of them, is at most a part of it. */
function readLimits({ outcomes, answers, badItems, failure }: JsonObject): Shown {
  const items = Array.isArray(outcomes) ? outcomes.filter(isJsonObject) : [];
  const updated = items.filter(({ outcome }) => outcome === 'updated').length;
  const asAsked = items.filter(({ limit, returned }) => limit === returned).length;
  // Nothing took effect, so the error says it all.
  if (failure instanceof Error && updated === 0) throw failure;
  const notes = failure instanceof Error ? [failure.message] : [];
  return {
    items,
    isList: true,
    json: mergedAnswers(Array.isArray(answers) ? answers.filter(isJsonObject) : []),
    badItems: Array.isArray(badItems) ? badItems : [],
    notes,
    exitCode: asAsked === items.length ? exitCodes.ok : exitCodes.partial,
  };
}

/** More than 100 entries take several requests, whose answers read like one. */
function mergedAnswers(answers: readonly JsonObject[]): JsonObject {
  const all = (name: string): unknown[] =>
    answers.flatMap(({ [name]: list }) => (Array.isArray(list) ? list : []));
  return { ...answers[0], updated: all('updated'), errors: all('errors') };
}

const installNotes: Readonly<Record<string, string>> = {
  accepted: 'The service installs the dependencies again',
  inferred: 'The answer was lost, but the computer moved: the service installs the dependencies',
  'already-running': 'The service is already installing the dependencies',
};

function readInstall({ outcome, computer }: JsonObject): Shown {
  const note = typeof outcome === 'string' ? installNotes[outcome] : undefined;
  return {
    items: [computer],
    isList: false,
    json: computer,
    notes: note === undefined ? [] : [note],
  };
}

function readAdded({ inferred, answer, status }: JsonObject): Shown {
  const item = inferred === true ? { messageId: null, status } : answer;
  const note = 'The answer was lost; that the message is there follows from the session';
  return { items: [item], isList: false, json: item, notes: inferred === true ? [note] : [] };
}
