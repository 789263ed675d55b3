/**
 * What hookbell is for, as stories that run twice: on a simulated clock with minutes, and with real processes and seconds.
 * Each line happens when the one before it has come true.
 */
export interface Scenario {
  readonly name: string;
  /** Lines of the configuration besides channels and the plan; "2u" is two units of time. */
  readonly config?: string;
  /** The steps of its plan. */
  readonly plan?: string;
  /** Begins within quiet hours. */
  readonly isQuiet?: true;
  readonly lines: readonly Line[];
}

export type Line =
  | { readonly type: 'asks'; readonly session: string; readonly command: string }
  | { readonly type: 'goes on'; readonly session: string; readonly command: string }
  /** A person says "seen". */
  | { readonly type: 'is seen'; readonly session: string }
  | { readonly type: 'quiet hours end' }
  /** The next notification: on this channel, `after` units after the last line of another type, with `more` other events. */
  | {
      readonly type: 'rings';
      readonly channel: string;
      readonly after: number;
      readonly more: number;
    }
  /** No further notification, ever. */
  | { readonly type: 'silence' }
  /** No session waits for a person. */
  | { readonly type: 'no session waits' };

/** Of every scenario that names no other. */
const escalation =
  '[{ after: 0s, notify: desktop }, { after: 2u, notify: slack }, { after: 4u, notify: mail }]';

/** The last step is not to be reached: it is far off, so that a slow machine has time to answer before it. */
const patient =
  '[{ after: 0s, notify: desktop }, { after: 2u, notify: slack }, { after: 20u, notify: mail }]';
const bell = '[{ after: 0s, notify: desktop }]';

const NO_BURSTS = 'noise: { burst: { at_once: 100, window: 1ms } }';

function asks(session: string, command: string): Line {
  return { type: 'asks', session, command };
}

function rings(channel: string, after = 0, more = 0): Line {
  return { type: 'rings', channel, after, more };
}

function goesOn(session: string, command = 'ls'): Line {
  return { type: 'goes on', session, command };
}

const silence: Line = { type: 'silence' };
const noSessionWaits: Line = { type: 'no session waits' };

export const coreScenarios: readonly Scenario[] = [
  {
    name: 'a question goes from the desktop to Slack to mail, and then there is silence',
    lines: [asks('s1', 'ls'), rings('desktop'), rings('slack', 2), rings('mail', 4), silence],
  },
  {
    name: 'an answer ends the escalation',
    plan: patient,
    lines: [
      asks('s1', 'ls'),
      rings('desktop'),
      rings('slack', 2),
      goesOn('s1'),
      silence,
      noSessionWaits,
    ],
  },
  {
    name: 'a second, different question notifies again and begins anew; the same one does not',
    config: NO_BURSTS,
    plan: patient,
    lines: [
      asks('s1', 'ls'),
      rings('desktop'),
      rings('slack', 2),
      asks('s1', 'ls'),
      asks('s1', 'rm -r build'),
      rings('desktop'),
      rings('slack', 2),
      goesOn('s1', 'rm -r build'),
      silence,
    ],
  },
  {
    name: 'an acknowledged session does not notify again',
    plan: '[{ after: 0s, notify: desktop }, { after: 20u, notify: mail }]',
    lines: [
      asks('s1', 'ls'),
      rings('desktop'),
      { type: 'is seen', session: 's1' },
      silence,
      goesOn('s1'),
      noSessionWaits,
    ],
  },
  {
    name: 'sessions escalate each for itself',
    config: NO_BURSTS,
    plan: '[{ after: 0s, notify: desktop }, { after: 6u, notify: slack }]',
    lines: [
      asks('s1', 'ls'),
      rings('desktop'),
      asks('s2', 'ls'),
      rings('desktop'),
      goesOn('s1'),
      rings('slack'),
      silence,
    ],
  },
  {
    name: 'quiet hours hold, and unanswered questions at their end are sent in one message',
    isQuiet: true,
    plan: bell,
    lines: [
      asks('s1', 'ls'),
      asks('s2', 'ls'),
      asks('s3', 'ls'),
      goesOn('s2'),
      { type: 'quiet hours end' },
      rings('desktop', 0, 1),
      goesOn('s1'),
      goesOn('s3'),
      silence,
      noSessionWaits,
    ],
  },
  {
    name: 'the first requests of a burst notify immediately, and the others in one message',
    config: 'noise: { burst: { at_once: 1, window: 6u } }',
    plan: bell,
    lines: [
      asks('s1', 'ls'),
      rings('desktop'),
      asks('s2', 'ls'),
      rings('desktop'),
      asks('s3', 'ls'),
      rings('desktop'),
      asks('s4', 'ls'),
      asks('s5', 'ls'),
      asks('s6', 'ls'),
      rings('desktop', 0, 2),
      ...['s1', 's2', 's3', 's4', 's5', 's6'].map((session) => goesOn(session)),
      silence,
    ],
  },
  {
    name: 'an unanswered question is given up',
    config: 'alerts: { expire_after: 6u, settle: 0 }',
    plan: patient,
    lines: [asks('s1', 'ls'), rings('desktop'), rings('slack', 2), silence, noSessionWaits],
  },
];

/** The payloads of Claude Code. */
export function payloadOf(line: Line): Readonly<Record<string, unknown>> | null {
  if (line.type !== 'asks' && line.type !== 'goes on') return null;
  return {
    session_id: line.session,
    cwd: '/home/dev/shop',
    hook_event_name: line.type === 'asks' ? 'PermissionRequest' : 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: line.command },
  };
}

/**
 * The configuration of a scenario.
 *
 * @param unit such as "m"
 * @param urlOf where a channel posts to
 * @param quietHours the value of "quiet_hours"; null: none
 */
export function configOf(
  { config = '', plan = escalation }: Scenario,
  {
    unit,
    urlOf,
    quietHours,
  }: {
    readonly unit: 'm' | 's';
    readonly urlOf: (channel: string) => string;
    readonly quietHours: string | null;
  },
): string {
  const channels = ['desktop', 'slack', 'mail'].map(
    (name) =>
      `  ${name}: { type: slack, webhook: "${urlOf(name)}", allow_any_host: true, rate: { burst: 100, every: 10ms } }`,
  );
  const text = `
channels:
${channels.join('\n')}
plans: { bell: ${plan} }
routes: [{ match: { kind: waiting }, plan: bell }, { match: {}, plan: none }]
${config}
${quietHours === null ? '' : `quiet_hours: ${quietHours}`}
`;
  return text.replaceAll(/(\d)u\b/g, `$1${unit}`);
}
