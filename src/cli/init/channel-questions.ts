import type { ChannelDefinition } from '../../core/channel.ts';
import type { Choice, Prompts } from '../../core/prompts.ts';
import { askChannel } from './ask-channel.ts';
import type { ChannelAnswer, Setting } from './place-secrets.ts';
import { SetUpStopped } from './terminal-questions.ts';

/** What can be set up on this machine. */
export interface ChannelFacts {
  readonly definitions: readonly ChannelDefinition[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether it can show pop-ups, as far as known. */
  readonly hasDesktop: boolean;
}

export interface ChannelProgress {
  /** Types of the chosen channels. */
  types?: readonly string[] | undefined;
  /** The channels that are set up. */
  channels: ChannelAnswer[];
}

/** Sets up the chosen channels that are not set up yet. Returns false if the person wants to choose again, or none is left. */
export async function askChannels(
  given: readonly Setting[],
  { definitions, env }: ChannelFacts,
  questions: Prompts,
  kept: ChannelProgress,
): Promise<boolean> {
  for (const definition of definitions) {
    const { type } = definition;
    const isDone = kept.channels.some((channel) => channel.type === type);
    if (isDone || kept.types?.includes(type) !== true) continue;
    const settings = given.filter(({ channel }) => channel === type);
    const answer = await orLeave(type, questions, () =>
      askChannel(definition, settings, `${type}.`, env, questions),
    );
    if (answer === 'back') return false;
    if (answer === 'skip') kept.types = kept.types.filter((chosen) => chosen !== type);
    else kept.channels.push(answer);
  }
  return kept.types?.length !== 0;
}

/** Asks a person who leaves the questions of a channel how to go on. @throws SetUpStopped if init should stop */
async function orLeave(
  type: string,
  questions: Prompts,
  ask: () => Promise<ChannelAnswer>,
): Promise<ChannelAnswer | 'skip' | 'back'> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SetUpStopped)) throw error;
      if (error.next !== 'stop') return error.next;
      const next = await questions.one({
        message: `Channel "${type}" is not set up yet`,
        flag: '--channel TYPE',
        choices: [{ value: 'again', label: 'Set it up from its first question' }, ...leavingInit],
        initial: 'again',
      });
      if (next === 'skip' || next === 'back') return next;
      if (next !== 'again') throw error;
    }
  }
}

/** How a person can leave the questions of a channel. */
export const leavingInit = [
  { value: 'skip', label: 'Leave this channel out' },
  { value: 'back', label: 'Back to the choice of channels' },
  { value: 'stop', label: 'Stop', hint: 'your answers are kept for the next "hookbell init"' },
] as const;

/** What most people choose among; the others are behind one more choice. */
const common = new Set(['desktop', 'terminal', 'ntfy', 'telegram', 'slack', 'discord', 'email']);
const MORE = 'more';

/** Asks for the types of channels, the usual ones first. */
export async function askTypes(
  { definitions, hasDesktop }: ChannelFacts,
  questions: Prompts,
  { types = hasDesktop ? ['desktop'] : [] }: ChannelProgress,
): Promise<readonly string[]> {
  const message = 'Where do you want notifications?';
  const question = { message, flag: '--channel TYPE', least: 1 } as const;
  const others = definitions.filter(({ type }) => !common.has(type));
  const names = others.map(({ type }) => type);
  const chosen = await questions.several({
    ...question,
    choices: [
      ...definitions.filter(({ type }) => common.has(type)).map(choiceOf),
      { value: MORE, label: 'more …', hint: names.join(', ') },
    ],
    initial: [
      ...types.filter((type) => common.has(type)),
      ...(types.some((type) => names.includes(type)) ? [MORE] : []),
    ],
  });
  if (!chosen.includes(MORE)) return chosen;
  const more = await questions.several({
    ...question,
    choices: others.map(choiceOf),
    initial: types.filter((type) => names.includes(type)),
  });
  return [...chosen.filter((type) => type !== MORE), ...more];
}

function choiceOf({ type, summary }: ChannelDefinition): Choice {
  return { value: type, hint: summary };
}
