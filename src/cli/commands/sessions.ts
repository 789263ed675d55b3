import type { SessionView } from '../../control/contract.ts';
import { sessionStates } from '../../core/session.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { readLimit, readWords } from '../option-values.ts';
import type { Output } from '../output.ts';
import { joinedLines } from '../../text/sanitize.ts';
import { shortenIds } from '../short-id.ts';
import { ageSince, localTimeText } from '../time-text.ts';
import { watch } from '../refresh-loop.ts';
import { type SessionKeys, watchWithKeys } from '../watch-with-keys.ts';
import { typedLine } from '../open-question.ts';
import { decideByKey } from './answer.ts';
import { openSession } from './open.ts';
import { snoozeSession } from './ack.ts';

interface Options {
  readonly state?: readonly string[];
  readonly limit?: number;
  readonly watch?: boolean;
}

/** `hookbell sessions`: lists sessions, how long they have waited and for what. */
export const defineSessions: DefineCommand = (program, run) => {
  program
    .command('sessions')
    .description('list agent sessions, those waiting for you longest first')
    .option('--state <list>', `only these: ${sessionStates.join(', ')}`, readWords(sessionStates))
    .option('--limit <n>', 'at most this many', readLimit)
    .option('--watch', 'refresh until interrupted; in a terminal, keys act on the selected session')
    .action(({ state, limit, watch: goesOn }: Options) =>
      run(async (context) => {
        const { output, json } = context;
        const query = { state: state?.join(','), limit: limit?.toString() };
        const ask = () => context.ask('GET /v1/sessions', { query });
        const show = (sessions: readonly SessionView[]): void => {
          if (json) output.json(sessions);
          else printSessions(output, sessions, Date.now());
        };
        const hasKeys = !json && output.isTerminal && process.stdin.isTTY;
        if (goesOn === true && hasKeys) {
          const showSelected = (sessions: readonly SessionView[], selected: string | null): void =>
            printSessions(output, sessions, Date.now(), selected);
          await watchWithKeys(context, { ask, show: showSelected, keys: keysOf(context) });
        } else if (goesOn === true) await watch(context, { ask, show });
        else show(await ask());
      }),
    );
};

function keysOf(context: CommandContext): SessionKeys {
  return {
    a: { does: 'allow or answer', run: (id) => decideByKey(context, id, 'allow') },
    d: { does: 'deny', run: (id) => decideByKey(context, id, 'deny') },
    w: { does: 'deny with words', run: (id) => decideByKey(context, id, 'deny with words') },
    r: {
      does: 'reply',
      async run(id) {
        const text = await typedLine('Reply: ');
        if (text === '') return;
        // Loads packages that a list of sessions does not need.
        const { replyTo } = await import('./reply.ts');
        await replyTo(context, id, text, {});
      },
    },
    o: { does: 'open', run: (id) => openSession(context, id) },
    s: { does: 'snooze', run: (id) => snoozeSession(context, id) },
  };
}

/**
 * Prints the table of `hookbell sessions`.
 *
 * @param now Unix ms, for ages
 * @param selected the key of the session to mark; left out: none can be selected
 */
export function printSessions(
  output: Output,
  sessions: readonly SessionView[],
  now: number,
  selected?: string | null,
): void {
  if (sessions.length === 0) {
    output.say('No sessions');
    return;
  }
  const short = shortenIds(sessions.map(({ sessionId, key }) => sessionId ?? key));
  // For most users all sessions run on this machine.
  const hasComputer = sessions.some(({ computer }) => computer !== null);
  output.table(
    [
      ...(selected === undefined ? [] : [' ']),
      'ID',
      'STATE',
      'FOR',
      'AGENT',
      'PROJECT',
      'TITLE',
      ...(hasComputer ? ['COMPUTER'] : []),
      'WAITS FOR',
    ],
    sessions.map((session) => [
      ...(selected === undefined ? [] : [session.key === selected ? '>' : ' ']),
      short(session.sessionId ?? session.key),
      stateText(session, now),
      ageSince(session.since, now),
      session.agent,
      session.project ?? '-',
      session.title ?? '-',
      ...(hasComputer ? [session.computer ?? '-'] : []),
      joinedLines(session.waitingFor ?? ''),
    ]),
  );
}

function stateText({ state, acknowledgedAt, snoozedUntil }: SessionView, now: number): string {
  if (acknowledgedAt !== null) return `${state}, seen`;
  return snoozedUntil === null
    ? state
    : `${state}, snoozed until ${localTimeText(snoozedUntil, now)}`;
}
