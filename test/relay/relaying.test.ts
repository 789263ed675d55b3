import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';

import { parseConfig } from '../../src/config/load.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createRelaying } from '../../src/relay/relaying.ts';
import { makeToken } from '../../src/relay/token.ts';
import { nearFiles } from '../../src/daemon/far-files/file-jobs.ts';
import { channelDependencies } from '../support/channel-dependencies.ts';
import { sampleCatalog } from '../support/sample-channels.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';

test('relaying reports the link of the new configuration when a check is under way during a change', async () => {
  await using endpoint = await openHttpEndpoint();
  endpoint.answer('silence');
  const text = `relay: { to: "${endpoint.url}", token: { env: TOKEN } }\n`;
  const loaded = await parseConfig(text, '/config.yaml', { catalog: sampleCatalog });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  const relaying = createRelaying({
    files: nearFiles,
    config: () => loaded.config,
    paths: { config: '/config.yaml' },
    readSecret: () => Promise.resolve(makeToken('devbox', randomBytes(32))),
    outbound: channelDependencies().outbound,
    questions: {
      shown: () => [],
      ended: () => null,
      answer: () => Promise.resolve({ ok: false, reason: 'None waits' }),
    },
    store: {
      relay: {
        batch: () => Promise.resolve([]),
        complete: () => Promise.resolve(),
        giveUp: () => Promise.resolve(0),
        backlog: () => Promise.resolve({ count: 0, since: null }),
      },
    },
    readTranscriptTitle: () => Promise.resolve(null),
    prepare: (record) => record,
    policyOfHub: { learnVersion: () => undefined, view: () => null },
    warnings: { raise: () => undefined, clear: () => undefined },
    now: Date.now,
    log: silentLog,
  });
  relaying.start();
  const reached = endpoint.nextRequest();
  const checked = relaying.check();
  await reached;

  endpoint.answer({ status: 404, body: 'Not found' });
  await Promise.all([relaying.reconfigure(), relaying.reconfigure()]);

  const { summary = '' } = (await checked) ?? {};
  assert.doesNotMatch(summary, /did not respond in time|^$/);
  await relaying.stop();
});
