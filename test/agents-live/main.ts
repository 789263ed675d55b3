// Real agents as a test: installs the pinned versions of the published programs, drives them with a scripted model on loopback, and
// compares what a person was notified about with the table in scenarios.ts.
//
//   npm run test:agents -- [--agent NAME] [--row PART] [--trail] [--record DIRECTORY]
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { LiveAgent } from './live-agent.ts';
import { liveAgents } from './agents.ts';
import type { Verdict } from './judge.ts';
import { isGood, judge } from './judge.ts';
import { openLiveHome } from './live-home.ts';
import { openScriptedModel } from './model.ts';
import { play } from './play.ts';
import { installedPackage } from './programs.ts';
import type { RecordedRow } from './record.ts';
import { record } from './record.ts';
import type { Row } from './scenarios.ts';
import { rows } from './scenarios.ts';

const AT_A_TIME = 2;

const { values: options } = parseArgs({
  options: {
    agent: { type: 'string', multiple: true },
    row: { type: 'string', multiple: true },
    trail: { type: 'boolean', default: false },
    record: { type: 'string' },
    keep: { type: 'string' },
  },
});

const chosen = liveAgents.filter(({ agent }) => options.agent?.includes(agent) ?? true);
const began = Date.now();
const verdicts: Verdict[] = [];
const waiting = [...chosen];
await Promise.all(
  Array.from({ length: AT_A_TIME }, async () => {
    for (let agent = waiting.shift(); agent !== undefined; agent = waiting.shift()) {
      verdicts.push(...(await examine(agent)));
    }
  }),
);
process.exitCode = summary() ? 0 : 1;

async function examine(agent: LiveAgent): Promise<readonly Verdict[]> {
  const mine = rows.filter(
    ({ name, only }) =>
      (only?.includes(agent.agent) ?? true) &&
      (options.row?.some((part) => name.includes(part)) ?? true),
  );
  const leftOut = mine.flatMap((row): readonly Verdict[] => {
    const but = row.but?.[agent.agent];
    if (
      options.row === undefined &&
      agent.notYet?.some((part) => row.name.includes(part)) === true
    ) {
      return [unplayed(agent, row, 'not covered for this agent yet', true)];
    }
    return but !== undefined && 'leftOut' in but ? [unplayed(agent, row, but.leftOut, true)] : [];
  });
  const playable = mine.filter((row) => !leftOut.some((one) => one.row === row.name));
  let program: string;
  try {
    program = join(await installedPackage(agent), 'node_modules/.bin', agent.program);
    if (agent.companion !== undefined) await installedPackage(agent.companion);
  } catch (error) {
    const reason = `cannot be installed: ${error instanceof Error ? error.message : String(error)}`;
    const isOptional = process.env['HOOKBELL_REQUIRE_SYSTEM'] !== '1';
    const found = mine.map((row) => unplayed(agent, row, reason, isOptional));
    print(found);
    return found;
  }
  try {
    await using directory = await temporaryDirectory(options.keep);
    const scripts = Object.assign({}, ...rows.map(({ model }) => model));
    const log = join(options.keep ?? directory.path, `${agent.agent}-model.jsonl`);
    await using model = await openScriptedModel(scripts, log);
    await using home = await openLiveHome(agent, program, model.url);
    const recorded: RecordedRow[] = [];
    const found = [...leftOut];
    print(leftOut);
    for await (const played of play(agent, home, playable)) {
      const heard = await home.heard(played.from);
      const verdict = judge(agent, played, heard);
      print([verdict]);
      found.push(verdict);
      recorded.push({ played, heard });
    }
    if (options.record !== undefined) {
      await mkdir(options.record, { recursive: true });
      await record(options.record, agent, home, recorded);
    }
    return found;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const stuck = playable.map((row) => unplayed(agent, row, reason, false));
    print([...stuck, ...leftOut]);
    return [...stuck, ...leftOut];
  }
}

function unplayed(
  { agent, version }: LiveAgent,
  row: Row,
  reason: string,
  leftOut: boolean,
): Verdict {
  const none = { missed: [], false: [], double: [], late: [], slow: 0, trail: [], because: null };
  return { agent: `${agent} ${version}`, row: row.name, reason, leftOut, ...none };
}

function print(found: readonly Verdict[]): void {
  for (const verdict of found) {
    const { agent, row, reason, because, slow, leftOut, trail } = verdict;
    const said = (['missed', 'false', 'late', 'double'] as const).flatMap((name) =>
      verdict[name].length === 0 ? [] : [`${name}: ${verdict[name].join(', ')}`],
    );
    const result = leftOut ? '-' : isGood(verdict) ? 'ok' : 'BAD';
    const why = leftOut
      ? `left out: ${reason ?? ''}`
      : [
          ...said,
          ...(slow === 0 ? [] : ['a slow machine made the turn a long one']),
          ...(because === null ? [] : [`expected: ${because}`]),
          ...(reason === null ? [] : [`stuck: ${reason}`]),
        ].join('; ');
    process.stdout.write(`${result.padEnd(4)}${agent.padEnd(18)}${row.padEnd(56)}${why}\n`);
    if (options.trail || result === 'BAD')
      for (const line of trail) process.stdout.write(`        ${line}\n`);
  }
}

/** Prints the final count; whether everything was as it should be. */
function summary(): boolean {
  const count = (name: 'missed' | 'false' | 'late' | 'double'): number =>
    verdicts.reduce((sum, verdict) => sum + verdict[name].length, 0);
  const leftOut = verdicts.filter((verdict) => verdict.leftOut).length;
  const stuck = verdicts.filter(({ reason, leftOut: isOut }) => reason !== null && !isOut).length;
  process.stdout.write(
    `\n${verdicts.length - leftOut - stuck} rows played with ${chosen.length} agents in ${Math.round((Date.now() - began) / 1_000)} s: ` +
      `${count('missed')} missed, ${count('false')} false, ${count('late')} late, ${count('double')} double; ` +
      `${stuck} stuck, ${leftOut} left out\n`,
  );
  return verdicts.every((verdict) => verdict.leftOut || isGood(verdict));
}
