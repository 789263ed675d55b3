import type { RuleLanguage, RulePart, RuleScope } from '../../core/agent/rule-language.ts';
import type { AgentName } from '../../core/hook-event.ts';
import type { RequestRisk } from '../../core/waiting.ts';
import { groupBy } from '../waiting-report.ts';
import {
  isCovered,
  isPartWithin,
  type PatternLevel,
  type RequestPattern,
} from './request-pattern.ts';
import { risksOf } from './request-risk.ts';

/** All requests of an agent for exactly the same in one project. */
export interface PastRequest {
  readonly agent: AgentName;
  readonly project: string | null;
  /** Its directory; null: unknown. */
  readonly root: string | null;
  readonly pattern: RequestPattern;
  readonly allowed: number;
  readonly denied: number;
  /** Answered, but no event shows how. */
  readonly unknown: number;
  readonly unanswered: number;
  /** Of those that were allowed. */
  readonly waitedMs: number;
  /** Keys of the sessions in which it was allowed. */
  readonly sessions: readonly string[];
  /** How often the agent did it, asked or not. */
  readonly calls: number;
  /** When it was first asked for or done, Unix ms. */
  readonly firstAt: number;
}

/** Rules that would have kept an agent from asking. */
export interface RuleProposal {
  readonly agent: AgentName;
  readonly scope: RuleScope;
  /** The project's directory; null: it is for all projects. */
  readonly root: string | null;
  readonly project: string | null;
  readonly name: string;
  /** In the agent's language, one for each part. */
  readonly rules: readonly string[];
  readonly saved: { readonly requests: number; readonly sessions: number; readonly ms: number };
  /** Every request that it matches, and how often it was made. */
  readonly matches: readonly { readonly name: string; readonly count: number }[];
  /** What it allows at worst, one sentence for each part. */
  readonly worst: readonly string[];
}

const LEAST_ALLOWED = 5;
const LEAST_SESSIONS = 2;
const LEAST_ROOTS = 2;
/** So many narrow rules are better one that is wider. */
const SEVERAL = 3;

/** Further words that turn some command into a risk. */
const tails =
  '--force|--delete x|-D x|-d x|--hard|-- x|-f x|drop|clear|rm x|remove x|delete x|prune|destroy|apply|push|publish|-e x|-c x|--eval x|eval x|exec x|run x|x|x@latest|-delete|--amend|--mirror|create|add x|SHELL=x|https://x'.split(
    '|',
  );
const readers =
  /^(?:cat|head|tail|less|more|grep|rg|sed|strings|xxd|od|base64|sort|cut|nl|tac|jq|yq|bat)$/;

/** What further words could do with an open command. */
export function openRisks({ type, words, isOpen }: RulePart): readonly RequestRisk[] {
  if (!isOpen || type !== 'command') return [];
  if (readers.test(words[0] ?? '')) return ['secrets'];
  return risksOf(tails.map((tail) => ({ type, words: [...words, ...tail.split(' ')] })));
}

/**
 * The narrowest rules that the evidence supports: allowed five times in two sessions, never denied, without a risk. A wider one
 * needs as much evidence beyond the narrower ones, or takes the place of several.
 */
export function proposeRules(
  past: readonly PastRequest[],
  languageOf: (agent: AgentName) => RuleLanguage | null,
): readonly RuleProposal[] {
  return [...groupBy(past, ({ agent }) => agent)]
    .flatMap(([agent, requests]) => {
      const language = languageOf(agent);
      return language === null ? [] : proposalsFor(agent, requests, language);
    })
    .toSorted((a, b) => b.saved.ms - a.saved.ms);
}

interface Candidate {
  readonly level: PatternLevel;
  /** Null: for all projects. */
  readonly root: string | null;
}

