import type { Ask } from '../../src/attention/presence.ts';
import type { AskBus } from '../../src/platform/dbus/ask-bus.ts';
import type { BusValue } from '../../src/platform/dbus/bus-values.ts';

export interface Answering {
  readonly ask: Ask;
  /** What was run, as command lines. */
  readonly asked: readonly string[];
}

/** Programs that answer when their command line ends with one of these words, and fail otherwise. */
export function answering(answers: Readonly<Record<string, string>>): Answering {
  const asked: string[] = [];
  return {
    asked,
    ask: async (program, arguments_) => {
      const line = [program, ...arguments_].join(' ');
      asked.push(line);
      return Object.entries(answers).find(([end]) => line.endsWith(end))?.[1] ?? null;
    },
  };
}

/** What programs print, or a method returns. */
export type DesktopAnswers = Readonly<Record<string, BusValue>>;

/** Programs and services of a desktop that answer as `answering` does. */
export function desktopAnswering(answers: DesktopAnswers): Answering & { readonly askBus: AskBus } {
  const asked: string[] = [];
  const answerTo = (line: string): BusValue | null => {
    asked.push(line);
    return Object.entries(answers).find(([end]) => line.endsWith(end))?.[1] ?? null;
  };
  return {
    asked,
    ask: async (program, words) => {
      const printed = answerTo([program, ...words].join(' '));
      return typeof printed === 'string' ? printed : null;
    },
    askBus: async (bus, { destination, path, interface: face, member, body = [] }) =>
      answerTo([`${bus} bus:`, destination, path, face, member, ...body.map(String)].join(' ')),
  };
}
