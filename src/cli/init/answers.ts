import { baseAddress } from '../../config/api-schema.ts';
import type { Kind } from '../../core/hook-event.ts';
import { parseOptions } from '../../config/problem.ts';
import { quietHoursSchema } from '../../config/quiet-schema.ts';
import type { Prompts } from '../../core/prompts.ts';
import { UsageError } from '../../platform/errors.ts';
import { inspectHooks } from '../../setup/inspect-hooks.ts';
import type { CommandContext } from '../context.ts';
import { installPlaces, registrableAgents } from '../install-places.ts';
import {
  askChannels,
  askTypes,
  type ChannelFacts,
  type ChannelProgress,
} from './channel-questions.ts';
import {
  type ChannelAnswer,
  readReference,
  type Setting,
  settingVariable,
} from './place-secrets.ts';

/** The answers given on the command line; null: not given, so init prompts. */
export interface GivenAnswers {
  readonly agents: readonly string[] | null;
  readonly channels: readonly string[] | null;
  readonly settings: readonly Setting[];
  readonly quietHours: QuietRange | 'none' | null;
  /** Address of the vendor's service for session titles; "none": no look-up. */
  readonly api: string | null;
  /** "file:PATH" or "env:NAME" of its key. */
  readonly apiKey: string | null;
}

/** What a person has answered so far; an interrupted `init` continues with it. */
export interface KeptAnswers extends ChannelProgress {
  agents?: readonly string[] | undefined;
  quietHours?: QuietRange | 'none' | undefined;
}

/** Facts about this machine. */
export interface MachineFacts extends ChannelFacts {
  /** Every supported agent, and those found here. */
  readonly agents: readonly string[];
  readonly found: readonly string[];
}

export interface InitAnswers {
  readonly channels: readonly ChannelAnswer[];
  readonly quietHours: QuietRange | null;
  /** The section "api" in the form of a channel, because its key is stored like a channel's secret. Null: no look-up. */
  readonly api: ChannelAnswer | null;
}

export async function askAgents(
  given: GivenAnswers,
  { agents, found }: MachineFacts,
  questions: Prompts,
  kept: KeptAnswers = { channels: [] },
): Promise<readonly string[]> {
  if (given.agents !== null) return given.agents;
  kept.agents ??= await questions.several({
    message: 'Which agents should notify you?',
    flag: '--agent NAME or --no-hooks',
    // Any other can be named on the command line.
    choices: (found.length > 0 ? found : agents).map((value) => ({ value })),
    initial: found,
    least: 0,
  });
  return kept.agents;
}

/** Asks where notifications go, and when not. @throws UsageError for invalid answers on the command line */
export async function askAnswers(
  given: GivenAnswers,
  facts: MachineFacts,
  questions: Prompts,
  kept: KeptAnswers = { channels: [] },
): Promise<InitAnswers> {
  // The command line wins over what was kept.
  const isGiven = (type: string): boolean => given.settings.some(({ channel }) => channel === type);
  kept.channels = kept.channels.filter(({ type }) => !isGiven(type));
  kept.types = given.channels ?? kept.types;
  const preset = kept.types === undefined ? await askPreset(given, facts, questions) : null;
  kept.types ??= preset?.channels ?? (await askTypes(facts, questions, kept));
  const { types } = kept;
  for (const { channel, path } of given.settings) {
    if (types.includes(channel)) continue;
    const hint = `Chosen: ${types.join(', ')}`;
    const name = [channel, ...path].join('.');
    throw new UsageError(`"--set ${name}" names a channel that is not chosen`, { hint });
  }
  kept.quietHours = given.quietHours ?? preset?.quietHours ?? kept.quietHours;
  while (!(await askChannels(given.settings, facts, questions, kept))) {
    kept.types = await askTypes(facts, questions, kept);
  }
  const chosen = new Set(kept.types);
  kept.quietHours ??= await askQuietHours(questions);
  return {
    channels: kept.channels.filter(({ type }) => chosen.has(type)),
    quietHours: kept.quietHours === 'none' ? null : kept.quietHours,
    api: await askApi(given, facts.env, questions),
  };
}

/** Most people want these with the channels desktop and ntfy, which a new configuration notifies after 2 minutes. */
const usualHours: QuietRange = { from: '22:00', to: '07:30', letThrough: ['turn.failed'] };

