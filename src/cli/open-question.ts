import { createInterface } from 'node:readline/promises';

import type { AskedQuestionView } from '../control/contract-views.ts';
import type { DecisionChoice } from '../core/question.ts';
import { FailedError, NotFoundError, UsageError } from '../platform/errors.ts';
import { documentationPage } from '../text/documentation.ts';
import { joinedLines } from '../text/sanitize.ts';
import type { CommandContext } from './context.ts';
import { shortenIds } from './short-id.ts';
import { ageSince } from './time-text.ts';

/**
 * The request that is meant; of several, the one that the person picks at the terminal.
 *
 * @param id of its session or its own, or a beginning; empty: any
 * @param choice how it is to be decided: where some can be, others are not meant
 * @throws NotFoundError if there is none
 */
export async function openQuestion(
  context: CommandContext,
  id = '',
  choice: DecisionChoice,
): Promise<AskedQuestionView> {
  const { ask, output, json } = context;
  if (json) throw new UsageError('"--json" cannot be used with a command that prompts');
  // The daemon enforces this; checked here as well, so that it fails before anything is shown.
  if (!process.stdin.isTTY) {
    throw new FailedError('Cannot prompt for a decision: standard input is not a terminal', {
      hint: 'Run the command in your own terminal',
    });
  }
  const all = await ask('GET /v1/questions', { query: { limit: '1000' } });
  const held = all.filter(({ state }) => state === 'held');
  const named = held.filter((one) => one.session.startsWith(id) || one.id.startsWith(id));
  const fitting = named.filter(({ choices }) => choices.includes(choice));
  const open = fitting.length > 0 ? fitting : named;
  const [only, ...others] = open;
  if (only === undefined) throw await nothingOpen(context, id, choice);
  if (others.length === 0) return only;
  const shortId = shortenIds(held.map((one) => one.id));
  const shortSession = shortenIds(held.map(({ session }) => session));
  output.table(
    ['NO', 'REQUEST', 'SESSION', 'SINCE', 'AGENT', 'PROJECT', 'ASKS FOR'],
    open.map((one, index) => [
      String(index + 1),
      shortId(one.id),
      shortSession(one.session),
      ageSince(one.since, Date.now()),
      one.subagent ? `${one.agent} (subagent)` : one.agent,
      one.project ?? '-',
      summaryOf(one),
    ]),
  );
  for (;;) {
    const typed = await typedLine(`Which request? [1-${open.length}] `);
    if (typed === '') throw new FailedError('No request was chosen: all stay open');
    const chosen = /^\d+$/.test(typed) ? open[Number(typed) - 1] : undefined;
    if (chosen !== undefined) return chosen;
    output.complain(`"${typed}" is not a number from 1 to ${open.length}`);
  }
}

/** A request in one line: its question, or its tool and the first thing that it was given. */
function summaryOf({ asks: [asked], text, tool }: AskedQuestionView): string {
  if (asked !== undefined) return joinedLines(asked.text);
  const value = text?.split('\n')[1]?.replace(/^\s*\w+: /, '');
  return [tool, value].filter((part) => (part ?? '') !== '').join(': ') || '-';
}

/** Why no request can be decided, and what would change that. */
async function nothingOpen(
  context: CommandContext,
  id: string,
  choice: DecisionChoice,
): Promise<NotFoundError> {
  const all = await context.ask('GET /v1/sessions', { query: { state: 'waiting' } });
  const waiting = all.filter(({ key, sessionId }) =>
    [key, sessionId ?? ''].some((one) => one.startsWith(id)),
  );
  if (waiting.length === 0) {
    const words =
      choice === 'deny' && id !== '' ? `; words follow it: hookbell deny ID "${id}"` : '';
    return new NotFoundError(
      id === ''
        ? 'No agent is waiting for an answer'
        : `No waiting session or request has an id that begins with "${id}"`,
      { hint: `Run "hookbell sessions" to list the sessions that wait for you${words}` },
    );
  }
  const who = waiting.length === 1 ? 'A session waits' : `${waiting.length} sessions wait`;
  const off = await agentWithoutAnswers(context, new Set(waiting.map(({ agent }) => agent)));
  return new NotFoundError(`${who} for you, but cannot be answered from here`, {
    hint:
      off === null
        ? `Answer in the agent's terminal: ${documentationPage('docs/answers.md')} lists what can be answered elsewhere`
        : `Answers are off for ${off}: answer in its terminal, and run "hookbell install --answers" to answer the next request from here`,
  });
}

/** The first of these agents that takes answers, but whose settings do not let hookbell wait for them; null: none. */
async function agentWithoutAnswers(
  context: CommandContext,
  agents: ReadonlySet<string>,
): Promise<string | null> {
  // They load every agent, which a list need not wait for.
  const [{ inspectHooks }, { installPlaces, registrableAgents }] = await Promise.all([
    import('../setup/inspect-hooks.ts'),
    import('./install-places.ts'),
  ]);
  const { home, searchPath, env, paths } = installPlaces(context);
  const surroundings = { ...paths, base: home, home, searchPath, env };
  for (const each of registrableAgents()) {
    if (!agents.has(each.agent) || each.registration.answers === undefined) continue;
    if ((await inspectHooks(each, surroundings)).asks.length === 0) return each.agent;
  }
  return null;
}

/** One line from the terminal; empty at its end. */
export async function typedLine(prompt: string): Promise<string> {
  const typed = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new AbortController();
  typed.once('close', () => ended.abort());
  try {
    return (await typed.question(prompt, { signal: ended.signal })).trim();
  } catch (error) {
    if (ended.signal.aborted) return '';
    throw error;
  } finally {
    typed.close();
  }
}
