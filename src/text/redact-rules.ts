import { tokenFormats } from './redact-tokens.ts';

/** A rule that detects one kind of secret in a text. */
export interface RedactionRule {
  /** Name in the replacement: `[redacted:name]`. */
  readonly name: string;
  /** Fast pre-check: most texts contain none of these words. */
  readonly keyword: RegExp;
  /**
   * Linear on any text: each repetition is bounded, or starts at only one place of a run, or ends in a match. A first
   * group, if present, is kept.
   */
  readonly pattern: RegExp;
  /** True for a false positive. */
  readonly spares?: (value: string, unredacted: string) => boolean;
}

/** An assigned value: the separator after the name, in tables up to 40 blanks, and then the value. */
const ASSIGNED = String.raw`\\?["']?(?:\s{0,3}|[ \t]{4,40})(?:[=:]|=>)(?:\s{0,3}|[ \t]{4,40})(?!\\?["']?\[redacted:)\\?["']?)[^\s"'&,;]{6,}`;

/** Public formats of tokens, and the places of credentials. The order matters: the most certain first. */
export const redactionRules: readonly RedactionRule[] = [
  {
    name: 'private-key',
    keyword: /PRIVATE KEY/,
    // A key without its end line is redacted up to the end of the text.
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
    pattern:
      /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt|ptt|cbt)-[\w-]{16,}(?:\.[0-9a-z]{2,12}\b)?)/g,
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
    name: 'token',
    keyword: new RegExp(tokenFormats.map(({ prefix }) => escapeRegExp(prefix)).join('|')),
    pattern: new RegExp(
      `(?<![A-Za-z0-9])(?:${tokenFormats.map(({ prefix, rest }) => escapeRegExp(prefix) + rest).join('|')})(?![A-Za-z0-9])`,
      'g',
    ),
  },
  {
    name: 'airtable-token',
    keyword: /\bpat[A-Za-z0-9]{14}\./,
    pattern: /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b/g,
  },
  {
    name: 'azure-secret',
    keyword: /\dQ~/,
    pattern: /(?<![\w~.])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/g,
  },
  {
    name: 'discord-token',
    keyword: /[MNO][\w-]{23,27}\./,
    pattern: /(?<![\w-])[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g,
  },
  {
    name: 'mailchimp-key',
    keyword: /-us\d/,
    pattern: /(?<![\w-])[0-9a-f]{32}-us\d{1,2}\b/g,
  },
  {
    name: 'maxmind-key',
    keyword: /_mmk/,
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b/g,
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
  {
    name: 'aws-key',
    keyword: /A(?:KIA|SIA|BIA|CCA|3T)/,
    pattern: /\bA(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16}\b/g,
  },
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
    // Outside of a header, a digit or a sign distinguishes a credential from prose such as "basic functionality".
    pattern:
      /(\bauthorization\\?["']?\s{0,3}[=:]\s{0,3}\\?["']?(?:[a-z]{1,20}\s{1,3})?|\b(?:bearer|basic)\s{1,3}(?=[A-Za-z]{0,200}[\d_~+]))[\w.~+/=-]{8,}/gi,
    // The same in a header without a scheme: "authorization: required".
    spares: (value, unredacted) => /[=:]\s*\\?["']?$/.test(unredacted) && /^[a-z.]+$/i.test(value),
  },
  {
    name: 'url-userinfo',
    keyword: /:\/\//,
    // A password may contain a slash; digits before a slash are a port, followed by a path.
    pattern:
      /(:\/\/)(?![^\s@]{0,300}\[redacted:)(?:[^\s/:@"'<>]{0,200}:(?!\d{1,5}\/)[^\s@"'<>]{1,300}|(?=[A-Za-z]{0,64}\d)[\w-]{20,200})(?=@)/g,
  },
  {
    name: 'netrc',
    keyword: /\blogin\s/,
    pattern: /(\blogin\s{1,8}[^\s"']{1,100}\s{1,8}password\s{1,8})(?!\[redacted:)[^\s"']{3,}/g,
  },
  {
    name: 'pgpass',
    keyword: /:(?:54\d\d|\*):/,
    pattern:
      /^([\w.*-]{1,100}:(?:54\d\d|\*):[\w*-]{1,63}:[\w*-]{1,63}:)(?!\[redacted:)[^\s:]{4,}$/gm,
  },
  {
    name: 'assignment',
    keyword: /key|token|secret|pass|pwd|credential/i,
    pattern: new RegExp(
      String.raw`((?:(?:api|access|auth|app|application|private|account|shared|signing|encryption|secret|master|license|deploy|service|storage|webhook|root|admin|client)[_-]?key|token|secret|passw(?:or)?d|passphrase|pwd|credential|(?<![A-Za-z])(?:[A-Za-z0-9]{1,30}_){1,4}pass|(?<![\w.-])(?:PG|MYSQL_)?PASS)s?(?:[_-](?:base|value|salt|dev|test|live|prod(?:uction)?|staging|old|new|\d{1,2}))?${ASSIGNED}`,
      'gi',
    ),
    spares: (value, unredacted) =>
      isNoValue(value) || (/tokens?\W*$/i.test(unredacted) && isNumber(value)),
  },
  {
    name: 'assignment',
    keyword: /\bvalue\\?["']?\s{0,3}[=:]/i,
    // A name and its value in two attributes or fields, as in XML settings and Kubernetes lists of variables.
    pattern:
      /(\b(?:key|name)\\?["']?\s{0,3}[=:]\s{0,3}\\?["']?[\w.-]{0,60}(?:password|passwd|secret|token|api[_-]?key)\\?["']?,?\s{1,60}\\?["']?value\\?["']?\s{0,3}[=:]\s{0,3}\\?["']?)(?!\[redacted:)[^\s"'\\,;<>]{4,}/gi,
    spares: isNoValue,
  },
  {
    name: 'url-query',
    keyword: /[?&](?:sig|auth|code|key|x-)/i,
    pattern:
      /([?&](?:sig|signature|auth|code|key|(?:x-(?:amz|goog)-)(?:signature|credential|security-token))=)(?=[^\s&#"'<>]{0,100}\d)[^\s&#"'<>[]{8,}/gi,
  },
  {
    name: 'option',
    keyword: /--|\s-[upaPwUb]/,
    pattern:
      /(--(?:[\w-]{0,30}[-_])?(?:password|passwd|token|secret|api[_-]?key)\s["']?(?=[^\s"']{0,64}[\d!#%^*])|\s(?:-u|--user)[ =]["']?[^\s:"'[]{1,64}:(?=[^\s"'[]{0,64}[\d!#%^*]))[^\s"'[]{4,}/gi,
    spares: isNumber,
  },
  {
    // Programs that take a password in an option of one letter.
    name: 'option',
    keyword: /mysql|mariadb|sshpass|login|redis-cli|ldap|zip|7z|smbclient|htpasswd|-pass(?:in|out)/,
    pattern:
      /(\b(?:(?:mysql|mariadb)[\w-]{0,12}\s(?:[^\n|;&]{0,200}?\s)?-p|sshpass\s{1,3}-p\s{0,3}|(?:docker|podman|helm|nerdctl|buildah|skopeo|az|oc|cf|npm|vault)\s[^\n|;&]{0,100}?login\s(?:[^\n|;&]{0,200}?\s)?-p\s{1,3}|redis-cli\s(?:[^\n|;&]{0,200}?\s)?-a\s{1,3}|ldap[a-z]{3,10}\s(?:[^\n|;&]{0,200}?\s)?-w\s{1,3}|(?:un)?zip\s(?:[^\n|;&]{0,200}?\s)?-P\s{1,3}|7z[a-z]?\s(?:[^\n|;&]{0,200}?\s)?-p|smbclient\s(?:[^\n|;&]{0,200}?\s)?-U\s{0,3}[^\s%]{1,64}%|htpasswd\s(?:-[A-Za-z]{1,6}\s)?-?[A-Za-z]{0,6}b[A-Za-z]{0,6}\s{1,3}\S{1,200}\s{1,3}\S{1,64}\s{1,3}|openssl\s[^\n|;&]{0,200}?-pass(?:in|out)?\s{1,3}pass:)["']?)(?!\[redacted:)[^\s"'|;&<>$[{(-][^\s"'|;&]{2,}/g,
    spares: (value, unredacted) =>
      isNoValue(value) || (/(?:mysql|mariadb)/.test(unredacted) && isNumber(value)),
  },
];

/** Matches a text literally, as the source of a regular expression. */
function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** A rule for configured names of secret values, besides the built-in ones. */
export function ruleOfKeys(keys: readonly string[]): RedactionRule {
  const words = keys.map((key) => key.replace(/[-_]/g, '[-_]?')).join('|');
  return {
    name: 'assignment',
    keyword: new RegExp(words, 'i'),
    pattern: new RegExp(String.raw`((?:${words})${ASSIGNED}`, 'gi'),
    spares: isNoValue,
  };
}

/** A rule for tokens with this prefix. */
export function ruleOfPrefixes(prefixes: readonly string[]): RedactionRule {
  const beginnings = prefixes.join('|');
  return {
    name: 'own-token',
    keyword: new RegExp(beginnings),
    pattern: new RegExp(String.raw`(?<![A-Za-z0-9])(?:${beginnings})[\w.~+/=-]{4,}`, 'g'),
  };
}

/** Words in code and messages in place of a secret: types, states, and sources of a secret. */
const NO_VALUE =
  /^(?:string|number|boolean|undefined|unknown|object|required|optional|missing|invalid|expired|revoked|rejected|refused|incorrect|accepted|process\.env\.\w+|os\.environ\S*|\$\{?[A-Z_][A-Z0-9_]*\}?|<[^<>]*>|\*+|x+)[.)\]}>|!?]*$/i;

function isNoValue(value: string): boolean {
  return NO_VALUE.test(value);
}

function isNumber(value: string): boolean {
  return /^[\d.]+[).\]}]*$/.test(value);
}
