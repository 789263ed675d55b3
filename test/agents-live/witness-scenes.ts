import type { Kind } from '../../src/core/hook-event.ts';
import type { Move } from './tools.ts';

/** A turn counts as long after this, ms: on a busy machine the others take some seconds. */
export const LONG_MS = 25_000;

/** A wait to provoke, and what a person sees and does. */
export interface Scene {
  readonly prompt: string;
  readonly model: readonly Move[];
  /** What the screen shows when the wait begins. */
  readonly shows: RegExp;
  readonly ring: Kind | null;
  /** Words in the notification. */
  readonly says?: string;
  /** The keys of the person, and what the screen shows then. */
  readonly keys: readonly string[];
  readonly after?: RegExp;
}

const proceed = /Do you want to proceed\?/;
export const scenesOfClaude: readonly Scene[] = [
  {
    prompt: 'Write the first file',
    model: [{ run: 'touch first.txt' }, { say: 'The first is written' }],
    shows: proceed,
    ring: 'needs.permission',
    says: 'touch first.txt',
    keys: ['1'],
    after: /The first is written/,
  },
  {
    prompt: 'Write the second file',
    model: [{ run: 'touch second.txt' }, { say: 'never' }],
    shows: proceed,
    ring: 'needs.permission',
    says: 'touch second.txt',
    keys: ['Escape', 'C-u'],
    after: /Interrupted/,
  },
  {
    prompt: 'Ask me something',
    model: [{ ask: 'Which database should I use?' }, { say: 'Thank you for the answer' }],
    shows: /Enter to select/,
    ring: 'needs.input',
    says: 'Which database',
    keys: ['1'],
    after: /Thank you for the answer/,
  },
  {
    prompt: 'Ask the tester',
    model: [{ agent: 'Test it now', as: 'tester' }, { say: 'They test' }],
    shows: proceed,
    ring: 'needs.permission',
    keys: ['1'],
    after: /Well tested/,
  },
  {
    prompt: 'Order the parts',
    model: [{ call: 'mcp__shop__order' }, { say: 'It is ordered' }],
    shows: /requests your input/,
    ring: 'needs.input',
    keys: ['Escape', 'C-u'],
    after: /It is ordered/,
  },
  {
    prompt: 'Work for a while',
    model: [{ say: 'The work is over', afterMs: LONG_MS + 1_000 }],
    shows: /The work is over/,
    ring: 'turn.done',
    says: 'The work is over',
    keys: [],
  },
  {
    prompt: 'Fail now',
    model: [{ fail: 400 }],
    shows: /broke a promise/,
    ring: 'turn.failed',
    says: 'broke a promise',
    keys: [],
  },
];
const grokAsks = /2 \(.\) Yes, proceed/;
export const scenesOfGrok: readonly Scene[] = [
  {
    prompt: 'Write the first file',
    model: [{ run: 'touch first.txt' }, { say: 'The first is written' }],
    shows: grokAsks,
    ring: 'needs.permission',
    says: 'touch first.txt',
    keys: ['2'],
    after: /The first is written/,
  },
  {
    prompt: 'Ask me something',
    model: [{ ask: 'Which database should I use?' }, { say: 'Thank you for the answer' }],
    shows: /Enter:submit/,
    ring: 'needs.input',
    keys: ['Enter'],
    after: /Thank you for the answer/,
  },
  {
    prompt: 'Write the second file',
    model: [{ run: 'touch second.txt' }, { say: 'never' }],
    shows: grokAsks,
    ring: 'needs.permission',
    says: 'touch second.txt',
    keys: ['3', 'Enter'],
  },
  {
    prompt: 'Work for a while',
    model: [{ say: 'The work is over', afterMs: LONG_MS + 1_000 }],
    shows: /The work is over/,
    ring: 'turn.done',
    says: 'The work is over',
    keys: [],
  },
  {
    prompt: 'Fail now',
    model: [{ fail: 400 }],
    shows: /broke a promise|400/,
    ring: 'turn.failed',
    keys: [],
  },
];
