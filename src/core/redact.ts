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

/** Rules for text that may carry a secret: a cheap keyword first, then a linear expression. */
const rules: readonly { name: string; keyword: RegExp; pattern: RegExp }[] = [
  {
    name: 'slack-webhook',
    keyword: /hooks\.slack/i,
    pattern: /https:\/\/hooks\.slack(?:-gov)?\.com\/[\w/+-]+/gi,
  },
  { name: 'slack-token', keyword: /xox/, pattern: /\bxox[a-z]-[\w-]{8,}/g },
  {
    name: 'github-token',
    keyword: /gh[pousr]_|github_pat_/,
    pattern: /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,})/g,
  },
  { name: 'api-key', keyword: /\b(?:sk|fk)-/, pattern: /\b(?:sk|fk)-[\w-]{16,}/g },
  { name: 'aws-key', keyword: /A[KS]IA/, pattern: /\bA[KS]IA[A-Z0-9]{16}\b/g },
  { name: 'jwt', keyword: /eyJ/, pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g },
  {
    name: 'private-key',
    keyword: /PRIVATE KEY/,
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
  },
  {
    name: 'authorization',
    keyword: /bearer|basic/i,
    pattern: /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi,
  },
  { name: 'url-userinfo', keyword: /:\/\//, pattern: /(?<=:\/\/)[^\s/:@]+:[^\s/@]+(?=@)/g },
  {
    name: 'assignment',
    keyword: /key|token|secret|passw|credential/i,
    pattern:
      /(?<=\b[\w-]{0,40}(?:api_?key|token|secret|password|passwd|credential)["']?\s{0,3}[=:]\s{0,3}["']?)[^\s"'&,;]{6,}/gi,
  },
];

/** Replaces what looks like a secret by `[redacted:rule]`. Text without one comes back as it is. */
export function redactText(text: string): string {
  let clean = text;
  for (const { name, keyword, pattern } of rules) {
    if (keyword.test(clean)) clean = clean.replace(pattern, `[redacted:${name}]`);
  }
  return clean;
}
