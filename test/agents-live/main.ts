// Real agents as a test: installs the pinned versions of the published programs, drives them with a scripted model on loopback, and
// compares what a person was notified about with the table in scenarios.ts.
//
//   npm run test:agents -- [--agent NAME] [--row PART] [--trail] [--record DIRECTORY] [--keep DIRECTORY]
//
// A row of the table has a name, the script of the model, the steps, and the kinds of the expected notifications:
//
//   {
//     name: 'a permission left waiting, then given in the terminal',
//     model: { 'Write the file': [{ run: 'touch first.txt' }, { say: 'It is written' }] },
//     play: [
//       ['type', 'Write the file'],  // send a prompt, wait for the request to the model
//       ['asked', 'permission'],     // wait for the agent's question on the screen
//       ['ring'],                    // wait for the notification
//       ['press', 'yes'],            // send the keys that mean this to the agent
//       ['event', 'tool.done'],      // wait for an event from a hook, by its kind
//       ['answered'],                // wait until no request is open
//       ['file', 'first.txt'],       // wait for a file in the project
//       ['model', 'Write the file'], // wait for the next request to the model
//       ['see', 'It is written'],    // wait for words on the screen
//     ],
//     rings: ['needs.permission'],
//   }
//
// claude-scenarios.ts has the rows that only Claude Code can play.
// steps.ts      every step, and what ends its wait
// tools.ts      what the model can do: say, run, ask, plan, start a subagent, fail
// agents.ts     each agent: settings, start, screens, keys
// play.ts       takes the steps; live-home.ts has the home directory, the terminals and hookbell, model.ts the model
// judge.ts      compares; record.ts writes the payloads to test/fixtures/recorded
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { temporaryDirectory } from '../support/temporary-directory.ts';
import { liveAgents } from './agents.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import type { Verdict } from './judge.ts';
import { isGood, judge } from './judge.ts';
import type { LiveAgent } from './live-agent.ts';
import { openLiveHome } from './live-home.ts';
import type { ScriptedModel } from './model.ts';
import { openScriptedModel } from './model.ts';
import { play } from './play.ts';
import { installPackage, packageFolder } from './programs.ts';
import type { Recording } from './record.ts';
import { record } from './record.ts';
import { claudeRows } from './claude-scenarios.ts';
import type { Row } from './scenarios.ts';
import { rows } from './scenarios.ts';

/** They mostly wait: for the model, for the screen. */
const AT_A_TIME = 4;

const faults = ['missed', 'false', 'late', 'double', 'misnamed'] as const;

const { values: options } = parseArgs({
  options: {
    agent: { type: 'string', multiple: true },
    row: { type: 'string', multiple: true },
    trail: { type: 'boolean', default: false },
    record: { type: 'string' },
    // A directory for the log of the model and the home directory with the transcripts.
    keep: { type: 'string' },
  },
});
const chosen = liveAgents.filter(({ agent }) => options.agent?.includes(agent) ?? true);

process.exitCode = isIsolated() ? await examineAll() : await prepare();

/** Installs what is to run, as long as there is a network, then runs it without. */
async function prepare(): Promise<number> {
  const all = chosen.flatMap(({ companion, node, ...agent }) => [
    agent,
    ...[companion, node].flatMap((one) => one ?? []),
  ]);
  const packages = [...new Map(all.map((one) => [packageFolder(one), one])).values()];
  const installed = await Promise.all(
    packages.map(async (pinned) => {
      const trouble = await installPackage(pinned);
      if (trouble !== null) process.stderr.write(`${trouble}\n`);
      return trouble === null;
    }),
  );
  if (installed.includes(false) && process.env['HOOKBELL_REQUIRE_SYSTEM'] === '1') return 1;
  await using directory = await temporaryDirectory();
  // As another user inside, it would look for the cache elsewhere.
  const XDG_CACHE_HOME = process.env['XDG_CACHE_HOME'] ?? join(userInfo().homedir, '.cache');
  return await runIsolated({ TMPDIR: directory.path, XDG_CACHE_HOME });
}

/** Prints how each row went; the exit code. */
async function examineAll(): Promise<number> {
  const began = Date.now();
  const waiting = [...chosen];
  const found = new Map<LiveAgent, readonly Verdict[]>();
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let agent = waiting.shift(); agent !== undefined; agent = waiting.shift()) {
        const verdicts = await examine(agent);
        print(verdicts);
        found.set(agent, verdicts);
      }
    }),
  );
  summarize(found, began);
  return [...found.values()].flat().every((one) => one.leftOut || isGood(one)) ? 0 : 1;
}

