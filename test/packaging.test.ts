import assert from 'node:assert/strict';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { z } from 'zod';

import { dialects } from '../src/agents/registry.ts';
import { readSpool } from './hooks/read-spool.ts';
import { projectRoot } from './support/hookbell-home.ts';
import { runProcess } from './support/run-process.ts';
import { needs } from './support/system-part.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const plugin = join(projectRoot, 'packaging/plugin');
const Hooks = z.object({
  hooks: z.record(
    z.string(),
    z.tuple([
      z.object({
        hooks: z.tuple([
          z.object({ type: z.literal('command'), command: z.string(), timeout: z.number() }),
        ]),
      }),
    ]),
  ),
});

async function parsed<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  return schema.parse(JSON.parse(await readFile(path, 'utf8')));
}

async function hookLines(): Promise<readonly (readonly [string, string])[]> {
  const { hooks } = await parsed(join(plugin, 'hooks/hooks.json'), Hooks);
  return Object.entries(hooks).map(([event, [entry]]) => [event, entry.hooks[0].command] as const);
}

function run(command: string, home: string) {
  const input = '{"hook_event_name":"Stop"}';
  return runProcess('sh', ['-c', command], {
    input,
    env: { HOME: home, PATH: process.env['PATH'] ?? '' },
  });
}

describe('the plugin for Claude Code and droid', () => {
  test('has the version of the package, and its marketplace names it', async () => {
    const named = z.looseObject({ name: z.string(), version: z.string() });
    const { version } = await parsed(join(projectRoot, 'package.json'), named);
    const market = z.looseObject({ plugins: z.tuple([named.extend({ source: z.string() })]) });

    const manifest = await parsed(join(plugin, '.claude-plugin/plugin.json'), named);
    const { plugins } = await parsed(join(plugin, '.claude-plugin/marketplace.json'), market);

    assert.equal(manifest.version, version);
    assert.deepEqual(
      { ...plugins[0], description: '' },
      { name: manifest.name, version, source: './', description: '' },
    );
  });

  test('registers no event that one of the two agents does not know, or that could harm it', async () => {
    const events = (await hookLines()).map(([event]) => event);

    assert.ok(['Notification', 'Stop', 'SubagentStop'].every((event) => events.includes(event)));
    for (const { registrations } of [dialects.droid, dialects.claude]) {
      const known = registrations.flatMap((registration) =>
        registration.events.map(({ name }) => name),
      );
      assert.deepEqual(
        events.filter((event) => !known.includes(event)),
        [],
      );
    }
  });

  test('hands events to the installed hook, and is silent without one', async () => {
    await using home = await temporaryDirectory();
    // The plugin looks the home directory up in the user database; here it is the temporary one.
    const atHome = (command: string): string =>
      command.replace(/h=\$\(PATH=\S+ id -un\) && eval "h=~\$h/, `h="${home.path}`);
    for (const [event, line] of await hookLines()) {
      const command = atHome(line);
      assert.notEqual(command, line);
      const { code, stdout, stderr } = await run(command, home.path);
      assert.deepEqual([event, code, stdout, stderr], [event, 0, '', '']);
    }

    const command = atHome((await hookLines())[0]?.[1] ?? '');
    const share = join(home.path, '.local/share');
    await mkdir(share, { recursive: true });
    await symlink(projectRoot, join(share, 'hookbell'));
    assert.equal((await run(command, home.path)).code, 0);
    assert.equal(readSpool(join(home.path, '.local/state/hookbell')).length, 1);
  });
});

test('the Homebrew formula is valid for ruby', { skip: needs('ruby') }, async () => {
  const formula = join(projectRoot, 'packaging/homebrew/hookbell.rb');
  const env = { PATH: process.env['PATH'] ?? '' };

  const checked = await runProcess('ruby', ['-wc', formula], { env });

  assert.deepEqual([checked.stdout, checked.stderr, checked.code], ['Syntax OK\n', '', 0]);
});

test('the recipe for Arch Linux is valid for bash, and has the version of the package', async () => {
  const path = join(projectRoot, 'packaging/aur/PKGBUILD');
  const env = { PATH: process.env['PATH'] ?? '' };
  const shown = 'source "$1"; echo "$pkgver"; declare -F';

  const checked = await runProcess('bash', ['-euc', shown, 'bash', path], { env });

  assert.equal(checked.code, 0, checked.stderr);
  const { version } = await parsed(
    join(projectRoot, 'package.json'),
    z.object({ version: z.string() }),
  );
  assert.equal(checked.stdout, `${version}\ndeclare -f build\ndeclare -f package\n`);
});
