import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ProcessConfig } from '../../src/core/hub/hub-store.ts';
import { createConfigDrift, sectionHashes } from '../../src/hub/config-drift.ts';
import { silentLog } from '../../src/platform/log.ts';

const config = {
  channels: { team: { type: 'slack', webhook: { file: '/etc/a' } } },
  routes: [{ match: {}, notify: ['team'] }],
  listen: { port: 1 },
  hub: { url: 'https://hub.example.com', groups: {}, page: { listen: '127.0.0.1:1' } },
};

test('sectionHashes() depends neither on order, nor on what belongs to one process', () => {
  const reordered = {
    hub: { page: null, groups: {}, url: 'https://other.example.com' },
    listen: { port: 2 },
    routes: [{ notify: ['team'], match: {} }],
    channels: { team: { webhook: { env: 'WEBHOOK' }, type: 'slack' } },
  };

  assert.deepEqual(sectionHashes(reordered), {
    ...sectionHashes(config),
  });
  assert.deepEqual(Object.keys(sectionHashes(config)), ['channels', 'routes', 'hub']);
  const routes = [{ match: {}, notify: ['mail'] }];
  assert.notEqual(sectionHashes({ ...config, routes })['routes'], sectionHashes(config)['routes']);
});

test('createConfigDrift() warns while another process of the same version differs, and names the sections', async () => {
  const raised: string[] = [];
  let others: ProcessConfig[] = [];
  const drift = createConfigDrift({
    store: { shareConfig: () => Promise.resolve(others) },
    raw: () => config,
    warnings: {
      raise: (_key, text) => void raised.push(text),
      clear: () => void raised.push('clear'),
    },
    host: 'hub-1',
    program: '1.0.0',
    log: silentLog,
  });
  const changed = { ...config, routes: [], plans: { ask: [] } };
  others = [other('1.0.0', config), other('1.1.0', changed)];
  await drift.look();
  others = [other('1.0.0', config), other('1.0.0', changed)];
  await drift.look();

  assert.equal(raised[0], 'clear');
  assert.match(raised[1] ?? '', /on "hub-1", differs .*: on "hub-2" in plans, routes\. /);
});

function other(program: string, raw: object): ProcessConfig {
  return { host: 'hub-2', program, hashes: JSON.stringify(sectionHashes({ ...raw })) };
}
