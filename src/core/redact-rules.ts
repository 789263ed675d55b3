/** How one kind of secret is recognised in a text. */
export interface RedactionRule {
  /** What the text says instead: `[redacted:name]`. */
  readonly name: string;
  /** Cheap: most texts hold none of these words. */
  readonly keyword: RegExp;
  /**
   * Runs in linear time on any text: what repeats is bounded, or starts at one place of a run only, or ends in a match.
   * A first group, where there is one, is kept.
   */
  readonly pattern: RegExp;
  /** True for what looks like one and is none. */
  readonly spares?: (value: string, kept: string) => boolean;
}

/** An assigned value: what stands between a name and it, and then the value itself. */
const ASSIGNED = String.raw`\\?["']?\s{0,3}[=:]\s{0,3}(?!\\?["']?\[redacted:)\\?["']?)[^\s"'&,;]{6,}`;

/** The public formats of tokens, and the places where credentials stand. The order matters: the surest first. */
export const redactionRules: readonly RedactionRule[] = [
  {
    name: 'private-key',
    keyword: /PRIVATE KEY/,
    // A key whose end was cut off goes up to the end of the text.
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
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
    keyword: /xox|xapp|xwfp/,
    pattern: /\b(?:xox[a-z]|xapp|xwfp)-[\w.-]{8,}/g,
  },
  {
    name: 'git-token',
    keyword: /gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt|cbt)-/,
    pattern: /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt|ptt|cbt)-[\w-]{16,})/g,
  },
  {
    name: 'api-key',
    keyword: /[srf]k[-_]|AIza|npm_|whsec_|hf_|pypi-|hvs\.|lin_api_|dop_v1_|shp[a-z]{2}_|tskey-/,
    pattern:
      /\b(?:[sf]k-[\w-]{16,}|[sr]k_(?:live|test)_\w{10,}|whsec_[\w+/=]{16,}|AIza[\w-]{35,}|npm_\w{36,}|hf_[A-Za-z]{30,}|pypi-[\w-]{50,}|hvs\.[\w-]{20,}|lin_api_\w{32,}|dop_v1_\w{40,}|shp(?:at|ca|pa|ss)_\w{32,}|tskey-[\w-]{20,})/g,
  },
  {
    name: 'google-token',
    keyword: /ya29\.|GOCSPX-/,
    pattern: /\b(?:ya29\.[\w.-]{20,}|GOCSPX-[\w-]{20,})/g,
  },
  {
    name: 'sendgrid-key',
    keyword: /SG\./,
    pattern: /\bSG\.[\w-]{16,64}\.[\w-]{16,}/g,
  },
  {
    name: 'telegram-token',
    keyword: /:AA/,
    pattern: /\b\d{8,10}:AA[\w-]{32,}/g,
  },
  { name: 'aws-key', keyword: /A[KS]IA/, pattern: /\bA[KS]IA[A-Z0-9]{16}\b/g },
  {
    name: 'jwt',
    keyword: /eyJ/,
    pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  },
  {
    name: 'cookie',
    keyword: /cookie/i,
    pattern:
      /(\b(?:set-)?cookie\\?["']?:\s{0,3}\\?["']?)(?=[\w!#$%&*.^|~-]{1,100}=(?!\[redacted:))[^\r\n"'\\]{6,}/gi,
  },
  {
    name: 'authorization',
    keyword: /authorization|bearer|basic/i,
    // Outside of a header, a digit or a sign tells a credential from prose such as "basic functionality".
    pattern:
      /(\bauthorization\\?["']?\s{0,3}[=:]\s{0,3}\\?["']?(?:[a-z]{1,20}\s{1,3})?|\b(?:bearer|basic)\s{1,3}(?=[A-Za-z]{0,200}[\d_~+]))[\w.~+/=-]{8,}/gi,
    // Likewise in a header without a scheme: "authorization: required".
    spares: (value, kept) => /[=:]\s*\\?["']?$/.test(kept) && /^[a-z.]+$/i.test(value),
  },
  {
    name: 'url-userinfo',
    keyword: /:\/\//,
    pattern: /(:\/\/)(?![^\s/@]*\[redacted:)[^\s/:@]*:[^\s/@]+(?=@)/g,
  },
  {
    name: 'assignment',
    keyword: /key|token|secret|pass|pwd|credential/i,
    pattern: new RegExp(
      String.raw`((?:(?:api|access|private|account|shared|signing|encryption|secret|master)[_-]?key|token|secret|passw(?:or)?d|passphrase|pwd|credential)s?${ASSIGNED}`,
      'gi',
    ),
    spares: (value, kept) => isNoValue(value) || (/tokens?\W*$/i.test(kept) && isNumber(value)),
  },
  {
    name: 'url-query',
    keyword: /[?&](?:sig|auth|code|key|x-)/i,
    pattern:
      /([?&](?:sig|signature|auth|code|key|(?:x-(?:amz|goog)-)(?:signature|credential|security-token))=)(?=[^\s&#"'<>]{0,100}\d)[^\s&#"'<>[]{8,}/gi,
  },
  {
    name: 'option',
    keyword: /--|-u/i,
    pattern:
      /(--(?:[\w-]{0,30}[-_])?(?:password|passwd|token|secret|api[_-]?key)\s["']?(?=[^\s"']{0,64}[\d!#%^*])|\s(?:-u|--user)[ =]["']?[^\s:"'[]{1,64}:(?=[^\s"'[]{0,64}[\d!#%^*]))[^\s"'[]{4,}/gi,
    spares: isNumber,
  },
];

/** A rule for names of values that are secret here, besides the usual ones. */
export function ruleOfKeys(keys: readonly string[]): RedactionRule {
  const words = keys.map((key) => key.replace(/[-_]/g, '[-_]?')).join('|');
  return {
    name: 'assignment',
    keyword: new RegExp(words, 'i'),
    pattern: new RegExp(String.raw`((?:${words})${ASSIGNED}`, 'gi'),
    spares: isNoValue,
  };
}

/** A rule for tokens that begin like this. */
export function ruleOfPrefixes(prefixes: readonly string[]): RedactionRule {
  const beginnings = prefixes.join('|');
  return {
    name: 'own-token',
    keyword: new RegExp(beginnings),
    pattern: new RegExp(String.raw`(?<![A-Za-z0-9])(?:${beginnings})[\w.~+/=-]{4,}`, 'g'),
  };
}

/** Words that code and messages put where a secret would stand: types, states, and places a secret comes from. */
const NO_VALUE =
  /^(?:string|number|boolean|undefined|unknown|object|required|optional|missing|invalid|expired|revoked|rejected|refused|incorrect|accepted|process\.env\.\w+|os\.environ\S*|\$\{?[A-Z_][A-Z0-9_]*\}?|<[^<>]*>|\*+|x+)[.)\]}>|!?]*$/i;

function isNoValue(value: string): boolean {
  return NO_VALUE.test(value);
}

function isNumber(value: string): boolean {
  return /^[\d.]+[).\]}]*$/.test(value);
}
