import { stringify } from 'yaml';

import type { ChannelDefinition } from '../core/channel.ts';
import type { JsonObject } from '../platform/json.ts';
import { defaultChannels } from './config.ts';

/** What the starter needs to know about each type of channel. */
type ChannelReach = Pick<ChannelDefinition, 'type' | 'audience' | 'reach'>;

/** The choices of a user before the file exists. */
export interface StarterChoices {
  readonly definitions: readonly ChannelReach[];
  /** Entries as in the file, by name. The desktop is notified first: see `stepsFor`. */
  readonly channels: Readonly<Record<string, JsonObject>>;
  /** Times of day, such as "22:00". */
  readonly quietHours: {
    readonly from: string;
    readonly to: string;
    /** Kinds that are sent anyway. */
    readonly letThrough?: readonly string[];
  } | null;
  /** The section `api`, as in the file. */
  readonly api: JsonObject | null;
}

const EXAMPLES = `
  # team: { type: slack, webhook: { env: SLACK_WEBHOOK_URL } }
  # mail: { type: email, to: [me@example.com], smtp: { host: smtp.example.com, user: me, password: { file: ~/.secrets/smtp } } }`;

const EXAMPLE_OF_API = {
  base_url: 'https://api.example.com',
  key: { file: '~/.secrets/hookbell-api-key' },
};

const EXAMPLE_OF_QUIET_HOURS: NonNullable<StarterChoices['quietHours']> = {
  from: '22:00',
  to: '07:30',
};

/** Delays of the later steps in the example plan. */
const AFTER = ['2m', '10m', '30m', '1h', '2h', '4h', '8h'];

/** Without choices it equals the defaults. @param schema path or URL of hookbell.schema.json */
export function starterConfig(schema: string, choices?: StarterChoices): string {
  const {
    definitions,
    channels: chosen,
    quietHours,
    api,
  } = choices ?? { definitions: [], channels: defaultChannels, quietHours: null, api: null };
  const channels = withoutDoubles(chosen);
  const names = Object.keys(channels);
  const steps = stepsFor(channels, definitions);
  const how = steps.later.length === 0 ? `notify: ${listOf(steps.first)}` : 'plan: escalate';
  const entries = Object.entries(channels).map(([name, entry]) => `  ${name}: ${inOneLine(entry)}`);
  // Quoted, because YAML 1.1, which some editors use, reads 22:00 as a number.
  const { from, to, letThrough = [] } = quietHours ?? EXAMPLE_OF_QUIET_HOURS;
  const exceptions = letThrough.length === 0 ? '' : `, let_through: ${listOf(letThrough)}`;
  const escalation = planOf(choices === undefined ? ['desktop', 'team', 'mail'] : names);
  return `# yaml-language-server: $schema=${schema}
#
# Configuration of hookbell. ${choices === undefined ? 'It contains the defaults: change what you like.' : 'It contains your answers: change what you like; the daemon reloads it immediately.'}
# "hookbell config check" validates it.

# Where notifications go: a name of your choice, the type, and options of the type. "hookbell channel add NAME" adds one.
# The inbox ("hookbell history") is always on. Keep secrets out of this file: name the place where they are stored.
channels:
${entries.join('\n')}${choices === undefined ? EXAMPLES : ''}

# Which channels to notify, and which next if no one reacts. Times count from the event; an answer ends the plan.
${steps.later.length === 0 ? `# plans:\n#   escalate: ${escalation}` : plansOf(steps)}

# Which events to notify about: the first matching route applies, and an event without a matching route is silent.
# Conditions: kind, agent, project, tool, severity, longer_than, subagent, attended, permission_mode.
routes:
  # You have to act (warning), or something failed (critical).
  - match: { severity: [warning, critical] }
    ${how}
  # A long turn is done.
  - match: { kind: turn.done, longer_than: 20s }
    ${how}

# When not to disturb you: held notifications are sent together at the end. A list holds several windows, each with "days".
${quietHours === null ? '# ' : ''}quiet_hours: { from: ${JSON.stringify(from)}, to: ${JSON.stringify(to)}${exceptions} }

# Titles, computers and credits of sessions, from the vendor's service.
${api === null ? `# api: ${inOneLine(EXAMPLE_OF_API)}` : `api: ${inOneLine(api)}`}

# Custom texts, by kind or "default", with {agent} {duration} {event} {kind} {message} {project} {reason}
# {session} {session_id} {tool}.
# templates:
#   title: { turn.done: "{project}: done after {duration}" }

# How much history to keep.
history: { keep: 90d, max_size: 500MB }
`;
}

function planOf(names: readonly string[]): string {
  const steps = names.map((name, index) =>
    index === 0
      ? `{ notify: ${name} }`
      : `{ after: ${AFTER[index - 1] ?? '12h'}, notify: ${name} }`,
  );
  return `[${steps.join(', ')}]`;
}

/** Which channels to notify immediately, and which only if no one reacts. */
interface Steps {
  readonly first: readonly string[];
  readonly later: readonly string[];
}

/** Omits the terminal next to the desktop, whose channel falls back to the terminal without a notification server. */
function withoutDoubles(channels: StarterChoices['channels']): StarterChoices['channels'] {
  const entries = Object.entries(channels);
  const hasDesktop = entries.some(([, { type }]) => type === 'desktop');
  return Object.fromEntries(entries.filter(([, { type }]) => !hasDesktop || type !== 'terminal'));
}

/** Channels on this machine first, and those that people read elsewhere if no one reacts. */
export function stepsFor(
  channels: StarterChoices['channels'],
  definitions: readonly ChannelReach[],
): Steps {
  const personal = definitions.filter(({ audience }) => audience === 'person');
  const reaches = (reach: ChannelReach['reach'], { type }: JsonObject): boolean =>
    personal.some((definition) => definition.type === type && definition.reach === reach);
  const entries = Object.entries(withoutDoubles(channels));
  const isNear = entries.some(([, entry]) => reaches('near', entry));
  const of = (elsewhere: boolean): string[] =>
    entries
      .filter(([, entry]) => (isNear && reaches('far', entry)) === elsewhere)
      .map(([name]) => name);
  return { first: of(false), later: of(true) };
}

function plansOf({ first, later }: Steps): string {
  return `plans:
  escalate:
    - notify: ${listOf(first)}
    - { after: 2m, notify: ${listOf(later)} }`;
}

function listOf(names: readonly string[]): string {
  return names.length === 1 ? String(names[0]) : `[${names.join(', ')}]`;
}

function inOneLine(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}
