import { stringify } from 'yaml';

import type { JsonObject } from '../platform/json.ts';
import { defaultChannels } from './config.ts';

/** What a person may have chosen before there is a file. */
export interface StarterChoices {
  /** Their entries in the words of the file, by name. The desktop is notified first: see `stepsFor`. */
  readonly channels: Readonly<Record<string, JsonObject>>;
  /** Times of the day, such as "22:00". */
  readonly quietHours: { readonly from: string; readonly to: string } | null;
  /** The section of the vendor's service, in the words of the file. */
  readonly api: JsonObject | null;
}

const EXAMPLES = `
  # team: { type: slack, webhook: { env: SLACK_WEBHOOK_URL } }
  # mail: { type: email, to: [me@example.com], smtp: { host: smtp.example.com, user: me, password: { file: ~/.secrets/smtp } } }`;

const EXAMPLE_OF_API = {
  base_url: 'https://api.example.com',
  key: { file: '~/.secrets/hookbell-api-key' },
};

const EXAMPLE_OF_QUIET_HOURS = { from: '22:00', to: '07:30' };

/** When the later steps of the example of a plan follow. */
const AFTER = ['2m', '10m', '30m', '1h', '2h', '4h', '8h'];

/**
 * The text a new configuration starts with: every section explained. Without choices it equals what holds without a file,
 * so that writing it changes nothing.
 *
 * @param schema path or URL of hookbell.schema.json, with which editors check and complete the file
 */
export function starterConfig(schema: string, choices?: StarterChoices): string {
  const {
    channels: chosen,
    quietHours,
    api,
  } = choices ?? { channels: defaultChannels, quietHours: null, api: null };
  const channels = withoutDoubles(chosen);
  const names = Object.keys(channels);
  const steps = stepsFor(channels);
  const how = steps.later.length === 0 ? `notify: ${listOf(steps.first)}` : 'plan: escalate';
  const entries = Object.entries(channels).map(([name, entry]) => `  ${name}: ${inOneLine(entry)}`);
  // Quoted, since YAML 1.1, which some editors read, takes 22:00 for a number.
  const { from, to } = quietHours ?? EXAMPLE_OF_QUIET_HOURS;
  const escalation = planOf(choices === undefined ? ['desktop', 'team', 'mail'] : names);
  return `# yaml-language-server: $schema=${schema}
#
# Configuration of hookbell. ${choices === undefined ? 'As it stands, it says what also holds without it: change what you like.' : 'It was written as you answered: change what you like, the daemon takes it at once.'}
# "hookbell config check" tells whether hookbell understands it.

# Where notifications go: a name of your choice, the type, and options of the type. "hookbell channel add NAME" adds one.
# The inbox ("hookbell history") is always on. Secrets stay out of this file: say where they are kept.
channels:
${entries.join('\n')}${choices === undefined ? EXAMPLES : ''}

# Whom to tell, and whom next if nobody reacts. Times count from the event; an answer ends the plan.
${steps.later.length === 0 ? `# plans:\n#   escalate: ${escalation}` : plansOf(steps)}

# Which events: the first route that fits is taken, and an event that fits none is silent.
# Conditions: kind, agent, project, tool, severity, longer_than, subagent, attended, permission_mode.
routes:
  # Somebody has to act (warning), or something failed (critical).
  - match: { severity: [warning, critical] }
    ${how}
  # A long piece of work is done.
  - match: { kind: turn.done, longer_than: 20s }
    ${how}

# When you are not to be disturbed: what comes then is sent together when it is over. A list holds several windows, each with "days".
${quietHours === null ? '# ' : ''}quiet_hours: { from: ${JSON.stringify(from)}, to: ${JSON.stringify(to)} }

# Titles, computers and credits of sessions, looked up with the service your agents belong to.
${api === null ? `# api: ${inOneLine(EXAMPLE_OF_API)}` : `api: ${inOneLine(api)}`}

# Texts of your own, by kind or "default", with {agent} {duration} {event} {kind} {message} {project} {reason}
# {session} {session_id} {tool}.
# templates:
#   title: { turn.done: "{project}: done after {duration}" }

# How much hookbell remembers.
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

/** Which channels are notified at once, and which only while nobody reacts. */
interface Steps {
  readonly first: readonly string[];
  readonly later: readonly string[];
}

/** What people read elsewhere than at this machine. */
const ELSEWHERE: readonly unknown[] = ['slack', 'email'];

/** Beside the desktop the terminal is left out: the desktop channel writes there where it can show no pop-up. */
function withoutDoubles(channels: StarterChoices['channels']): StarterChoices['channels'] {
  const entries = Object.entries(channels);
  const hasDesktop = entries.some(([, { type }]) => type === 'desktop');
  return Object.fromEntries(entries.filter(([, { type }]) => !hasDesktop || type !== 'terminal'));
}

/** What is near the person first, and what is read elsewhere if nobody reacts. */
export function stepsFor(channels: StarterChoices['channels']): Steps {
  const entries = Object.entries(withoutDoubles(channels));
  const isNear = entries.some(([, { type }]) => type === 'desktop' || type === 'terminal');
  const of = (elsewhere: boolean): string[] =>
    entries
      .filter(([, { type }]) => (isNear && ELSEWHERE.includes(type)) === elsewhere)
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
