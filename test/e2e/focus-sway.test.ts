import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';

import { factsOf } from '../../hooks/facts.ts';
import type { Log } from '../../src/platform/log.ts';
import { bringForward } from '../../src/attention/bring-forward.ts';
import { until } from '../support/hookbell-home.ts';
import { isAlive } from '../support/is-alive.ts';
import { spawnHere } from '../support/spawn-here.ts';
import { startSway, type Sway } from '../support/sway.ts';
import { needs } from '../support/system-part.ts';

const focusedWindow = z.object({ focused: z.literal(true), pid: z.number(), name: z.string() });

/** The title of the window that has the focus, wherever in the tree it is. */
function titleInFront(tree: string): string | null {
  let title: string | null = null;
  JSON.parse(tree, (_key, node: unknown) => {
    const { success, data } = focusedWindow.safeParse(node);
    if (success) title = data.name;
    return node;
  });
  return title;
}

interface Terminal extends AsyncDisposable {
  /** Brings it forward as a click would; answers what is logged. */
  bring(): Promise<string>;
  /** Whether its window has the focus. */
  isInFront(): Promise<boolean>;
}

/** A terminal with something that stays, as an agent does. */
async function openFoot({ home, env, ask }: Sway, title: string): Promise<Terminal> {
  const [told, number] = [join(home, `${title}.env`), join(home, `${title}.pid`)];
  const agent = `env >'${told}'; echo $$ >'${number}'; exec sleep 600`;
  const foot = await spawnHere('foot', ['-T', title, 'sh', '-c', agent], env);
  const isInFront = async (): Promise<boolean> =>
    titleInFront(await ask('-t', 'get_tree', '-r')) === title;
  let pid = 0;
  await until(async () => {
    pid = Number(await readFile(number, 'utf8').catch(() => '0'));
    return pid > 0 && (await isInFront());
  });
  const lines = (await readFile(told, 'utf8')).split('\n').map((line) => line.split('='));
  const surroundings = Object.fromEntries(
    lines.map(([name = '', ...value]) => [name, value.join('=')]),
  );
  const facts = factsOf({ agent: 'droid', event: '' }, { env: surroundings, pid, ppid: pid });
  return {
    isInFront,
    async bring() {
      const said: string[] = [];
      const say = (_fields: object, sentence: string): void => void said.push(sentence);
      const log: Log = { debug: say, info: say, warn: say, error: say };
      const options = {
        env: { PATH: process.env['PATH'] },
        platform: process.platform,
        now: Date.now,
        log,
      };
      await bringForward({ agent: 'droid', facts, at: Date.now() }, options);
      return said.join('\n');
    },
    async [Symbol.asyncDispose]() {
      await foot[Symbol.asyncDispose]();
      await until(() => !isAlive(pid));
    },
  };
}

test(
  'a click brings the right window forward on Sway, from another workspace too, and none where it is closed',
  { skip: needs('sway', 'swaymsg', 'foot', 'setpriv'), timeout: 60_000 },
  async () => {
    await using sway = await startSway();
    const first = await openFoot(sway, 'first');
    await using second = await openFoot(sway, 'second');
    await sway.ask('workspace', '2');
    await using third = await openFoot(sway, 'third');

    for (const terminal of [first, third, second]) {
      assert.match(await terminal.bring(), /Brought the session's terminal forward/);
      assert.equal(await terminal.isInFront(), true);
    }

    await first[Symbol.asyncDispose]();
    assert.match(await first.bring(), /Cannot bring the session's terminal forward/);
    assert.equal(await second.isInFront(), true);
  },
);
