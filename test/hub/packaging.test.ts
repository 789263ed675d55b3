import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { parse } from 'yaml';
import { z } from 'zod';

import { channelCatalog } from '../../src/channels/registry.ts';
import { parseConfig } from '../../src/config/load.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const folder = join(projectRoot, 'packaging/hub');

test(
  'hookbell-hub.service has no line that systemd does not understand',
  { skip: needs('systemd-analyze') },
  async () => {
    await using directory = await temporaryDirectory();
    const { code, stderr } = await runProcess(
      'systemd-analyze',
      ['verify', join(folder, 'hookbell-hub.service')],
      { env: { PATH: process.env['PATH'] ?? '', XDG_RUNTIME_DIR: directory.path } },
    );

    assert.deepEqual([code, stderr], [0, '']);
  },
);

test('compose.yaml starts two hubs, PostgreSQL and a proxy, and mounts what exists', async () => {
  const Compose = z.object({
    services: z.record(
      z.string(),
      z.looseObject({
        command: z.array(z.string()).optional(),
        volumes: z.array(z.string()).optional(),
        networks: z.object({ default: z.object({ ipv4_address: z.string() }) }).optional(),
      }),
    ),
    secrets: z.record(z.string(), z.unknown()),
    volumes: z.record(z.string(), z.unknown()),
  });
  const text = await readFile(join(folder, 'compose.yaml'), 'utf8');
  const { services } = Compose.parse(parse(text, { merge: true }));

  for (const name of ['postgres', 'hub-1', 'hub-2', 'proxy']) assert.ok(services[name], name);
  for (const name of ['hub-1', 'hub-2']) {
    assert.match(services[name]?.command?.at(-1) ?? '', /exec hookbell hub run$/);
  }
  // They share the socket of the database.
  for (const name of ['postgres', 'hub-1', 'hub-2']) {
    assert.ok(services[name]?.volumes?.includes('postgres-socket:/run/postgresql'), name);
  }
  const address = services['proxy']?.networks?.default.ipv4_address ?? 'none';
  assert.ok(text.includes(`behind_proxy: [${address}]`));
  const proxy = await readFile(join(folder, 'haproxy.cfg'), 'utf8');
  for (const name of ['hub-1', 'hub-2'])
    assert.match(proxy, new RegExp(`server ${name} ${name}:8443`));
});

test('the configuration in docs/hub.md is valid', async () => {
  const page = await readFile(join(projectRoot, 'docs/hub.md'), 'utf8');
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const text = yaml.replaceAll(/^ {3}/gm, '');

  const loaded = await parseConfig(text, '/etc/hookbell/config.yaml', { catalog: channelCatalog });

  assert.ok(loaded.ok, JSON.stringify(loaded));
  assert.equal(loaded.config.hub?.url, 'https://hub.example.com:8443');
});
