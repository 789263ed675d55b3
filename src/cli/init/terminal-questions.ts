import type { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';

import type { CANCEL_SYMBOL } from '@clack/prompts';

import type { Choice, Prompts, TextQuestion } from '../../core/prompts.ts';
import { FailedError } from '../../platform/errors.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { systemTimer } from '../../platform/time.ts';
import { wrapWords } from '../display-width.ts';
import { withInterrupt } from '../refresh-loop.ts';
import { qrCode, type Screen } from './qr-code.ts';

/** Columns at the left of a question. */
const LEFT_EDGE = 4;

interface TerminalOptions {
  readonly output: Writable;
  /** Aborts at Ctrl-C outside of a question. */
  readonly signal: AbortSignal;
  /** Proxies of guided set-ups. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How a person can leave the guided set-up of a channel. */
  readonly leaving: readonly (Choice & { readonly value: Leaving })[];
  /** Called before each question: a terminal that is closed ends the process without another chance. */
  readonly beforeEach?: () => void;
}

/** `skip`: without this channel. `back`: to the choice of channels. `stop`: ends the command. */
type Leaving = 'skip' | 'back' | 'stop';

/** A person left a question unanswered. */
export class SetUpStopped extends FailedError {
  readonly next: Leaving;

  constructor(next: Leaving) {
    super('Setup was interrupted', { hint: 'Nothing was changed' });
    this.next = next;
  }
}

/**
 * Asks the user at the terminal, with arrow keys.
 *
 * @returns questions that throw a FailedError at Ctrl-C and when the signal is aborted
 */
export function terminalQuestions(options: TerminalOptions): Prompts {
  const { output, signal, env, leaving, beforeEach } = options;
  const common = { output, signal };
  const fitted = (text: string): string => fitLines(text, screenOf(output).columns);
  const begin = (message: string): string => {
    beforeEach?.();
    return fitted(message);
  };
  // The package is loaded with the first question: most calls of the command do not prompt.
  const questions: Prompts = {
    several: async ({ message, choices, initial, least }) => {
      const { multiselect } = await import('@clack/prompts');
      return answerOf(
        await multiselect({
          ...common,
          message: begin(message),
          options: choices.map(optionOf),
          initialValues: initial,
          required: least > 0,
        }),
      );
    },
    one: async ({ message, choices, initial }) => {
      const { select } = await import('@clack/prompts');
      return answerOf(
        await select({
          ...common,
          message: begin(message),
          options: choices.map(optionOf),
          initialValue: initial,
        }),
      );
    },
    yesOrNo: async ({ message, initial }) => {
      const { confirm } = await import('@clack/prompts');
      return answerOf(await confirm({ ...common, message: begin(message), initialValue: initial }));
    },
    text: async (question) => {
      const { password, text } = await import('@clack/prompts');
      const { message, look, initial, placeholder = initial ?? '' } = question;
      const asked = { ...common, message: begin(message), validate: validatorOf(question) };
      const answer =
        look === 'hidden'
          ? await password(asked)
          : await text({ ...asked, placeholder, defaultValue: initial ?? '' });
      return answerOf(answer).trim();
    },
  };
  return {
    ...questions,
    async guided(guide) {
      const outbound = createOutbound({ env });
      const say = (text: string): void => void output.write(`${fitted(text)}\n`);
      const screen = screenOf(output);
      const showLink = async (link: string): Promise<void> => {
        const code = await qrCode(link, screen);
        output.write(code === null ? `${link}\n` : `${code}\n${link}\n`);
      };
      const choose: Prompts['one'] = async (question) => {
        const choices = [...question.choices, ...leaving];
        const answer = await questions.one({ ...question, choices });
        const left = leaving.find(({ value }) => value === answer);
        if (left !== undefined) throw new SetUpStopped(left.value);
        return answer;
      };
      const time = { startTimer: systemTimer, now: Date.now };
      const ports = { questions, choose, say, showLink, outbound, ...time };
      try {
        return await withInterrupt(async (waiting) => {
          try {
            return await guide({ ...ports, signal: AbortSignal.any([signal, waiting]) });
          } catch (error) {
            throw waiting.aborted && !signal.aborted ? new SetUpStopped('stop') : error;
          }
        });
      } finally {
        // Open connections would keep the command running.
        await outbound.close();
      }
    },
  };
}

function screenOf(output: Writable): Screen {
  const size = (name: 'columns' | 'rows'): number => {
    const value: unknown = name in output ? Reflect.get(output, name) : 0;
    return typeof value === 'number' ? value : 0;
  };
  const depth = output instanceof WriteStream ? output.getColorDepth() : 1;
  return { columns: size('columns'), rows: size('rows'), colours: depth > 1 };
}

/** The package returns a symbol on Ctrl-C. */
function answerOf<Answer extends boolean | string | readonly string[]>(
  answer: Answer | typeof CANCEL_SYMBOL,
): Answer {
  if (typeof answer !== 'symbol') return answer;
  throw new SetUpStopped('stop');
}

/** Breaks lines at their blanks where the terminal would break words; a link stays whole. */
function fitLines(text: string, columns: number): string {
  if (columns <= LEFT_EDGE) return text;
  return text
    .split('\n')
    .flatMap((line) =>
      line.startsWith(' ') ? [line] : wrapWords(line.split(' '), columns - LEFT_EDGE),
    )
    .join('\n');
}

function validatorOf({ initial, fault }: TextQuestion) {
  return (typed: string | undefined): string | undefined => {
    const answer = typed?.trim() ?? '';
    if (answer === '' && initial !== null) return undefined;
    const reason = answer === '' ? 'is required; Ctrl-C leaves it' : fault(answer);
    return reason === null ? undefined : `It ${reason}`;
  };
}

function optionOf({ value, label = value, hint }: Choice) {
  return { value, label, ...(hint === undefined ? {} : { hint }) };
}

/**
 * Gives answers without prompting, for scripts, and records the options that would have answered the other questions.
 *
 * @param knows `defaults`: every question that has a default; `nothing`: none
 */
export function silentQuestions(
  knows: 'defaults' | 'nothing',
): Prompts & { readonly unanswered: () => readonly string[] } {
  const flags: string[] = [];
  const answered = <Answer>(flag: string, initial: Answer): Promise<Answer> => {
    if (knows === 'nothing') flags.push(flag);
    return Promise.resolve(initial);
  };
  return {
    unanswered: () => flags,
    several: ({ flag, initial }) => answered(flag, initial),
    one: ({ flag, initial }) => answered(flag, initial),
    yesOrNo: ({ flag, initial }) => answered(flag, initial),
    text: ({ flag, initial }) => {
      if (initial !== null) return answered(flag, initial);
      flags.push(flag);
      return Promise.resolve('');
    },
  };
}
