import assert from 'node:assert/strict';
import test from 'node:test';

import { startMock } from '../../support/reference-service/reference-server.ts';
import { until } from '../../support/hookbell-home.ts';
import { hubHomes } from '../../support/hub-homes.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { type ReceivedMail, startFaultySmtp } from '../../support/smtp-faults.ts';

const skip = needsPostgres();

test(
  'a hub process that takes over polls on from where the killed one was: nothing is missed, and nothing comes twice',
  { skip, timeout: 170_000 },
  async () => {
    await using mock = await startMock({ now: Date.now, expiringUses: 10_000 });
    await using smtp = await startFaultySmtp();
    const keys = ['owner', 'expiring'] as const;
    const today = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][new Date().getUTCDay()];
    const daily = 'at: "00:00", until: "00:01", timezone: UTC';
    await using team = await hubHomes({
      channels: `  mail: { type: email, to: person, from: hub@x.test, smtp: { host: 127.0.0.1, port: ${smtp.port}, starttls: never }, rate: { burst: 1000, every: 1ms } }`,
      config: (index) => `
api: { base_url: ${mock.baseUrl}, app_url: ${mock.appUrl}, key: ${mock.keys[keys[index] ?? 'owner']} }
digest: { notify: out, each: mail, every: week, weekday: ${today}, ${daily} }
budget: { organization: 1, ${daily} }
watch: { controls: {} }
`,
    });
    const [one, other] = [team.hubs[0]!, team.hubs[1]!];
    /** Requests of pollers that a process has made. */
    const polls = (key: string, route = /^(?:analytics\.|org\.history)/): number =>
      mock.requests().filter(({ routeId, key: by }) => by === key && route.test(routeId ?? ''))
        .length;
    const count = async (title: RegExp): Promise<number> =>
      (await team.lines()).filter((line) => title.test(line.title)).length;
    const mails: ReceivedMail[] = [];
    const counts = async () => ({
      digests: await count(/^Agents from /),
      budgets: await count(/^The budget of the organization /),
      loosened: await count(/loosened the enterprise controls/),
    });

    await one.start();
    for (const { email } of mock.state().people) {
      await team.postgres.run(
        `INSERT INTO people (email, source, added_at) VALUES ('${email}', 'test', 0)`,
      );
    }
    await until(async () => {
      const { digests, budgets } = await counts();
      return digests > 0 && budgets > 0 && polls('owner', /^org\.history/) > 0;
    });
    await until(() => mails.push(...smtp.takeMails()) > 0);
    await other.start();
    const machine = await team.machine('ada-laptop', 'ada@example.com');
    await machine.hook({ hook_event_name: 'Notification', session_id: 's-1', message: 'Hello' });
    await until(async () => (await team.lines()).some(({ sessionId }) => sessionId === 's-1'));
    assert.equal(polls('expiring'), 0, 'only one process polls');

    mock.scenario('controls-loosened');
    await one.killDaemon();
    await until(async () => (await counts()).loosened > 0);
    const polled = polls('owner');
    await one.start();
    mock.scenario('controls-loosened');
    await other.killDaemon();
    await until(async () => (await counts()).loosened > 1);
    await until(async () => (await one.ask('GET /v1/queue')).length === 0);

    mails.push(...smtp.takeMails());
    assert.ok(polls('expiring', /^org\.history/) > 0 && polls('owner') > polled);
    assert.deepEqual(await counts(), { digests: 1, budgets: 1, loosened: 2 });
    const own = mails.filter(({ raw }) => /^Subject: Your agents from /m.test(raw.toString()));
    const people = own.map(({ to }) => String(to));
    assert.ok(people.length > 4, String(people));
    assert.equal(new Set(people).size, people.length);
  },
);
