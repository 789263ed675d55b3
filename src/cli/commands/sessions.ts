import type { SessionView } from '../../control/contract.ts';
import { sessionStates } from '../../core/session.ts';
import type { DefineCommand } from '../context.ts';
import { readLimit, readWords } from '../option-values.ts';
import type { Output } from '../output.ts';
import { joinedLines } from '../../text/sanitize.ts';
import { shortenIds } from '../short-id.ts';
import { ageSince, localTimeText } from '../time-text.ts';
import { watch } from '../refresh-loop.ts';

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
    .option('--watch', 'refresh until interrupted')
    .action(({ state, limit, watch: goesOn }: Options) =>
      run(async (context) => {
        const { output, json } = context;
        const query = { state: state?.join(','), limit: limit?.toString() };
        const ask = () => context.ask('GET /v1/sessions', { query });
        const show = (sessions: readonly SessionView[]): void => {
          if (json) output.json(sessions);
          else printSessions(output, sessions, Date.now());
        };
        if (goesOn === true) await watch(context, { ask, show });
        else show(await ask());
      }),
    );
};

/** Prints the table of `hookbell sessions`. @param now Unix ms, for ages */
export function printSessions(output: Output, sessions: readonly SessionView[], now: number): void {
  if (sessions.length === 0) {
    output.say('No sessions');
    return;
  }
  const short = shortenIds(sessions.map(({ sessionId, key }) => sessionId ?? key));
  // For most users all sessions run on this machine.
  const hasComputer = sessions.some(({ computer }) => computer !== null);
  output.table(
    [
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
