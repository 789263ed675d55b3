// Answers from elsewhere with the real agents and a scripted model: the files that they make and their next request to the model
// are the truth.
//
//   npm run test:answers [-- --agent NAME] [--row PART]
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { liveAgents } from './agents.ts';
import {
  opencodeRows,
  opencodeScripts,
  type Rows,
  serialRows,
  serialScripts,
} from './answer-rows.ts';
import { claudeRows, claudeScripts } from './claude-answer-rows.ts';
import { openScene, type Scene } from './answer-scene.ts';
import {
  answerDesktopPrograms,
  desktopRows,
  desktopScripts,
  notifyOnDesktop,
  startAnswerDesktop,
} from './desktop-answer-rows.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import type { LiveAgent } from './live-agent.ts';
import { installPackage, packageFolder } from './programs.ts';
import type { Scripts } from './tools.ts';

const { values } = parseArgs({
  options: { agent: { type: 'string', multiple: true }, row: { type: 'string', default: '' } },
});
const chosen = liveAgents.filter(({ agent }) =>
  (values.agent ?? ['claude', 'codex', 'qwen', 'opencode']).includes(agent),
);

process.exitCode = isIsolated() ? await examine() : await prepare();

async function prepare(): Promise<number> {
  for (const agent of chosen) {
    for (const pinned of agent.companion === undefined ? [agent] : [agent, agent.companion]) {
      const trouble = await installPackage(pinned);
      if (trouble !== null) throw new Error(trouble);
    }
  }
  await using directory = await temporaryDirectory();
  const XDG_CACHE_HOME = join(packageFolder({ npm: 'x', version: '0' }), '..', '..');
  return await runIsolated({ TMPDIR: directory.path, XDG_CACHE_HOME });
}

/** Rows that follow each other in one session of an agent. */
interface Part {
  readonly agent: LiveAgent;
  readonly scripts: Scripts;
  readonly rows: readonly (readonly [name: string, play: Rows[string]])[];
  /** Whether its notifications appear on a desktop. */
  readonly hasDesktop: boolean;
}

/** The parts run side by side, each in a home directory with a daemon for itself. */
async function examine(): Promise<number> {
  await using directory = await temporaryDirectory();
  const parts = chosen.flatMap(partsOf).filter(({ rows }) => rows.length > 0);
  const running: Promise<number>[] = [];
  for (const [index, part] of parts.entries()) {
    // One after the other: each finds its stand-ins through PATH.
    const desktop = part.hasDesktop ? await startAnswerDesktop() : null;
    const programs = join(directory.path, `${index}`);
    const scene = await openScene(part.agent, part.scripts, programs, desktop);
    if (part.hasDesktop) notifyOnDesktop(scene.home);
    running.push(playPart(part, scene));
  }
  const failed = await Promise.all(running);
  return failed.every((count) => count === 0) ? 0 : 1;
}

/** Returns how many rows failed. */
async function playPart({ agent, rows }: Part, opened: Scene): Promise<number> {
  await using scene = opened;
  let failed = 0;
  await scene.start();
  for (const [name, play] of rows) {
    const startedAt = performance.now();
    try {
      await play(scene);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      process.stdout.write(`ok  ${agent.agent}: ${name} (${seconds} s)\n`);
    } catch (error) {
      failed += 1;
      const reason = error instanceof Error ? error.message : String(error);
      process.stdout.write(
        `BAD ${agent.agent}: ${name}: ${reason}\n${await scene.terminal.screen()}\n`,
      );
      await scene.terminal.press(...agent.keys.escape);
      await delay(1_000);
    }
  }
  return failed;
}

/** Claude Code has the most rows, so they are shared between two sessions; a third one has a desktop. */
function partsOf(agent: LiveAgent): readonly Part[] {
  const [all, scripts] = rowsOf(agent.agent);
  const rows = wanted(all);
  const isClaude = agent.agent === 'claude';
  const middle = isClaude ? Math.ceil(rows.length / 2) : rows.length;
  const parts = [rows.slice(0, middle), rows.slice(middle)].map((part) => ({
    agent,
    scripts,
    rows: part,
    hasDesktop: false,
  }));
  const clicks = isClaude ? wanted(desktopRows) : [];
  const missing = clicks.length > 0 && needs(...answerDesktopPrograms);
  if (missing === false)
    return [...parts, { agent, scripts: desktopScripts, rows: clicks, hasDesktop: true }];
  for (const [name] of clicks) process.stdout.write(`--  ${agent.agent}: ${name}: ${missing}\n`);
  return parts;
}

function wanted(rows: Rows): Part['rows'] {
  return Object.entries(rows).filter(([name]) => name.includes(values.row));
}

function rowsOf(agent: string): readonly [Rows, Scripts] {
  if (agent === 'claude') return [claudeRows, claudeScripts];
  if (agent === 'opencode') return [opencodeRows, opencodeScripts];
  return [serialRows, serialScripts];
}
