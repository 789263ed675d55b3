import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { type HookbellHome, projectRoot } from '../../support/hookbell-home.ts';
import { type HubHome, hubHome } from '../../support/hub-home.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { runProcess } from '../../support/run-process.ts';
import { needs } from '../../support/system-part.ts';
import { keys, typedCommand } from '../../support/typed-command.ts';

const skip = needsPostgres() || needs('script', 'stty');
const program = join(projectRoot, 'dist/program/cli.js');
const END_OF_INPUT = '\u0004';

describe('the prompts of "hookbell hub"', { skip, timeout: 180_000 }, () => {
  let team: HubHome;
  before(async () => {
    team = await hubHome('');
    for (const name of ['ada', 'ben'])
      await team.hub.ask('POST /v1/hub-invite', { body: { email: `${name}@example.com` } });
  });
  after(() => team[Symbol.asyncDispose]());

  const people = async (): Promise<readonly string[]> =>
    (await team.hub.ask('GET /v1/hub-people'))
      .filter(({ removedAt }) => removedAt === null)
      .map(({ email }) => email);

  for (const [name, typed] of [
    ['the Enter key alone', keys.enter],
    ['"n"', 'n'],
    ['Ctrl-C', keys.interrupt],
    ['Ctrl-D and then the Enter key', `${END_OF_INPUT}${keys.enter}`],
  ] as const) {
    test(`"hub forget" changes nothing at ${name}`, async () => {
      await using command = at(team.hub, 'hub forget ada@example.com');
      await command.shown('Erase ada@example.com? This cannot be undone.');
      await command.shown('No');
      command.type(typed);
      const { code, screen } = await command.ended();

      assert.equal(code, 1, screen);
      assert.match(screen, /hookbell: Not confirmed\r?\n {2}Nothing was changed/);
      assert.deepEqual(await people(), ['ada@example.com', 'ben@example.com']);
    });
  }

  test('"hub forget" takes no answer from a pipe, and does not wait for one', async () => {
    const words = [program, 'hub', 'forget', 'ada@example.com'];
    const { code, stderr } = await runProcess(process.execPath, words, {
      env: team.hub.env,
      input: 'y\n',
    });

    assert.equal(code, 2);
    assert.match(stderr, /standard input is not a terminal\n {2}Add "--yes"/);
    assert.deepEqual(await people(), ['ada@example.com', 'ben@example.com']);
  });

  test('"hub forget" and "hub import --prune" go on after "Yes"', async () => {
    const [all, few] = [join(team.hub.home, 'all.csv'), join(team.hub.home, 'few.csv')];
    await writeFile(all, 'email,name,team\neve@example.com,,\nfay@example.com,,\n');
    await writeFile(few, 'email,name,team\neve@example.com,,\n');
    await team.hub.cli('hub', 'import', all);

    {
      await using command = at(team.hub, `hub import --prune ${few}`);
      await command.shown('Remove 1 person and revoke their machines?');
      await command.shown('No');
      command.type('y');
      assert.equal((await command.ended()).code, 0);
    }
    await using command = at(team.hub, 'hub forget ada@example.com');
    await command.shown('Erase ada@example.com? This cannot be undone.');
    await command.shown('No');
    command.type(`${keys.up}${keys.enter}`);
    const { code, screen } = await command.ended();

    assert.equal(code, 0, screen);
    assert.deepEqual(await people(), ['ben@example.com', 'eve@example.com']);
  });
});

function at({ env }: HookbellHome, words: string) {
  return typedCommand(`exec '${process.execPath}' '${program}' ${words}`, env);
}
