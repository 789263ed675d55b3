import { factLines, parseArguments } from '../../hooks/facts.ts';
import type { Facts } from '../core/facts.ts';

/** What the hook would learn if it ran here. */
export interface HookCall {
  /** The very lines it would write, as the daemon would read them. */
  readonly facts: Facts;
  /** The payload among the words; null when it comes on standard input. */
  readonly payload: string | null;
}

/** Reads the words of a hook command and its surroundings as the hook does. */
export function readHookCall(words: readonly string[]): HookCall {
  const call = parseArguments(words);
  const lines = factLines(call, process)
    .split('\n')
    .filter((line) => line !== '');
  return { facts: Object.fromEntries(lines.map(splitLine)), payload: call.payload };
}

function splitLine(line: string): readonly [string, string] {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
}
