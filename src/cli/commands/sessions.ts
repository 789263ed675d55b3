import type { SessionView } from '../../control/contract.ts';
import { pausedText, sessionStates } from '../../core/session.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { readLimit, readWords } from '../option-values.ts';
import type { Output } from '../output.ts';
import { joinedLines } from '../../text/sanitize.ts';
import { shortenIds } from '../short-id.ts';
import { ageSince, clockText, localTimeText } from '../time-text.ts';
import { watch } from '../refresh-loop.ts';
import {
  type KeyedWatch,
  type SessionKeys,
  sessionWindow,
  watchWithKeys,
  withoutEnded,
} from '../live/watch-with-keys.ts';
import { typedLine } from '../open-question.ts';
import { decideByKey } from './answer.ts';
import { openSession } from './open.ts';
import { snoozeSession } from './ack.ts';

/** Without `--limit`, as many as the daemon lists at most. */
const MOST_LISTED = 1_000;
/** A narrower terminal shows what a session waits for instead of its agent and its title. */
const WIDE = 80;

interface Options {
  readonly state?: readonly string[];
  readonly project?: string;
  readonly limit?: number;
  readonly watch?: boolean;
}

/** `hookbell sessions`: lists sessions, how long they have waited and for what. */
export const defineSessions: DefineCommand = (program, run) => {
  program
    .command('sessions')
    .description('list agent sessions, those waiting for you longest first')
    .option('--state <list>', `only these: ${sessionStates.join(', ')}`, readWords(sessionStates))
    .option('--project <name>', 'only sessions of this project')
    .option('-n, --limit <n>', 'at most this many', readLimit)
    .option('--watch', 'refresh until interrupted; in a terminal, keys act on the selected session')
    .action(
      run(async (context, { state, project, limit, watch: goesOn }: Options) => {
        const { output, json } = context;
        const query = {
          state: state?.join(','),
          limit: (project === undefined
            ? (limit ?? (json ? undefined : MOST_LISTED))
            : MOST_LISTED
          )?.toString(),
        };
        const ask = async () => {
          const found = await context.ask('GET /v1/sessions', { query });
          if (project === undefined) return found;
          return found.filter((session) => session.project === project).slice(0, limit);
        };
        const show = (sessions: readonly SessionView[]): void => {
          if (json) return output.json(sessions);
          // The prompt of the shell comes after a list, and its beginning must not leave the screen for what has ended.
          const room = (output.size()?.rows ?? Number.POSITIVE_INFINITY) - 3;
          const listed = withoutEnded(sessions, room);
          printSessions(output, goesOn === true ? sessions : listed, Date.now(), {
            ...(goesOn === true && { rows: room }),
          });
          const silent = listed.find((one) => one.seenBy === 'record' && one.state !== 'ended');
          if (goesOn !== true && silent !== undefined) {
            const { agent } = silent;
            output.say(
              `"${agent}, no hook": seen in its own record. To see and answer more: hookbell install --agent ${agent}`,
            );
          }
          const ended = sessions.length - listed.length;
          if (goesOn !== true && ended > 0) {
            output.say(`${ended} ended: "hookbell sessions --state ended" lists them`);
          }
        };
        const hasKeys = !json && output.isTerminal && process.stdin.isTTY;
        if (goesOn === true && hasKeys) {
          const showSelected: KeyedWatch['show'] = (sessions, selected, rows) =>
            printSessions(output, sessions, Date.now(), { selected, rows });
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

interface ShownPart {
  /** The key of the session to mark; left out: none can be selected. */
  readonly selected?: string | null;
  /** How many rows fit below the header; left out: all. */
  readonly rows?: number;
}

/** Prints the table of `hookbell sessions`. */
export function printSessions(
  output: Output,
  sessions: readonly SessionView[],
  now: number,
  { selected, rows = Number.POSITIVE_INFINITY }: ShownPart = {},
): void {
  if (sessions.length === 0) return output.say('No sessions');
  const short = shortenIds(sessions.map(({ sessionId, key }) => sessionId ?? key));
  // For most users all sessions run on this machine.
  const hasComputer = sessions.some(({ computer }) => computer !== null);
  const isWide = (output.size()?.columns ?? WIDE) >= WIDE;
  const mark = (text: string): readonly string[] => (selected === undefined ? [] : [text]);
  const { shown, above, below } = sessionWindow(sessions, selected ?? null, rows);
  if (above !== null) output.line(output.paint('dim', above));
  output.table(
    [
      ...mark(' '),
      'ID',
      'STATE',
      'FOR',
      ...(isWide ? ['AGENT'] : []),
      'PROJECT',
      ...(isWide ? ['TITLE'] : []),
      ...(hasComputer ? ['COMPUTER'] : []),
      'WAITS FOR',
    ],
    shown.map((session) => [
      ...mark(session.key === selected ? '>' : ' '),
      short(session.sessionId ?? session.key),
      stateText(session, now),
      ageSince(session.since, now),
      ...(isWide ? [agentText(session)] : []),
      session.project ?? '-',
      ...(isWide ? [session.title ?? '-'] : []),
      ...(hasComputer ? [session.computer ?? '-'] : []),
      joinedLines(session.waitingFor ?? (isWide ? '' : (session.title ?? ''))),
    ]),
    { whole: mark('').length + 1 },
  );
  if (below !== null) output.line(output.paint('dim', below));
}

/** "claude, no hook": only the agent's own record shows the session. */
function agentText({ agent, called, seenBy, host }: SessionView): string {
  if (seenBy === 'record') return `${agent}, no hook`;
  return host === null ? (called ?? agent) : `${agent} in ${host}`;
}

function stateText(session: SessionView, now: number): string {
  const { acknowledgedAt, snoozedUntil } = session;
  const state = pausedText(session, (at) => clockText(at, now)) ?? session.state;
  if (acknowledgedAt !== null) return `${state}, seen`;
  return snoozedUntil === null
    ? state
    : `${state}, snoozed until ${localTimeText(snoozedUntil, now)}`;
}
