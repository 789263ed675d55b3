import type { RequestRisk } from '../../core/waiting.ts';

/** A part of a command, or a request of another kind with its text. */
interface Risky {
  readonly type: string;
  readonly words: readonly string[];
}

const OUTSIDE = /^(?:'?\/(?!dev\/null)|'?~|'?\.\.(?:\/|$)|.*\/\.\.(?:\/|'?$)|.*\$|<temporary>)/;
const COMMAND = /^(?:command|wrapper)$/;

/** By the whole of a part, its words joined with blanks, and its type. */
const signs: readonly (readonly [RequestRisk, RegExp, RegExp])[] = [
  [
    'deletes',
    COMMAND,
    /^(?:rm|rmdir|unlink|shred|truncate|dd|mkfs[.\w]*|wipefs)\b|^find .*-delete\b|^git (?:clean|reset .*--hard|checkout .*(?:--|-f)|restore|branch .*-[dD]|stash (?:drop|clear)|rm|worktree remove)\b|^(?:docker|podman|kubectl|helm|aws|gcloud|az|gh|terraform)\b.* (?:rm|rmi|delete|destroy|prune|remove|terminate\S*|uninstall)\b|\bdrop (?:table|database)\b/i,
  ],
  [
    'force-pushes',
    COMMAND,
    /^git .*\bpush\b.* (?:-\w*f|--force|--mirror|--delete|'?\+)|^git (?:rebase|filter-\w+|commit .*--amend)/,
  ],
  [
    'publishes',
    COMMAND,
    /^(?:npm|pnpm|yarn|bun|cargo|poetry|uv|gem|twine|vsce|docker|podman|helm|mvn|dotnet nuget) (?:-\S+ (?:[^-\s]\S* )?)*(?:(?:run|run-script|image|compose) )?(?:\S*:)?(?:publish|upload|push|deploy|release)\b|^(?:terraform|pulumi|kubectl|helm) .*\b(?:apply|up|install|upgrade)\b|^gh (?:release|pr|issue|repo) (?:create|merge|close|edit|delete)/,
  ],
  [
    'privileged',
    COMMAND,
    /^(?:sudo|doas|pkexec|su|chown|chmod|setcap|mount|systemctl|launchctl)\b/,
  ],
  [
    'writes-out',
    COMMAND,
    /^(?:curl|wget|scp|rsync|ssh|sftp|ftp|nc|ncat|netcat|socat|telnet|mail|sendmail)\b|^git (?:.* )?push\b/,
  ],
  [
    'secrets',
    /./,
    /\[redacted|(?:^|[\s/'=])\.env(?:\.|\b)|\.(?:ssh|aws|gnupg|netrc|npmrc|kube|pem|key|p12)\b|id_(?:rsa|ed25519)|(?:password|passwd|secret|credential|api_?key|token)s?\b|\/etc\/shadow|^(?:printenv|env|security|pass|op|vault)\b(?! \S+=)/i,
  ],
  [
    'runs-code',
    COMMAND,
    /^(?:\S*\/)?(?:python[\d.]*|node|deno|ruby|perl|php|bun|tsx|osascript|lua)(?: .*)? (?:-\w*[ceEpr]|--eval|--print|eval|-)(?: |=|$)|^(?:\S*\/)?(?:ba|da|z|k)?sh(?: -|$)|^(?:awk|gawk|source|\.|perl|python[\d.]*|node|ruby|php)(?: '|$)|^(?:npx|pnpx|bunx|npm exec|pnpm dlx|yarn dlx)\b/,
  ],
  ['runs-code', /^redirection$/, /^<<</],
  [
    'runs-code',
    COMMAND,
    /^(?:npm|pnpm|yarn|bun|pip3?|pipx|uv|gem|cargo|go|brew|apt(?:-get)?|composer|poetry)(?: pip)? (?:install|add|i|get|require) (?:.* )?[^-.\s]|^(?:go run|deno) .*(?:@|:\/\/)|^(?:docker|podman)(?: compose)? (?:run|exec)\b|^kubectl (?:exec|run|edit|patch|replace|cp)\b|^git (?:-c|config (?!--get|--list|-l\b)|remote (?:add|set-url))|^make .*(?:SHELL|MAKEFLAGS)=/,
  ],
  // What a tool of a server does is known by its name only.
  [
    'writes-out',
    /^use$/,
    /^\S*[_-](?:delete|remove|drop|create|update|edit|write|send|post|publish|push|merge|upload|deploy|pay|order|buy|exec|run|eval|invoke|set|add|insert|close)/i,
  ],
  [
    'runs-code',
    /^assignment$/,
    /^(?:PATH|LD_\w+|DYLD_\w+|NODE_OPTIONS|PYTHONPATH|GIT_\w+|BASH_ENV|ENV|IFS)=/,
  ],
];

/** The risks of a request, each once. */
export function risksOf(parts: readonly Risky[]): readonly RequestRisk[] {
  const found = new Set<RequestRisk>();
  for (const { type, words } of parts) {
    const whole = words.join(' ').replace(/^\/(?:usr\/)?s?bin\//, '');
    for (const [risk, types, sign] of signs) {
      if (types.test(type) && sign.test(whole)) found.add(risk);
    }
    const target = type === 'redirection' ? (words[0]?.includes('>') === true ? words[1] : '') : '';
    const file = /^(?:edit|write)$/.test(type) ? words[0] : target;
    if (file !== undefined && file !== '' && OUTSIDE.test(file)) found.add('outside');
    const isMove = type === 'command' && /^(?:mv|cp|tee|ln|install)$/.test(words[0] ?? '');
    if (isMove && words.slice(1).some((word) => OUTSIDE.test(word))) found.add('outside');
  }
  return [...found];
}
