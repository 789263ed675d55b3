import type { Refusal } from '../answer.ts';
import { refuse } from '../answer.ts';
import { effectProblem, isEffect } from './check-rule.ts';
import type { Effect } from './effects.ts';

/**
 * Reads the header `x-ref-fault`, by which one request chooses what goes wrong with it: an effect, or a list of
 * effects, as JSON.
 */
export function effectsOf(header: string | string[] | undefined): {
  readonly effects: readonly Effect[];
  readonly refusal: Refusal | null;
} {
  if (typeof header !== 'string') return { effects: [], refusal: null };
  const parsed = parse(header);
  const wanted = Array.isArray(parsed) ? parsed : [parsed];
  const wrong = wanted.find((each) => !isEffect(each));
  if (wrong === undefined && parsed !== undefined) {
    return { effects: wanted.filter((each) => isEffect(each)), refusal: null };
  }
  const problem = parsed === undefined ? 'is no JSON' : effectProblem(wrong);
  return { effects: [], refusal: refuse(400, `The header x-ref-fault ${problem}`) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
