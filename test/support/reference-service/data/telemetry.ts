import { shiftDay, daysBetween, FIRST_DAY, isWeekend } from '../days.ts';
import { type Random, randomFor } from '../random.ts';
import type { Habit, StoredPerson } from './users.ts';

/** A model, its tier, and the standard credits a raw token of it costs. */
interface Model {
  readonly id: string;
  readonly tier: 'standard' | 'thinking';
  readonly rate: number;
}

export const MODELS: readonly Model[] = [
  { id: 'aurora-4-fast', tier: 'standard', rate: 0.2 },
  { id: 'aurora-4', tier: 'standard', rate: 1 },
  { id: 'borealis-2-thinking', tier: 'thinking', rate: 1.6 },
  { id: 'custom:team-llm', tier: 'standard', rate: 0.5 },
];

const TOOLS = ['Read', 'Edit', 'Execute', 'Grep', 'LS', 'ApplyPatch', 'WebSearch'];

/** A name as parsing artefacts leave it in about 0.006 % of the entries. */
const BROKEN_TOOL = 'Read</parameter>\n<parameter name="file_path">';

/** Two of them are one server each, in two spellings. */
const SERVERS = ['github', 'GitHub', 'linear', 'Linear', 'postgres'];

const SKILLS = ['release-notes', 'review', 'database-migration'];
const COMMANDS = ['/compact', '/review', '/model', '/cost'];

/** What hooks ran, of ours and of others. */
export const HOOKS = [
  { event: 'Stop', matcher: '', command: '/usr/local/lib/hookbell/hookbell-hook' },
  { event: 'Notification', matcher: '', command: '/usr/local/lib/hookbell/hookbell-hook' },
  { event: 'PostToolUse', matcher: 'Edit|ApplyPatch', command: 'npx prettier --write' },
] as const;

/** Client types of the interface's document. */
export const CLIENTS = ['terminal-ui', 'web', 'non-interactive-cli'] as const;

/** Delegation levels of the interface's document. */
const LEVELS = ['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'] as const;

export type Level = (typeof LEVELS)[number];

export const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['.ts', 'TypeScript'],
  ['.tsx', 'TypeScript'],
  ['.py', 'Python'],
  ['.go', 'Go'],
  ['.md', 'Markdown'],
]);

