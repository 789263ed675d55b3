/** A number of something that has a name. */
export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/** What tool names look like; about 0.006 % of the entries are artefacts of parsing. */
const CLEAN_TOOL_NAME = /^[\w.:/-]{1,80}$/;

/**
 * Adds up names that differ only in letter case, as names of MCP servers do, for what people read. Each is shown
 * in its most used spelling.
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

/** Puts tool names that are artefacts of parsing together as "other (n)", for what people read. */
export function bucketToolNames(counts: readonly NamedCount[]): NamedCount[] {
  const clean = counts.filter(({ name }) => CLEAN_TOOL_NAME.test(name));
  const odd = counts.filter(({ name }) => !CLEAN_TOOL_NAME.test(name));
  if (odd.length === 0) return clean;
  const count = odd.reduce((sum, entry) => sum + entry.count, 0);
  return [...clean, { name: `other (${odd.length})`, count }];
}
