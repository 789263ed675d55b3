import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hookbellHome, until } from '../support/hookbell-home.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import { startFaultySmtp } from '../support/smtp-faults.ts';

test('a revoked token: one request, one notice through another channel, and everything again after a reload (fault 35)', async () => {
  await using place = await hookbellHome();
  await using slack = await openHttpEndpoint();
  await using smtp = await startFaultySmtp();
  slack.answer({ status: 404, body: 'no_service' });
  const configWith = (path: string): string => `
channels:
  team: { type: slack, webhook: '${slack.url}/services/T0/B0/${path}', allow_any_host: true }
  mail: { type: email, to: [me@x.test], smtp: { host: 127.0.0.1, port: ${smtp.port}, starttls: never } }
routes: [{ match: {}, notify: team }]
noise: { burst: { at_once: 100, window: 1s } }
`;
  await place.writeConfig(configWith('old'));
  await place.start();

  for (let session = 0; session < 10; session += 1) {
    await place.hook({ session_id: `s${session}`, hook_event_name: 'PermissionRequest' });
  }
  await until(async () => (await place.ask('GET /v1/status')).events === 10);
  await until(async () => (await place.ask('GET /v1/status')).warnings.length === 1);
  const notices = smtp.takeMails().map(({ raw }) => raw.toString());
  await until(async () => {
    notices.push(...smtp.takeMails().map(({ raw }) => raw.toString()));
    return notices.length > 0;
  });
  assert.equal(notices.length, 1);
  assert.match(notices[0] ?? '', /"team" is out of order/);
  assert.doesNotMatch(notices[0] ?? '', /services|B0/);
  // Those that were under way already when the first answer came do not count.
  assert.ok(slack.requests.length <= 3, `${slack.requests.length} requests`);

  slack.answer({ status: 200, body: 'ok' });
  await place.writeConfig(configWith('new'));
  await until(async () => {
    const { warnings, deliveries } = await place.ask('GET /v1/status');
    return warnings.length === 0 && deliveries.pending === 0;
  });
  const told = slack.requests.filter(({ path }) => path.endsWith('/new'));
  assert.equal(told.length, 10);
});
