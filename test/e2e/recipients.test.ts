import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startMock } from '../support/reference-service/reference-server.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import type { ReceivedMail } from '../support/smtp-faults.ts';
import { startFaultySmtp } from '../support/smtp-faults.ts';

test('an alert about one person goes to that person by the directory, others to the channel, and explain says why (acceptance 168)', async () => {
  await using mock = await startMock({ now: Date.now });
  await using smtp = await startFaultySmtp();
  await using place = await hookbellHome();
  const ada = 'ada@example.com';
  await place.writeConfig(`
channels:
  mail: { type: email, to: [team@x.test], to_concerned: true, from: robot@x.test, smtp: { host: 127.0.0.1, port: ${smtp.port}, starttls: never } }
api: { base_url: ${mock.baseUrl}, app_url: ${mock.appUrl}, key: ${mock.keys.owner} }
budget: { users: { ${ada}: 1, stranger@evil.test: 0.5 }, organization: 1, at: "00:00", until: "23:59", timezone: UTC }
routes: [{ match: { event: budget.* }, notify: mail }]
`);
  const mails: ReceivedMail[] = [];

  await place.start();
  await until(() => {
    mails.push(...smtp.takeMails());
    return mails.length >= 2;
  });
  await until(async () => (await place.ask('GET /v1/queue')).length === 0);
  const history = await place.ask('GET /v1/history');
  const explained: string[] = [];
  for (const { eventId } of history) explained.push((await place.cli('explain', eventId)).stdout);

  const recipientsOf = (subject: RegExp): readonly (readonly string[])[] =>
    mails.filter(({ raw }) => subject.test(raw.toString())).map(({ to }) => to);
  assert.equal(mails.length, 2);
  assert.deepEqual(recipientsOf(/^Subject: The budget of user ada@example\.com is used up/m), [
    [ada],
  ]);
  assert.deepEqual(recipientsOf(/^Subject: The budget of the organization is used up/m), [
    ['team@x.test'],
  ]);
  assert.match(explained.join('\n'), new RegExp(`Sent to ${ada}, the person it concerns`));
  assert.ok(!mails.some(({ raw }) => raw.toString().includes(mock.keys.owner)));
});

test('an alert about a person whom the directory does not know, or outside its domains, goes to the channel with the reason', async () => {
  await using mock = await startMock({ now: Date.now });
  await using smtp = await startFaultySmtp();
  await using place = await hookbellHome();
  await place.writeConfig(`
channels:
  mail: { type: email, to: [team@x.test], to_concerned: true, from: robot@x.test, smtp: { host: 127.0.0.1, port: ${smtp.port}, starttls: never } }
api: { base_url: ${mock.baseUrl}, app_url: ${mock.appUrl}, key: ${mock.keys.owner} }
watch: { controls: {} }
routes: [{ match: { event: controls.* }, notify: mail }]
`);
  await place.start();
  await until(() =>
    mock.requests().some(({ routeId, sent }) => routeId === 'org.history' && sent === 200),
  );
  await place.cli('stop');
  mock.scenario('controls-loosened');
  const [newest] = mock.state().controls;
  Object.assign(newest ?? {}, { user: { id: 'gone', email: 'eve@evil.test', name: 'Eve' } });

  await place.start();
  const mails: ReceivedMail[] = [];
  await until(() => mails.push(...smtp.takeMails()) > 0);
  await until(async () => (await place.ask('GET /v1/queue')).length === 0);
  const { stdout } = await place.cli('explain', 'last');

  assert.deepEqual(
    mails.map(({ to }) => to),
    [['team@x.test']],
  );
  assert.match(stdout, /because "eve@evil\.test" is outside the domains of the organization/);
});

test('each person who used credits gets a personal digest, and the channel the full one', async () => {
  await using mock = await startMock({ now: Date.now });
  await using smtp = await startFaultySmtp();
  await using place = await hookbellHome();
  // On a Monday the week has many people.
  const unlimited = 'rate: { burst: 1000, every: 1ms }';
  await place.writeConfig(`
channels:
  boss: { type: email, to: [boss@x.test], from: robot@x.test, smtp: { host: 127.0.0.1, port: ${smtp.port}, starttls: never }, ${unlimited} }
  mail: { type: email, to: [team@x.test], to_concerned: true, from: robot@x.test, smtp: { host: 127.0.0.1, port: ${smtp.port}, starttls: never }, ${unlimited} }
api: { base_url: ${mock.baseUrl}, app_url: ${mock.appUrl}, key: ${mock.keys.owner} }
digest: { notify: boss, each: mail, every: week, weekday: ${notToday()}, at: "00:00", until: "00:01", timezone: UTC }
routes: []
`);
  const mails: ReceivedMail[] = [];

  await place.start();
  await place.cli('service', 'digest', 'send');
  await until(async () => {
    mails.push(...smtp.takeMails());
    return mails.length >= 3 && (await place.ask('GET /v1/queue')).length === 0;
  });
  mails.push(...smtp.takeMails());

  const all = mails.filter(({ raw }) => /^Subject: Agents from /m.test(raw.toString()));
  const own = mails.filter(({ raw }) => /^Subject: Your agents from /m.test(raw.toString()));
  assert.ok(all.every(({ to }) => String(to) === 'boss@x.test') && all.length > 0);
  assert.equal(own.length + all.length, mails.length);
  const people = own.map(({ to }) => String(to));
  // Some ten people, whatever the day; their messages are never combined, however many come together.
  assert.ok(people.length > 4, String(people));
  assert.ok(
    people.every((to) => to.endsWith('@example.com')),
    String(people),
  );
  assert.equal(new Set(people).size, people.length);
});

/** A weekday on which this test sends no digest by itself. */
function notToday(): string {
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  return days[(new Date().getUTCDay() + 3) % 7] ?? '';
}
