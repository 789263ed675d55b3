import { factsOf, parseArguments } from '../../hooks/facts.ts';
import type { HookFacts } from '../core/facts.ts';

/** What the hook would record if it ran here. */
export interface HookCall {
  /** The recorded facts, as the daemon would read them. */
  readonly facts: HookFacts;
  /** The payload among the arguments; null if it comes on standard input. */
  readonly payload: string | null;
}

/** Reads the arguments of a hook command and its environment as the hook does. */
export function readHookCall(words: readonly string[]): HookCall {
  const call = parseArguments(words);
  return { facts: factsOf(call, process), payload: call.payload };
}
