import { relative, resolve } from 'node:path';

import { askedOf } from '../../agents/support/read-asked.ts';
import { requestPattern } from '../../alerts/requests/request-pattern.ts';
import { isOfPerson } from '../../alerts/requests/request-rows.ts';
import type { PastRequest } from '../../alerts/requests/propose-rules.ts';
import { type Asked, cleanRequest } from '../../core/asked.ts';
import type { HookEvent } from '../../core/hook-event.ts';
import type { WaitEnding, WaitingPeriod, WaitStore } from '../../core/waiting.ts';
import { isJsonObject, parseJson } from '../../platform/json.ts';
import { loadShellParser } from '../../platform/shell-syntax.ts';

/** The newest count; more than a person answers in a month. */
const MOST_REQUESTS = 20_000;
const MOST_CALLS = 20_000;
const PAGE = 500;
/** Endings by which a person did something: without a call that was made, it may have been a denial. */
const answeredSomehow: readonly WaitEnding[] = ['terminal', 'remote', 'activity', 'prompt'];

/** What agents asked for in a period, and which calls they made, by what exactly it was. Without what has a secret in it. */
export async function pastRequests(
  waits: WaitStore,
  period: WaitingPeriod,
  redact: (text: string) => string,
): Promise<readonly PastRequest[]> {
  const parse = await loadShellParser();
  const found = new Map<string, Counting>();

  function countingOf(event: HookEvent, asked: Asked | null): Counting | null {
    const root = rootOf(event);
    const clean = cleanRequest(asked, redact);
    const pattern = requestPattern(
      { tool: event.tool, asked: clean === null ? null : fromRoot(clean, event, root) },
      parse,
    );
    if (pattern === null) return null;
    const key = `${event.agent}\n${root}\n${pattern.levels[0]?.name}`;
    const known = found.get(key) ?? {
      agent: event.agent,
      project: event.project,
      root,
      pattern,
      allowed: 0,
      denied: 0,
      unknown: 0,
      unanswered: 0,
      waitedMs: 0,
      calls: 0,
      firstAt: event.at,
      sessions: new Set(),
    };
    known.firstAt = Math.min(known.firstAt, event.at);
    found.set(key, known);
    return known;
  }

  const requests = await waits.measuredRequests({ ...period, limit: MOST_REQUESTS });
  for (const { event, answer, ending, waitedMs } of requests) {
    if (!isOfPerson({ answer, ending }, waitedMs)) continue;
    const one = countingOf(event, event.asked);
    if (one === null) continue;
    one[answer ?? (answeredSomehow.includes(ending) ? 'unknown' : 'unanswered')] += 1;
    if (answer !== 'allowed') continue;
    one.waitedMs += waitedMs;
    one.sessions.add(event.sessionKey);
  }
  for (let before = Number.MAX_SAFE_INTEGER, left = MOST_CALLS; left > 0; left -= PAGE) {
    const calls = await waits.toolCalls({ since: period.since, before, limit: PAGE });
    for (const { event, payload } of calls) {
      const input = inputOf(payload);
      if (input === undefined) continue;
      const one = countingOf(event, askedOf(event.tool, input, event.cwd));
      if (one !== null) one.calls += 1;
    }
    before = calls.at(-1)?.seq ?? 0;
    if (calls.length < PAGE) break;
  }
  return [...found.values()].map((one) => ({ ...one, sessions: [...one.sessions] }));
}

type Counting = { -readonly [Key in keyof Omit<PastRequest, 'sessions'>]: PastRequest[Key] } & {
  readonly sessions: Set<string>;
};

/** The project of a session, as the agent names it: the directory changes with the agent's commands. */
function rootOf({ facts, cwd }: HookEvent): string | null {
  const named =
    facts.claude_project_dir ??
    facts.droid_project_dir ??
    facts.gemini_project_dir ??
    facts.qwen_project_dir;
  return [named, cwd].find((path) => /^\/(?![\\/])\P{Cc}*$/u.test(path ?? '')) ?? null;
}

/** With its path relative to the project, where it was to another directory. */
function fromRoot(asked: Asked, { cwd }: HookEvent, root: string | null): Asked {
  const isFile =
    /^(?:edit|write|read)$/.test(asked.action) && !/^(?:\/|[A-Za-z]:)/.test(asked.text);
  if (!isFile || cwd === null || root === null || cwd === root) return asked;
  return { ...asked, text: relative(root, resolve(cwd, asked.text)) };
}

function inputOf(payload: Uint8Array): unknown {
  const read = parseJson(Buffer.from(payload).toString());
  if (!isJsonObject(read)) return undefined;
  return read['tool_input'] ?? read['toolInput'] ?? read['toolArgs'];
}
