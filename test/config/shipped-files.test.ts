import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { parse } from 'yaml';
import { z } from 'zod';

import { channelCatalog } from '../../src/channels/registry.ts';
import { commonChannelSchema } from '../../src/config/channel-schema.ts';
import { type Config, configSchema } from '../../src/config/config.ts';
import { loadConfig, parseConfig } from '../../src/config/load.ts';
import { describeIssue, formatProblem, knownKeys } from '../../src/config/problem.ts';
import { starterConfig } from '../../src/config/starter.ts';

const channelDefinitions = await channelCatalog.load();

const root = new URL('../../../', import.meta.url);
const options = { catalog: channelCatalog };

async function accepted(text: string): Promise<Config> {
  const loaded = await parseConfig(text, 'c.yaml', options);
  if (!loaded.ok) assert.fail(loaded.problems.map(formatProblem).join('\n'));
  assert.deepEqual(loaded.warnings, []);
  return loaded.config;
}

const example = await readFile(new URL('config/hookbell.example.yaml', root), 'utf8');

describe('config/hookbell.example.yaml', () => {
  test('is accepted without a warning and holds no secret', async () => {
    assert.deepEqual((await accepted(example)).plainSecrets, []);
  });

  test('shows every section that has an effect, every type of channel people need first', async () => {
    const document: unknown = parse(example);
    const sections = z.record(z.string(), z.unknown()).parse(document);
    const { channels } = await accepted(example);

    assert.deepEqual(
      Object.keys(configSchema.shape).filter((name) => !(name in sections)),
      // A file and a database that have to be there, and a hub, which needs the database.
      ['store', 'ca_file', 'hub'],
    );
    const types = new Set(channels.map(({ type }) => type));
    for (const type of ['desktop', 'slack', 'email', 'file']) assert.ok(types.has(type), type);
  });
});

describe('starterConfig()', () => {
  test('changes nothing: it says what holds without a file', async () => {
    const starter = await accepted(starterConfig('https://example.com/schema.json'));
    const without = await loadConfig('/nonexistent/config.yaml', options);

    assert.ok(without.ok);
    assert.deepEqual(effectOf(starter), effectOf(without.config));
  });

  test('names the schema where editors look for it', () => {
    assert.ok(starterConfig('/x.json').startsWith('# yaml-language-server: $schema=/x.json\n'));
  });

  test('stays valid when its commented examples are used', async () => {
    const text = starterConfig('x').replaceAll(
      /^( *)# ((?:team|mail): .*|(?:plans|templates):|(?:quiet_hours|api): .*|  (?:escalate|title): .*)$/gm,
      '$1$2',
    );
    assert.equal(text.match(/^ *#.*: [{[]/m), null);

    const loaded = await parseConfig(text, 'c.yaml', options);

    assert.ok(loaded.ok, loaded.ok ? '' : loaded.problems.map(formatProblem).join('\n'));
    assert.deepEqual(Object.keys(loaded.config.policy.plans).slice(0, 2), ['none', 'escalate']);
    assert.equal(loaded.config.channels.length, 4);
    assert.notDeepEqual(loaded.config.templates.title, {});
    assert.equal(loaded.config.policy.quietHours.length, 1);
  });
});

/** What a configuration does, without the names of its routes. */
function effectOf({ channels, policy, templates, history, api }: Config): unknown {
  return {
    channels,
    routes: policy.routes.map(({ match, plan, also }) => ({
      match,
      also,
      steps: policy.plans[plan]?.steps,
    })),
    templates,
    history,
    api,
  };
}

/** The schema for editors, on one line. */
const editorSchema = JSON.stringify(
  JSON.parse(await readFile(new URL('config/hookbell.schema.json', root), 'utf8')),
);

describe('config/hookbell.schema.json', () => {
  // What an editor does with the schema, done by zod.
  const schema = z.fromJSONSchema(JSON.parse(editorSchema));

  test('takes the shipped files', () => {
    assert.deepEqual(schema.safeParse(parse(example)).error?.issues, undefined);
    assert.deepEqual(schema.safeParse(parse(starterConfig('x'))).error?.issues, undefined);
  });

  test('refuses what hookbell refuses', () => {
    const wrong: readonly unknown[] = [
      { chanels: {} },
      { channels: { team: { type: 'slack' } } },
      { channels: { team: { type: 'slakc', webhook: 'x' } } },
      { channels: { team: { type: 'desktop', sond: true } } },
      { channels: { team: { type: 'desktop', timeout: 30 } } },
      { channels: { box: { type: 'inbox' } } },
      { routes: [{ match: { kind: 'turn.dne' }, plan: 'none' }] },
      { history: { keep: '90' } },
    ];
    for (const document of wrong) {
      assert.equal(schema.safeParse(document).success, false, JSON.stringify(document));
    }
  });

  test('knows every type of channel but the inbox', () => {
    for (const { type } of channelDefinitions) {
      assert.equal(editorSchema.includes(`"const":"${type}"`), type !== 'inbox', type);
    }
  });
});

describe('The channel definitions', () => {
  test('have separate types and avoid the keys that every channel has', () => {
    const types = channelDefinitions.map(({ type }) => type);
    assert.equal(new Set(types).size, types.length);

    const taken = ['type', ...Object.keys(commonChannelSchema.shape)];
    for (const { type, options: schema } of channelDefinitions) {
      assert.ok(schema instanceof z.ZodObject, `${type}: options are no mapping`);
      assert.deepEqual(
        knownKeys(schema).filter((key) => taken.includes(key)),
        [],
        type,
      );
    }
  });

  test('refuse unknown keys', () => {
    for (const { type, options: schema } of channelDefinitions) {
      const { error } = schema.safeParse({ no_such_key: 1 }, { error: describeIssue });

      assert.ok(
        error?.issues.some(({ code }) => code === 'unrecognized_keys'),
        type,
      );
    }
  });
});

test('the JSON Schema names every type of channel where editors complete "type:", and no zone of this machine (B16)', () => {
  const types = channelDefinitions.map(({ type }) => type).filter((type) => type !== 'inbox');

  assert.ok(editorSchema.includes(`"enum":${JSON.stringify(types)}`), editorSchema.slice(0, 2_000));
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  assert.ok(!editorSchema.includes(`"default":${JSON.stringify(zone)}`));
});
