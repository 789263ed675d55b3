import type { RulePart } from '../../core/agent/rule-language.ts';
import { type Asked, MAX_ASKED } from '../../core/asked.ts';
import type { HookEvent } from '../../core/hook-event.ts';
import type { RequestRisk } from '../../core/waiting.ts';
import type { ParseShell } from '../../platform/shell-syntax.ts';
import { risksOf } from './request-risk.ts';
import { shellParts } from './shell-parts.ts';
import { type CommandPart, isPlainWord } from './shell-word.ts';

/** What a request is an instance of, at levels from itself to the widest that means the same kind of thing. */
export interface RequestPattern {
  /** Never empty. */
  readonly levels: readonly PatternLevel[];
  /** The level by which requests are counted: the first that leaves arguments open. */
  readonly counted: PatternLevel;
  readonly risks: readonly RequestRisk[];
}

export interface PatternLevel {
  /** For people, and equal for equal rules: "npm run test:*". */
  readonly name: string;
  readonly rules: readonly PartRule[];
}

interface PartRule extends RulePart {
  readonly name: string;
}

/**
 * The pattern of a request; null: it cannot be known, and is unlike any other one.
 *
 * @param asked of an event as it is stored: cut, and without secrets
 */
export function requestPattern(
  { asked, tool }: Pick<HookEvent, 'asked' | 'tool'>,
  parse: ParseShell,
): RequestPattern | null {
  if (asked === null || asked.text.length >= MAX_ASKED) return null;
  const { action, text } = asked;
  if (action === 'run') {
    // Its words are not those of Bash.
    const parts = /power|pwsh/i.test(tool ?? '') ? null : shellParts(text, parse);
    return parts === null ? null : patternOf(parts.map(levelsOfPart), risksOf(parts));
  }
  const levels = levelsOf(asked, tool);
  const words = action === 'use' && tool !== null ? [tool, text] : [text];
  return levels === null ? null : patternOf([levels], risksOf([{ type: action, words }]));
}

/** Whether a rule of this level allows the whole request: every part of it. */
export function isCovered(level: PatternLevel, { levels: [exact] }: RequestPattern): boolean {
  if (exact === undefined) return false;
  return exact.rules.every((part) => level.rules.some((rule) => isPartWithin(part, rule)));
}

/** Whether a rule allows all that another one does. */
export function isPartWithin({ type, words, isOpen }: RulePart, rule: RulePart): boolean {
  return (
    rule.type === type &&
    (rule.isOpen || (!isOpen && rule.words.length === words.length)) &&
    rule.words.every((word, at) => word === words[at])
  );
}

/** Levels of the whole from those of its parts. */
function patternOf(
  parts: readonly (readonly PartRule[])[],
  risks: readonly RequestRisk[],
): RequestPattern {
  const count = Math.max(...parts.map(({ length }) => length));
  const levels = Array.from({ length: count }, (_, level): PatternLevel => {
    const rules = new Map<string, PartRule>();
    for (const part of parts) {
      const rule = part[level] ?? part.at(-1);
      if (rule !== undefined) rules.set(rule.name, rule);
    }
    return { name: [...rules.keys()].join(' + '), rules: [...rules.values()] };
  });
  const [first = { name: '', rules: [] }, second = first] = levels;
  return { levels, counted: second, risks };
}

/** Commands whose first words are commands themselves, and how many of them. */
const depths: ReadonlyMap<string, number> = new Map([
  ...'git cargo go docker podman kubectl pip pip3 poetry make just task mvn gradle dotnet terraform systemctl brew apt apt-get deno npx pnpx bunx python python3 node ruby tsx bundle composer helm flutter swift npm pnpm yarn bun uv'
    .split(' ')
    .map((name): [string, number] => [name, 1]),
  ...['gh', 'aws', 'gcloud', 'az'].map((name): [string, number] => [name, 2]),
]);
/** Their arguments may be commands or files to write, or say where later commands run. */
const exactOnly =
  /^(?:find|awk|gawk|sed|tar|rsync|ssh|scp|perl|php|(?:ba|da|z|k)?sh|source|\.|cd|pushd|curl|wget|dd|tee|rm|mv|cp|chmod|chown|kill|pkill)$/;

