import { redactRandom } from './redact-random.ts';
import type { RedactionRule } from './redact-rules.ts';
import { redactionRules, ruleOfKeys, ruleOfPrefixes } from './redact-rules.ts';
import { redactValue } from './redact-value.ts';

/** A value that must not be seen: prints as `***` wherever it is shown by accident. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself; call it only where the value goes over the wire. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '***';
  }
}

/** What is secret here besides what is secret everywhere. */
export interface OwnSecrets {
  /** Beginnings of tokens, such as "acme_". */
  readonly prefixes: readonly string[];
  /** Names of values, such as "license_key". */
  readonly keys: readonly string[];
}

export type Redact = (text: string) => string;

export interface Redactor {
  /**
   * Replaces what looks like a secret by `[redacted:rule]`. Text without one comes back as it is, and a second pass
   * changes nothing.
   */
  readonly text: Redact;
  /** The same for parsed JSON: values of secret keys go as a whole, whatever they look like. */
  readonly value: (value: unknown) => unknown;
}

export function createRedactor({ prefixes, keys }: OwnSecrets): Redactor {
  const rules = [
    ...redactionRules,
    ...(prefixes.length === 0 ? [] : [ruleOfPrefixes(prefixes)]),
    ...(keys.length === 0 ? [] : [ruleOfKeys(keys)]),
  ];
  const text: Redact = (foreign) => redactRandom(rules.reduce(applyRule, foreign));
  return { text, value: (value) => redactValue(value, { text, keys }) };
}

const usual = createRedactor({ prefixes: [], keys: [] });

/** What is secret everywhere; see `Redactor`. */
export const redactText: Redact = usual.text;

/** The same for parsed JSON. */
export const redactJson: Redactor['value'] = usual.value;

/** More passes than a command line has passwords. */
const MOST_PASSES = 8;

/** Until nothing changes: what a match skips at its beginning, such as a command that stands twice, may hold another. */
function applyRule(text: string, { name, keyword, pattern, spares }: RedactionRule): string {
  if (!keyword.test(text)) return text;
  let clean = text;
  for (let pass = 1; pass <= MOST_PASSES; pass += 1) {
    const before = clean;
    clean = before.replace(pattern, (found: string, group: unknown) => {
      // Without a group, the second argument is the offset.
      const kept = typeof group === 'string' ? group : '';
      if (spares?.(found.slice(kept.length), kept) === true) return found;
      return `${kept}[redacted:${name}]`;
    });
    if (clean === before) break;
  }
  return clean;
}
