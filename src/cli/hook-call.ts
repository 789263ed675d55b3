import { factsOf, parseArguments } from '../../hooks/facts.ts';
import type { HookFacts } from '../core/facts.ts';

/** What the hook would learn if it ran here. */
export interface HookCall {
  /** What it would write down, as the daemon would read it. */
  readonly facts: HookFacts;
  /** The payload among the words; null when it comes on standard input. */
  readonly payload: string | null;
}

/** Reads the words of a hook command and its surroundings as the hook does. */
export function readHookCall(words: readonly string[]): HookCall {
  const call = parseArguments(words);
  return { facts: factsOf(call, process), payload: call.payload };
}
