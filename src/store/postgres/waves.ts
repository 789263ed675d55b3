import {
  alone,
  type DatabaseRequest,
  type Each,
  type Query,
  type DatabaseReply,
  type Turn,
} from '../query.ts';
import { bindable, type Value } from '../row.ts';

/**
 * Runs a query for each of `items`: in waves of those without a common key, whose queries run in step. Statements that
 * several of them ask for at the same time are merged.
 */
export function* inWaves<Item, Result>(
  items: readonly Item[],
  { keysOf, together }: Each<Item, Result>,
): Query<readonly Result[]> {
  const results = new Map<number, Result>();
  let left = items.map((item, index) => ({ item, index, keys: keysOf(item) }));
  while (left.length > 0) {
    const taken = new Set<string>();
    const later: typeof left = [];
    const wave = left.filter((one) => {
      const isFree = !one.keys.some((key) => taken.has(key));
      for (const key of one.keys) taken.add(key);
      if (!isFree) later.push(one);
      return isFree;
    });
    const query = together();
    const members: Member<Result>[] = [];
    for (const { item, index } of wave) {
      const turn = wave.length === 1 ? alone : turnOf(members, members.length);
      members.push(new Member(index, query(item, turn)));
    }
    yield* inStep(members);
    for (const { index, result } of members) if (result !== null) results.set(index, result.value);
    left = later;
  }
  return items.flatMap((_, index) => {
    const result = results.get(index);
    return result === undefined ? [] : [result];
  });
}

/** Asked for by a query that lets others continue, and by one that waits for all to meet. */
const PAUSE: DatabaseRequest = { sql: '', values: [] };
const MEET: DatabaseRequest = { sql: '', values: [] };

const pause: Query<unknown> = {
  *[Symbol.iterator]() {
    yield PAUSE;
  },
};
const meet: Query<unknown> = {
  *[Symbol.iterator]() {
    yield MEET;
  },
};

function turnOf(members: readonly Member<unknown>[], place: number): Turn {
  return {
    isAmongOthers: true,
    isBehind: () => members.slice(0, place).some(({ hasMet }) => !hasMet),
    pause: () => pause,
    meet: () => meet,
  };
}

/** A query that runs in step with others. */
class Member<Result> {
  readonly index: number;
  result: { readonly value: Result } | null = null;
  ask: DatabaseRequest | null = null;
  /** The reply to `ask`. */
  reply: DatabaseReply = { rows: [], changes: 0 };
  hasMet = false;
  readonly #query: Query<Result>;
  #steps: Iterator<DatabaseRequest, Result, DatabaseReply> | null = null;

  constructor(index: number, query: Query<Result>) {
    this.index = index;
    this.#query = query;
  }

  /** Runs until it asks for something else, or ends. */
  continue(): void {
    this.#steps ??= this.#query[Symbol.iterator]();
    const step = this.#steps.next(this.reply);
    this.ask = step.done === true ? null : step.value;
    if (step.done === true) this.result = { value: step.value };
    if (step.done === true || step.value === MEET) this.hasMet = true;
  }
}

function* inStep(members: readonly Member<unknown>[]): Query<void> {
  let waiting: readonly Member<unknown>[] = members;
  while (waiting.length > 0) {
    const mayPass = waiting.every(({ ask }) => ask === MEET);
    for (const member of waiting) if (mayPass || member.ask !== MEET) member.continue();
    waiting = waiting.filter(({ result }) => result === null);
    yield* answerAll(waiting);
  }
}

/** Asks for each statement once, in the order in which they came up. */
function* answerAll(members: readonly Member<unknown>[]): Query<void> {
  const bySql = new Map<string, Member<unknown>[]>();
  for (const member of members) {
    if (member.ask === null || member.ask === PAUSE || member.ask === MEET) continue;
    if (member.ask.each !== undefined) {
      member.reply = yield member.ask;
      continue;
    }
    const { sql } = member.ask;
    const same = bySql.get(sql);
    if (same === undefined) bySql.set(sql, [member]);
    else same.push(member);
  }
  for (const [sql, asking] of bySql) {
    if (sql.startsWith('SELECT')) yield* answerSame(sql, asking);
    else yield* answerEach(sql, asking);
  }
}

/** Identical reads are done once. */
function* answerSame(sql: string, members: readonly Member<unknown>[]): Query<void> {
  const firsts = new Map<string, Member<unknown>>();
  const others: (readonly [Member<unknown>, Member<unknown>])[] = [];
  for (const member of members) {
    const key = JSON.stringify(valuesOf(member));
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, member);
    else others.push([member, first]);
  }
  yield* answerEach(sql, [...firsts.values()]);
  for (const [member, first] of others) member.reply = first.reply;
}

function* answerEach(sql: string, members: readonly Member<unknown>[]): Query<void> {
  const [only] = members;
  if (only !== undefined && members.length === 1) {
    only.reply = yield { sql, values: valuesOf(only) };
    return;
  }
  const { each = [] }: DatabaseReply = yield { sql, values: [], each: members.map(valuesOf) };
  for (const [place, member] of members.entries()) {
    member.reply = each[place] ?? { rows: [], changes: 0 };
  }
}

function valuesOf({ ask }: Member<unknown>): readonly Value[] {
  return (ask?.values ?? []).map(bindable);
}
