import { numberText } from '../define-routes.ts';

const CLIENT_LABELS: Readonly<Record<string, string>> = {
  'terminal-ui': 'Terminal',
  web: 'Web',
  'non-interactive-cli': 'Automation',
};

const DELEGATION_LABELS: Readonly<Record<string, string>> = {
  'auto-high': 'Maximum autonomy, minimal confirmations',
  'auto-medium': 'Balanced autonomy',
  'auto-low': 'Limited autonomy, frequent confirmations',
  spec: 'Planning before execution',
  manual: 'Every action confirmed',
};

/** Display name of a client type; unknown ones are returned verbatim. */
export function clientLabel(client: string): string {
  return labelFrom(CLIENT_LABELS, client);
}

/** Meaning of a delegation level; unknown ones are returned verbatim. */
export function delegationLabel(level: string): string {
  return labelFrom(DELEGATION_LABELS, level);
}

/** Display text of `billable_tokens`: standard credits, neither tokens nor money. */
export function creditsText(credits: number): string {
  return `${numberText(credits)} standard ${credits === 1 ? 'credit' : 'credits'}`;
}

function labelFrom(labels: Readonly<Record<string, string>>, key: string): string {
  return Object.hasOwn(labels, key) ? (labels[key] ?? key) : key;
}

/** A named count. */
export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/** Form of tool names; about 0.006 % of the entries are parsing artefacts. */
const CLEAN_TOOL_NAME = /^[\w.:/-]{1,80}$/;

/**
 * Adds up names that differ only in case, as names of MCP servers do, for display. Each is shown in its most used spelling.
 */
export function foldByCase(counts: readonly NamedCount[]): NamedCount[] {
  const folded = new Map<string, { total: number; spellings: Map<string, number> }>();
  for (const { name, count } of counts) {
    const entry = folded.get(name.toLowerCase()) ?? { total: 0, spellings: new Map() };
    entry.total += count;
    entry.spellings.set(name, (entry.spellings.get(name) ?? 0) + count);
    folded.set(name.toLowerCase(), entry);
  }
  return [...folded.values()].map(({ total, spellings }) => {
    const [mostUsed] = [...spellings].toSorted(([, one], [, other]) => other - one);
    return { name: mostUsed?.[0] ?? '', count: total };
  });
}

/** Groups tool names that are parsing artefacts as "other (n)", for display. */
export function bucketToolNames(counts: readonly NamedCount[]): NamedCount[] {
  const clean = counts.filter(({ name }) => CLEAN_TOOL_NAME.test(name));
  const odd = counts.filter(({ name }) => !CLEAN_TOOL_NAME.test(name));
  if (odd.length === 0) return clean;
  const count = odd.reduce((sum, entry) => sum + entry.count, 0);
  return [...clean, { name: `other (${odd.length})`, count }];
}