/** From the command itself to its name, or to the command that its first words name. */
function levelsOfPart({ type, words }: CommandPart): readonly PartRule[] {
  const [name = '', ...rest] = words;
  const whole = [name, ...rest.map(withoutRun)];
  const exact = ruleOf(type, whole, false);
  if (type !== 'command' || !isPlainWord(name)) return [exact];
  const base = name.replace(/^.*\//, '');
  if (exactOnly.test(base)) return [exact];
  const runs =
    /^(?:npm|pnpm|yarn|bun|uv)$/.test(base) && /^(?:run|exec|x|dlx)$/.test(rest[0] ?? '');
  const depth = runs ? 2 : (depths.get(base) ?? 0);
  const other = rest.findIndex(
    (word) => !isPlainWord(word) || word.startsWith('-') || withoutRun(word) !== word,
  );
  const known = Math.min(depth, other === -1 ? rest.length : other);
  if (depth > 0 && known === 0) return [exact];
  const open = [];
  for (let count = known; count >= Math.min(1, depth); count -= 1) {
    open.push(ruleOf(type, whole.slice(0, count + 1), true));
  }
  return [exact, ...open];
}

function ruleOf(type: RulePart['type'], words: readonly string[], isOpen: boolean): PartRule {
  return { type, name: `${words.join(' ')}${isOpen ? ':*' : ''}`, words, isOpen };
}

/** What differs from run to run: temporary files, ids, dates, long numbers. A shell would not take such a mark for a word. */
function withoutRun(word: string): string {
  if (!isPlainWord(word)) return word;
  if (/^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)\/./.test(word) && !word.includes('..'))
    return '<temporary>';
  return word
    .replaceAll(/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, '<id>')
    .replaceAll(/\b20\d\d-\d\d-\d\d(?:[T_]\d\d[-:]?\d\d(?:[-:]?\d\d)?Z?)?\b/g, '<date>')
    .replaceAll(/\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,64}\b/g, '<id>')
    .replaceAll(/\d{6,}/g, '<number>');
}

function named(type: RulePart['type'], name: string): PartRule {
  return { type, name, words: [name], isOpen: true };
}

/** Levels of what is not a command. */
function levelsOf({ action, text }: Asked, tool: string | null): readonly PartRule[] | null {
  switch (action) {
    case 'edit':
    case 'write':
    case 'read':
      return levelsOfPath(action, text.replace(/ \(\d+ lines?\)$|(?: \+\d+)? −\d+$| \+\d+$/, ''));
    case 'fetch':
      return levelsOfAddress(text);
    case 'use': {
      const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool ?? '') ?? [];
      const host = /^network access to ([\w.-]+)$/.exec(text)?.[1];
      if (host !== undefined) return [named(action, `Network ${host}`)];
      if (server === undefined || name === undefined)
        return tool === null ? null : [named(action, tool)];
      return [{ type: action, name: `${server}: ${name}`, words: [server, name], isOpen: true }];
    }
    case 'search':
      return [named(action, 'Web search')];
    case 'plan':
      return [named(action, 'Plan')];
    case 'answer':
      return [named(action, 'Question')];
    case 'run':
      return null;
  }
}

/** A file, its folder, and the first folder below the project. */
function levelsOfPath(action: 'edit' | 'write' | 'read', path: string): readonly PartRule[] | null {
  const segments = path.split(/[\\/]/);
  const isOdd = segments.some((one, at) => /^\.{1,2}$/.test(one) || (one === '' && at > 0));
  // Of several files, only the first has a name here.
  if (isOdd || / and \d+ more files?$/.test(path) || /[\n…~]/.test(path)) return null;
  const verb = { edit: 'Edit', write: 'Write', read: 'Read' }[action];
  const rule = (count: number): PartRule => ({
    name: `${verb} ${segments.slice(0, count).join('/')}${count === segments.length ? '' : '/**'}`,
    type: action,
    words: segments.slice(0, count),
    isOpen: count < segments.length,
  });
  const folders = segments.length - 1;
  const isOutside = segments[0] === '' || /^[A-Za-z]:$/.test(segments[0] ?? '');
  if (folders === 0 || (isOutside && folders < 3)) return [rule(segments.length)];
  const widest = isOutside || folders === 1 ? [] : [rule(1)];
  return [rule(segments.length), rule(folders), ...widest];
}

function levelsOfAddress(text: string): readonly PartRule[] | null {
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, search, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return null;
  const whole = `${pathname}${search}`;
  return [
    { type: 'fetch', name: `Fetch ${host}${whole}`, words: [protocol, host, whole], isOpen: false },
    { type: 'fetch', name: `Fetch ${host}`, words: [protocol, host], isOpen: true },
  ];
}
