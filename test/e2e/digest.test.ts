import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import PostalMime from 'postal-mime';

import { startMock } from '../support/reference-service/reference-server.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import type { ReceivedMail } from '../support/smtp-faults.ts';
import { startFaultySmtp } from '../support/smtp-faults.ts';

test('a digest is sent once a day through its channels, on top of that when asked, and says what hookbell did', async () => {
  await using mock = await startMock({ now: Date.now });
  await using place = await hookbellHome();
  const told = join(place.home, 'told.ndjson');
  await place.writeConfig(`
channels: { log: { type: file, path: ${told} }, other: { type: file, path: ${told}.other } }
api: { base_url: ${mock.baseUrl}, app_url: ${mock.appUrl}, key: ${mock.keys.owner} }
digest: { notify: log, at: "00:00", until: "23:59", timezone: UTC }
routes: [{ match: {}, notify: other }]
`);
  const lines = async (): Promise<string[]> =>
    (await readFile(told, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');

  const startedAt = Date.now();
  await place.start();
  // The mock's last day may be one without work: then the daily digest still waits.
  const sent = await place.cli('service', 'digest', 'send');
  await until(async () => (await lines()).length > 0);
  await place.hook({
    session_id: 's1',
    hook_event_name: 'Notification',
    notification_type: 'permission_prompt',
    message: 'May I?',
  });
  await place.hook({ session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt: 'Yes' });
  const range = { from: String(startedAt), to: String(Date.now() + 60_000) };
  const usage = () => place.ask('GET /v1/usage', { query: range });
  await until(async () => (await usage()).answered === 1);
  const html = join(place.home, 'digest.html');
  const preview = await place.cli('service', 'digest', 'preview', '--html', html);

  assert.equal(sent.code, 0, sent.stderr);
  assert.match(
    sent.stderr,
    /^Sending to log: Agents on \d{4}-\d\d-\d\d \(UTC\): [\d,]+ standard credits/,
  );
  assert.match((await lines()).join('\n'), /"kind":"digest"/);
  assert.equal(preview.code, 0, preview.stderr);
  assert.match(await readFile(html, 'utf8'), /hookbell on this machine/);
  const { questions, waitsMs } = await usage();
  assert.deepEqual([questions, waitsMs.length], [1, 1]);
  const log = await readFile(place.paths.log, 'utf8');
  assert.ok(!`${log}${(await lines()).join('')}`.includes(mock.keys.owner));
});

test('hookbell service digest send says what to write where no digest is configured', async () => {
  await using place = await hookbellHome();
  await place.start();

  const { code, stderr } = await place.cli('service', 'digest', 'send');

  assert.equal(code, 2);
  assert.match(stderr, /No digest is configured[\s\S]*digest: \{ notify: mail \}/);
});

test('a digest reaches a mail as a page with its text beside it, and Slack as text', async () => {
  await using mock = await startMock({ now: Date.now });
  await using smtp = await startFaultySmtp();
  await using slack = await openHttpEndpoint();
  await using place = await hookbellHome();
  await place.writeConfig(`
channels:
  mail: { type: email, to: [me@x.test], from: robot@x.test, smtp: { host: 127.0.0.1, port: ${smtp.port}, starttls: never } }
  team: { type: slack, webhook: "${slack.url}/services/T0/B0/x", allow_any_host: true }
api: { base_url: ${mock.baseUrl}, app_url: ${mock.appUrl}, key: ${mock.keys.owner} }
digest: { notify: [mail, team], at: "23:58", until: "23:59", timezone: UTC }
`);
  await place.start();

  const sent = await place.cli('service', 'digest', 'send');
  const mails: ReceivedMail[] = [];
  await until(() => mails.push(...smtp.takeMails()) > 0 && slack.requests.length > 0);

  assert.equal(sent.code, 0, sent.stderr);
  const mail = await PostalMime.parse(mails[0]?.raw ?? '');
  assert.match(mail.subject ?? '', /^Agents on /);
  assert.match(mail.html ?? '', /<h2 class="text"[^>]*>Standard credits<\/h2>/);
  assert.match(mail.text ?? '', /STANDARD CREDITS\s+[\d,]+ standard credits/);
  assert.match(slack.requests[0]?.body ?? '', /STANDARD CREDITS/);
});