/** Proposes channels and hours to a person at a terminal. Returns null to ask for them one by one. */
async function askPreset(given: GivenAnswers, { hasDesktop }: MachineFacts, questions: Prompts) {
  const isGiven = given.channels !== null || given.settings.length > 0;
  if (isGiven || questions.guided === undefined) return null;
  const answer = await questions.one({
    message: 'How should hookbell notify you?',
    flag: '--channel TYPE',
    choices: [
      {
        value: 'phone',
        label: hasDesktop
          ? 'Desktop now, phone after 2 minutes without a reaction'
          : 'On the phone (this machine shows no pop-ups)',
        hint: 'from 22:00 to 07:30 only failures; the phone uses the ntfy app',
      },
      { value: 'own', label: 'Choose channels and quiet hours' },
    ],
    initial: 'phone',
  });
  if (answer !== 'phone') return null;
  return { channels: hasDesktop ? ['desktop', 'ntfy'] : ['ntfy'], quietHours: usualHours };
}

async function askQuietHours(questions: Prompts): Promise<QuietRange | 'none'> {
  const flag = '--quiet-hours FROM-TO or --no-quiet-hours';
  const message = 'Set quiet hours? Notifications are held and sent afterwards';
  if (!(await questions.yesOrNo({ message, flag, initial: false }))) return 'none';
  const text = await questions.text({
    message: 'Quiet hours, from-to',
    flag,
    initial: '22:00-07:30',
    look: 'shown',
    fault: (answer) => {
      const typed = readQuietRange(answer);
      return 'fault' in typed ? typed.fault : null;
    },
  });
  const range = readQuietRange(text);
  return 'fault' in range ? 'none' : range;
}

const KEY_VARIABLE = settingVariable('api', ['key']);

/** Asks whether to look up session titles from the vendor's service. @throws UsageError for an invalid address or key place */
async function askApi(
  given: GivenAnswers,
  env: MachineFacts['env'],
  questions: Prompts,
): Promise<ChannelAnswer | null> {
  const address = given.api ?? (await askAddress(questions));
  if (address === 'none') return null;
  const fault = addressFault(address);
  if (fault !== null) throw new UsageError(`"--api ${address}" ${fault}`);
  const key = given.apiKey ?? env[KEY_VARIABLE] ?? (await askKey(questions));
  const reference = readReference(key);
  const api = { type: 'api', options: { base_url: address }, secrets: [] };
  if (reference !== null) return { ...api, options: { ...api.options, key: reference } };
  if (given.apiKey === null) return { ...api, secrets: [{ path: ['key'], value: key }] };
  throw new UsageError('"--api-key" is a secret, which other users could see here', {
    hint: `Use file:PATH or env:NAME, or set ${KEY_VARIABLE}`,
  });
}

async function askAddress(questions: Prompts): Promise<string> {
  const flag = '--api URL or --no-api';
  const message =
    "Look up session titles with your agent vendor's service? It needs an API key; hookbell sends the session id and receives the title, computer and credits. Without it, titles come from your agents' own files";
  if (!(await questions.yesOrNo({ message, flag, initial: false }))) return 'none';
  return questions.text({
    message: 'Address of the service',
    flag,
    initial: null,
    placeholder: 'https://api.example.com',
    look: 'shown',
    fault: addressFault,
  });
}

function askKey(questions: Prompts): Promise<string> {
  return questions.text({
    message: 'API key (kept in a file only you can read)',
    flag: `--api-key file:PATH (or env:NAME, or its value in ${KEY_VARIABLE})`,
    initial: null,
    look: 'hidden',
    fault: () => null,
  });
}

/** Returns what is wrong with an address, as the rest of a sentence; null if nothing. */
function addressFault(text: string): string | null {
  return baseAddress.safeParse(text).error?.issues[0]?.message ?? null;
}

export interface QuietRange {
  readonly from: string;
  readonly to: string;
  /** Kinds that are sent anyway. */
  readonly letThrough?: readonly Kind[];
}

/** Splits "22:00-07:30", or returns what is wrong with it as the rest of a sentence. */
export function readQuietRange(text: string): QuietRange | { readonly fault: string } {
  const [from = '', to = '', ...more] = text.split('-').map((part) => part.trim());
  const range = { from, to };
  const parsed = quietHoursSchema.safeParse(range, parseOptions);
  if (parsed.success && more.length === 0) return range;
  return { fault: 'is not a range of hours, expected one such as "22:00-07:30"' };
}

/** Returns the agents that hookbell can register with, and those found on this machine. */
export async function foundAgents(context: CommandContext) {
  const { home, searchPath, env, paths } = installPlaces(context);
  const { agentConfigHome: configHome, state } = paths;
  const surroundings = { base: home, home, configHome, state, searchPath, env };
  const agents = new Set<string>();
  const found = new Set<string>();
  for (const agent of registrableAgents()) {
    agents.add(agent.agent);
    if ((await inspectHooks(agent, surroundings)).installed) found.add(agent.agent);
  }
  return { agents: [...agents], found: [...found] };
}