function proposalsFor(
  agent: AgentName,
  requests: readonly PastRequest[],
  language: RuleLanguage,
): readonly RuleProposal[] {
  const scopes = new Set(language.files.map(({ scope }) => scope));
  const chosen: Candidate[] = [];
  const matchesOf = ({ level, root }: Candidate): readonly PastRequest[] =>
    requests.filter((one) => (root === null || one.root === root) && isCovered(level, one.pattern));
  const rulesOf = ({ level, root }: Candidate): readonly string[] | null => {
    const scope = root === null ? 'user' : 'project';
    const rules = level.rules.map((part) => language.write(part, scope));
    const isSaid = scopes.has(scope) && rules.every((rule) => rule !== null);
    return isSaid && level.rules.every((part) => openRisks(part).length === 0)
      ? [...new Set(rules.filter((rule) => rule !== null))]
      : null;
  };
  const isSupported = (candidate: Candidate): boolean => {
    const matches = matchesOf(candidate);
    const isClean = matches.every(
      ({ denied, unknown, pattern }) => denied + unknown === 0 && pattern.risks.length === 0,
    );
    if (!isClean || rulesOf(candidate) === null) return false;
    const isOfSeveral = chosen.filter((one) => isNarrower(one, candidate)).length >= SEVERAL;
    const isLeft = (one: PastRequest): boolean =>
      isOfSeveral ||
      !chosen.some(
        ({ level, root }) => (root === null || root === one.root) && isCovered(level, one.pattern),
      );
    const left = matches.filter(isLeft);
    const asked = left.filter(({ allowed }) => allowed > 0);
    return (
      asked.reduce((sum, { allowed }) => sum + allowed, 0) >= LEAST_ALLOWED &&
      new Set(asked.flatMap(({ sessions }) => sessions)).size >= LEAST_SESSIONS &&
      (candidate.root !== null || new Set(asked.map(({ root }) => root)).size >= LEAST_ROOTS)
    );
  };

  const deepest = Math.max(...requests.map(({ pattern }) => pattern.levels.length));
  for (let depth = 0; depth < deepest; depth += 1) {
    const named = groupBy(requests, ({ pattern }) => pattern.levels[depth]?.name ?? null);
    for (const [name, members] of named) {
      const level = members[0]?.pattern.levels[depth];
      if (name === null || level === undefined) continue;
      if (sumOf(members, ({ allowed }) => allowed) < LEAST_ALLOWED) continue;
      const roots = new Set(members.flatMap(({ root }) => root ?? []));
      const single = [...roots].map((root) => ({ level, root })).filter(isSupported);
      const all = { level, root: null };
      const isForAll = single.length !== 1 && isSupported(all);
      const added = isForAll ? [all] : single;
      const replaced = chosen.filter((one) => added.some((wide) => isNarrower(one, wide)));
      for (const one of replaced) chosen.splice(chosen.indexOf(one), 1);
      chosen.push(...added);
    }
  }
  return chosen.map((candidate) => {
    const matches = matchesOf(candidate);
    const { level, root } = candidate;
    const sessions = new Set(matches.flatMap((one) => one.sessions));
    const counts = groupBy(matches, ({ pattern }) => pattern.levels[0]?.name ?? '');
    return {
      agent,
      scope: root === null ? 'user' : 'project',
      root,
      project: root === null ? null : (matches[0]?.project ?? null),
      name: level.name,
      rules: rulesOf(candidate) ?? [],
      saved: {
        requests: sumOf(matches, ({ allowed }) => allowed),
        sessions: sessions.size,
        ms: sumOf(matches, ({ waitedMs }) => waitedMs),
      },
      matches: [...counts]
        .map(([name, ones]) => ({
          name,
          count: sumOf(ones, ({ allowed, unanswered, calls }) =>
            Math.max(allowed + unanswered, calls),
          ),
        }))
        .toSorted((a, b) => b.count - a.count),
      worst: level.rules.map((part) => worstOf(part, language)),
    };
  });
}

function isNarrower(one: Candidate, than: Candidate): boolean {
  const isThere = than.root === null || than.root === one.root;
  return (
    isThere &&
    one.level.rules.every((part) => than.level.rules.some((rule) => isPartWithin(part, rule)))
  );
}

function sumOf(ones: readonly PastRequest[], of: (one: PastRequest) => number): number {
  return ones.reduce((sum, one) => sum + of(one), 0);
}

/** What a rule allows at worst, for people. */
function worstOf({ type, words, isOpen }: RulePart, { adds }: RuleLanguage): string {
  if (type === 'command') {
    const how = isOpen
      ? 'with any arguments, also such as name other files or programs'
      : 'as it stands';
    return `runs "${words.join(' ')}" ${how}, whatever that does by then${adds === undefined ? '' : `; ${adds}`}`;
  }
  const file = words.join('/');
  if (type === 'edit' || type === 'write')
    return `changes ${isOpen ? `and creates any file below ${file}, also one that a build runs` : file}`;
  if (type === 'fetch')
    return `requests any page of ${words[1]}, with what the agent puts into its address`;
  return `calls ${words.join(': ')} with any input`;
}

/** What is known of the use of a rule that exists. */
export interface RuleUse {
  readonly rule: string;
  /** Null: what the rule allows is not understood. */
  readonly calls: number | null;
  /** Narrower names that all its calls have; empty: it is as wide as its use. */
  readonly narrower: readonly string[];
}

/** More names than this are as wide as the rule. */
const MOST_NARROWER = 3;

/** How the calls of an agent use a rule of its settings. */
export function useOfRule(
  rule: string,
  past: readonly PastRequest[],
  language: RuleLanguage,
): RuleUse {
  const allowed = language.read(rule);
  if (allowed === null) return { rule, calls: null, narrower: [] };
  // A call matches if the rule was needed for a part of it.
  const used = past.filter(
    ({ calls, pattern: { levels } }) =>
      calls > 0 && levels[0]?.rules.some((part) => isPartWithin(part, allowed)) === true,
  );
  const names = new Set(
    used.flatMap(({ pattern: { levels } }) => {
      const inner = levels
        .flatMap(({ rules }) => rules)
        .filter((part) => isPartWithin(part, allowed));
      const open = inner.filter(
        ({ isOpen, words }) => isOpen && words.length > allowed.words.length,
      );
      return [(open.at(-1) ?? inner[0])?.name ?? ''];
    }),
  );
  const isWide = allowed.isOpen && names.size > 0 && names.size <= MOST_NARROWER;
  const isSame = [...names].some((name) => name === `${allowed.words.join(' ')}:*`);
  return {
    rule,
    calls: sumOf(used, ({ calls }) => calls),
    narrower: isWide && !isSame && allowed.words.length < 2 ? [...names] : [],
  };
}
