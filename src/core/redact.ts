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

interface Rule {
  readonly name: string;
  /** Cheap: most texts hold none of these words. */
  readonly keyword: RegExp;
  /**
   * Runs in linear time on any text: what repeats is bounded, or starts at one place of a run only, or ends in a match.
   * A first group, where there is one, is kept.
   */
  readonly pattern: RegExp;
}

const rules: readonly Rule[] = [
  {
    name: 'private-key',
    keyword: /PRIVATE KEY/,
    // A key whose end was cut off goes up to the end of the text.
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  },
  {
    name: 'slack-webhook',
    keyword: /hooks\.slack/i,
    pattern: /https:\/\/hooks\.slack(?:-gov)?\.com\/[\w/+-]+/gi,
  },
  {
    name: 'webhook',
    keyword: /discord|webhook\.office/i,
    pattern:
      /https:\/\/(?:(?:[\w-]{1,20}\.)?discord(?:app)?\.com\/api\/webhooks\/|[\w-]{1,63}\.webhook\.office\.com\/)[\w/+@=-]+/gi,
  },
  {
    name: 'slack-token',
    keyword: /xox|xapp/,
    pattern: /\b(?:xox[a-z]|xapp)-[\w.-]{8,}/g,
  },
  {
    name: 'git-token',
    keyword: /gh[pousr]_|github_pat_|glpat-/,
    pattern: /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})/g,
  },
  {
    name: 'api-key',
    keyword: /[srf]k[-_]|AIza|npm_/,
    pattern: /\b(?:[sf]k-[\w-]{16,}|[sr]k_(?:live|test)_\w{10,}|AIza[\w-]{35,}|npm_\w{36,})/g,
  },
  { name: 'aws-key', keyword: /A[KS]IA/, pattern: /\bA[KS]IA[A-Z0-9]{16}\b/g },
  {
    name: 'jwt',
    keyword: /eyJ/,
    pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  },
  {
    name: 'authorization',
    keyword: /authorization|bearer|basic/i,
    // Outside of a header, a digit or a sign tells a credential from prose such as "basic functionality".
    pattern:
      /(\bauthorization\\?["']?\s{0,3}[=:]\s{0,3}\\?["']?[a-z]{1,20}\s{1,3}|\b(?:bearer|basic)\s{1,3}(?=[A-Za-z]{0,200}[\d_~+]))[\w.~+/=-]{8,}/gi,
  },
  {
    name: 'url-userinfo',
    keyword: /:\/\//,
    pattern: /(:\/\/)(?![^\s/@]*\[redacted:)[^\s/:@]*:[^\s/@]+(?=@)/g,
  },
  {
    name: 'assignment',
    keyword: /key|token|secret|passw|pwd|credential/i,
    pattern:
      /((?:(?:api|access|private)[_-]?key|token|secret|passw(?:or)?d|pwd|credential)s?\\?["']?\s{0,3}[=:]\s{0,3}(?!\\?["']?\[redacted:)\\?["']?)[^\s"'&,;]{6,}/gi,
  },
];

/**
 * Replaces what looks like a secret by `[redacted:rule]`. Text without one comes back as it is, and a second pass
 * changes nothing.
 */
export function redactText(text: string): string {
  let clean = text;
  for (const { name, keyword, pattern } of rules) {
    if (!keyword.test(clean)) continue;
    clean = clean.replace(pattern, (_, kept: unknown) =>
      // Without a group, the second argument is the offset.
      typeof kept === 'string' ? `${kept}[redacted:${name}]` : `[redacted:${name}]`,
    );
  }
  return clean;
}
