// Answers from elsewhere with the real agents and a scripted model: the files that they make and their next request to the model
// are the truth.
//
//   npm run test:answers [-- --agent NAME] [--row PART]
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { temporaryDirectory } from '../support/temporary-directory.ts';
import { liveAgents } from './agents.ts';
import { opencodeRows, opencodeScripts, serialRows, serialScripts } from './answer-rows.ts';
import { claudeRows, claudeScripts } from './claude-answer-rows.ts';
import { folderInPath, openScene } from './answer-scene.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import { installPackage, packageFolder } from './programs.ts';

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

async function examine(): Promise<number> {
  await using directory = await temporaryDirectory();
  const programs = folderInPath(directory.path);
  let failed = 0;
  for (const agent of chosen) {
    const [rows, scripts] = rowsOf(agent.agent);
    await using scene = await openScene(agent, scripts, programs);
    await scene.start();
    for (const [name, play] of Object.entries(rows)) {
      if (!name.includes(values.row)) continue;
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
  }
  return failed === 0 ? 0 : 1;
}

function rowsOf(agent: string) {
  if (agent === 'claude') return [claudeRows, claudeScripts] as const;
  if (agent === 'opencode') return [opencodeRows, opencodeScripts] as const;
  return [serialRows, serialScripts] as const;
}