export interface ModelUse {
  readonly model: Model;
  readonly billable: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What one person did on one day: the only source of all analytics, so that all of them agree. */
export interface PersonDay {
  readonly person: StoredPerson;
  readonly models: readonly ModelUse[];
  readonly tools: UseCounts;
  readonly servers: UseCounts;
  readonly skills: UseCounts;
  readonly commands: UseCounts;
  /** Runs by index in `HOOKS`. */
  readonly hooks: readonly number[];
  /** Sessions by client type; a client that was not used is absent. */
  readonly clients: UseCounts;
  /** Files touched by extension: created and edited ones together. */
  readonly extensions: UseCounts;
  readonly filesCreated: number;
  readonly commits: number;
  readonly pullRequests: number;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly level: Level;
}

/** The day on which the bursty person uses far more credits than ever. */
export const SPIKE_DAY = '2026-02-24';

/** Enough to stand out in the sum of all. */
const SPIKE = 40;

/** Share of weekdays and of weekend days on which anyone works. */
const PRESENCE: Record<Habit, readonly [number, number]> = {
  weekdays: [0.92, 0.06],
  steady: [1, 1],
  bursty: [0.6, 0.1],
  light: [0.25, 0.05],
  idle: [0, 0],
};

/** @returns null when the person did nothing that day */
export function personDay(
  seed: number,
  person: StoredPerson,
  day: string,
  spikes: ReadonlySet<string>,
): PersonDay | null {
  const random = randomFor(seed, 'telemetry', person.id, day);
  const [onWeekdays, onWeekends] = PRESENCE[person.habit];
  const isSpike = person.habit === 'bursty' && spikes.has(day);
  if (!isSpike && !random.chance(isWeekend(day) ? onWeekends : onWeekdays)) return null;
  const usual = person.habit === 'steady' ? 1 : 0.5 + random.next();
  const load = isSpike ? SPIKE : usual;
  const extensions = drawn(random, [...LANGUAGES.keys()], 3 * load);
  const touched = [...extensions.values()].reduce((sum, count) => sum + count, 0);
  const userMessages = Math.ceil(random.integer(3, 15) * load);
  return {
    person,
    models: modelUses(random, load),
    tools: tools(random, load, day),
    servers: drawn(random, SERVERS, 3 * load),
    skills: drawn(random, SKILLS, 2 * load),
    commands: drawn(random, COMMANDS, 2 * load),
    hooks: HOOKS.map(() => Math.floor(random.integer(0, 12) * load)),
    clients: clients(random),
    extensions,
    filesCreated: Math.floor(touched * random.next() * 0.5),
    commits: random.integer(0, 5),
    pullRequests: random.integer(0, 2),
    userMessages,
    assistantMessages: userMessages * random.integer(2, 6),
    level: random.pick(LEVELS),
  };
}

function modelUses(random: Random, load: number): ModelUse[] {
  const used = MODELS.filter((_, index) => index === 0 || random.chance(load === SPIKE ? 1 : 0.5));
  return used.map((model) => {
    const input = Math.ceil(random.integer(40_000, 400_000) * load);
    const output = Math.ceil(input * (0.02 + random.next() * 0.06));
    const cacheRead = Math.floor(input * random.next() * 0.8);
    // What the cache served costs a tenth.
    const billable = Math.ceil(model.rate * (input - 0.9 * cacheRead + output));
    return { model, billable, input, output, cacheRead, cacheWrite: Math.floor(input * 0.1) };
  });
}

function tools(random: Random, load: number, day: string): UseCounts {
  const counted = new Map([['Read', random.integer(5, 40)], ...drawn(random, TOOLS, 20 * load)]);
  if (day.endsWith('7') && random.chance(0.2)) counted.set(BROKEN_TOOL, 1);
  return counted;
}

function clients(random: Random): UseCounts {
  const used = CLIENTS.filter((_, index) => index === 0 || random.chance(0.3));
  return new Map(used.map((client) => [client, random.integer(1, 4)]));
}

/** About half of the names, each up to `most` times. */
function drawn(random: Random, names: readonly string[], most: number): UseCounts {
  const seen = names.filter(() => random.chance(0.5));
  return new Map(seen.map((name) => [name, random.integer(1, Math.max(1, Math.floor(most)))]));
}

/** The activity of all users, day by day. */
export interface Ledger {
  on(day: string): readonly PersonDay[];
}

/** @param spikes days on which one person uses far more credits than ever */
export function createLedger(
  seed: number,
  people: readonly StoredPerson[],
  spikes: ReadonlySet<string>,
): Ledger {
  const known = new Map<string, readonly PersonDay[]>();
  return {
    on(day) {
      if (day < FIRST_DAY) return [];
      const key = `${day} ${spikes.has(day)}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      const made = people
        .map((person) => personDay(seed, person, day, spikes))
        .filter((entry) => entry !== null);
      known.set(key, made);
      return made;
    },
  };
}

/** The data without one day, as after a batch that ran before its data had arrived. */
export function withoutDay(ledger: Ledger, empty: string): Ledger {
  return { on: (day) => (day === empty ? [] : ledger.on(day)) };
}

/** Ids of those who did anything in the `span` days that end with `day`. */
export function activeWithin(ledger: Ledger, day: string, span: number): ReadonlySet<string> {
  const days = daysBetween(shiftDay(day, 1 - span), day);
  return new Set(days.flatMap((each) => ledger.on(each).map(({ person }) => person.id)));
}

/** How often each name was seen. */
export type UseCounts = ReadonlyMap<string, number>;

export function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

export function totalOf(counts: UseCounts): number {
  return sumOf(counts.values());
}

/** Adds counts up, name by name. */
export function merge(all: Iterable<UseCounts>): UseCounts {
  const merged = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of counts) merged.set(name, (merged.get(name) ?? 0) + count);
  }
  return merged;
}

/** The name seen most; the first one of equals; "" when there is none. */
export function mostSeen(counts: UseCounts): string {
  let best = '';
  for (const [name, count] of counts) {
    if (best === '' || count > (counts.get(best) ?? 0)) best = name;
  }
  return best;
}