async function examine(agent: LiveAgent): Promise<readonly Verdict[]> {
  const known = agent.agent === 'claude' ? [...rows, ...claudeRows] : rows;
  const mine = known.filter(({ name }) => options.row?.some((part) => name.includes(part)) ?? true);
  const why = ({ but }: Row): string | null => {
    const exception = but?.[agent.agent];
    return exception !== undefined && 'leftOut' in exception ? exception.leftOut : null;
  };
  const leftOut = mine.map((row) => unplayed(agent, row, why(row), true));
  const playable = mine.filter((row) => why(row) === null || options.row !== undefined);
  const program = join(packageFolder(agent), 'node_modules/.bin', agent.program);
  const others = [agent.companion, agent.node].flatMap((one) => one ?? []);
  if (!existsSync(program) || !others.every((one) => existsSync(packageFolder(one))))
    return mine.map((row) => unplayed(agent, row, 'it could not be installed', true));
  await using directory = await temporaryDirectory();
  const scripts = Object.assign({}, ...known.map(({ model }) => model));
  const kept = options.keep ?? directory.path;
  await mkdir(kept, { recursive: true });
  await using model = await openScriptedModel(scripts, join(kept, `${agent.agent}-model.jsonl`));
  const parts = await Promise.all(
    partsOf(playable).map((part) => playPart(agent, model, program, part)),
  );
  const verdicts = parts.flatMap((part) => part.verdicts);
  const recordings = parts.flatMap(({ recording }) => recording ?? []);
  if (options.record !== undefined) await record(options.record, agent, recordings);
  // In the order of the table.
  return leftOut.map((one) => verdicts.find(({ row }) => row === one.row) ?? one);
}

/** The rows that are played one after the other, and each that takes minutes for itself. */
function partsOf(playable: readonly Row[]): readonly (readonly Row[])[] {
  const usual = playable.filter(({ apart }) => apart !== true);
  const apart = playable.filter((row) => row.apart === true).map((row) => [row]);
  return usual.length === 0 ? apart : [usual, ...apart];
}

/** Plays rows in a separate home directory. */
async function playPart(
  agent: LiveAgent,
  model: ScriptedModel,
  program: string,
  part: readonly Row[],
): Promise<{ readonly verdicts: readonly Verdict[]; readonly recording: Recording | null }> {
  try {
    await using home = await openLiveHome(agent, program, model.url);
    const played = await play(agent, home, model, part);
    const heard = await home.heard();
    if (options.keep !== undefined) {
      const name = part[0]?.apart === true ? `${agent.agent}-${part[0].name}` : agent.agent;
      await home.copyTo(join(options.keep, name.replaceAll(/[^a-z0-9]+/gi, '-')));
    }
    const verdicts = played.map((one) => judge(agent, one, heard));
    return { verdicts, recording: { home: home.home, played, heard } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const verdicts = part.map((row) => unplayed(agent, row, reason, false));
    return { verdicts, recording: null };
  }
}

function unplayed(
  { agent, version }: LiveAgent,
  { name: row }: Row,
  reason: string | null,
  leftOut: boolean,
): Verdict {
  const none = {
    missed: [],
    false: [],
    double: [],
    late: [],
    misnamed: [],
    slow: 0,
    trail: [],
    because: null,
    seconds: 0,
  };
  return { agent: `${agent} ${version}`, row, reason, leftOut, unsaid: null, ...none };
}

function print(found: readonly Verdict[]): void {
  for (const verdict of found) {
    const { agent, row, reason, because, unsaid, slow, leftOut, trail, seconds } = verdict;
    const said = faults.flatMap((name) =>
      verdict[name].length === 0 ? [] : [`${name}: ${verdict[name].join(', ')}`],
    );
    const time = (leftOut ? '' : `${seconds} s`).padStart(6);
    const result = leftOut ? '-' : isGood(verdict) ? 'ok' : 'BAD';
    const why = leftOut
      ? `left out: ${reason ?? ''}`
      : [
          ...said,
          ...(unsaid === null ? [] : [`no notification says "${unsaid}"`]),
          ...(slow === 0 ? [] : ['a slow machine took its time']),
          ...(because === null ? [] : [`expected: ${because}`]),
          ...(reason === null ? [] : [`stuck: ${reason}`]),
        ].join('; ');
    process.stdout.write(
      `${result.padEnd(4)}${agent.padEnd(18)}${time}  ${row.padEnd(64)}${why}\n`,
    );
    if (options.trail || result === 'BAD')
      for (const line of trail) process.stdout.write(`        ${line}\n`);
  }
}

function summarize(found: ReadonlyMap<LiveAgent, readonly Verdict[]>, began: number): void {
  const counted = liveAgents.flatMap((agent) => {
    const verdicts = found.get(agent);
    return verdicts === undefined ? [] : [[`${agent.agent} ${agent.version}`, verdicts] as const];
  });
  const all = counted.flatMap(([, verdicts]) => verdicts);
  const heads = ['', 'played', ...faults, 'stuck', 'left out'];
  const table = [...counted, ['all', all] as const].map(([name, verdicts]) => [
    name,
    verdicts.filter(({ leftOut }) => !leftOut).length,
    ...faults.map((fault) => verdicts.flatMap((verdict) => verdict[fault]).length),
    verdicts.filter(({ reason, leftOut }) => reason !== null && !leftOut).length,
    verdicts.filter(({ leftOut }) => leftOut).length,
  ]);
  const lines = [heads, ...table].map(([name, ...cells]) =>
    [String(name).padEnd(18), ...cells.map((cell) => String(cell).padStart(9))].join(''),
  );
  const seconds = Math.round((Date.now() - began) / 1_000);
  process.stdout.write(`\n${lines.join('\n')}\n\nTook ${seconds} s\n`);
}
