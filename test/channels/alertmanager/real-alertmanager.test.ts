import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

import { sendContext } from '../../support/channel-dependencies.ts';
import { freePort } from '../../support/free-port.ts';
import { type HttpEndpoint, openHttpEndpoint } from '../../support/http-endpoint.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { send } from '../conformance.ts';
import { createAlertmanager } from './alertmanager-stage.ts';

const program = 'prometheus-alertmanager';

interface RealAlertmanager extends AsyncDisposable {
  readonly url: string;
  /** The receiver of its notifications. */
  readonly receiver: HttpEndpoint;
}

/** The user "ada" with the password "correct horse". */
const users = `basic_auth_users:
  ada: "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"
`;

/** A real Alertmanager on the loopback that passes every alert on to a receiver of ours. */
async function startAlertmanager(): Promise<RealAlertmanager> {
  const directory = await temporaryDirectory();
  const receiver = await openHttpEndpoint();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const file = (name: string): string => join(directory.path, name);
  await writeFile(file('web.yml'), users);
  await writeFile(
    file('config.yml'),
    `route: { receiver: ours, group_by: ['...'], group_wait: 0s, group_interval: 100ms }
receivers: [{ name: ours, webhook_configs: [{ url: '${receiver.url}/' }] }]
`,
  );
  const server = spawn(
    program,
    [
      `--config.file=${file('config.yml')}`,
      `--web.config.file=${file('web.yml')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--storage.path=${file('data')}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  );
  const ended = once(server, 'exit');
  const real: RealAlertmanager = {
    url,
    receiver,
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await ended;
      await receiver[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/-/ready`).then(
      ({ status }) => status === 200 || status === 401,
      () => false,
    );
  for (let tries = 0; !(await isReady()); tries += 1) {
    if (tries > 600 || server.exitCode !== null) {
      await real[Symbol.asyncDispose]();
      throw new Error('Alertmanager did not start');
    }
    await delay(25);
  }
  return real;
}

const group = z.object({
  alerts: z.array(
    z.object({
      status: z.enum(['firing', 'resolved']),
      labels: z.record(z.string(), z.string()),
      annotations: z.record(z.string(), z.string()),
    }),
  ),
});

async function nextAlert({ receiver }: RealAlertmanager) {
  const { body } = await receiver.nextRequest();
  const [alert] = group.parse(JSON.parse(body)).alerts;
  assert.ok(alert);
  return alert;
}

const login = { username: 'ada', password: 'correct horse' };

describe('alertmanager, with the real server', { skip: needs(program), timeout: 60_000 }, () => {
  test('an alert reaches the receiver once, also when it is sent twice, and its end as well', async () => {
    await using server = await startAlertmanager();
    const channel = await createAlertmanager({ url: server.url, ...login }, { now: Date.now });
    const notification = sampleNotification({ alertId: 'a1', at: Date.now(), body: 'npm publish' });

    const firing = nextAlert(server);
    const outcome = await send({ channel }, notification);
    assert.ok(outcome.type === 'delivered' && outcome.ref !== undefined);
    const shown = await firing;
    assert.equal(shown.status, 'firing');
    assert.equal(shown.annotations['description'], 'npm publish');
    assert.equal(shown.labels['alertname'], 'Hookbell');

    assert.equal((await send({ channel }, notification)).type, 'delivered');
    const over = nextAlert(server);
    assert.equal((await channel.withdraw?.(outcome.ref, sendContext()))?.type, 'delivered');
    const last = await over;
    assert.equal(last.status, 'resolved');
    assert.deepEqual(last.labels, shown.labels);
    assert.equal(server.receiver.requests.length, 2);
    await channel.close();
  });

  test('check() names the version, and a wrong password is found by it and by send()', async () => {
    await using server = await startAlertmanager();
    const right = await createAlertmanager({ url: server.url, ...login });
    const wrong = await createAlertmanager({ url: server.url, ...login, password: 'x' });

    const good = await right.check(AbortSignal.timeout(10_000));
    const bad = await wrong.check(AbortSignal.timeout(10_000));

    assert.match(good.summary, /^Posts to Alertmanager \d+\.\d+\.\d+.* on 127\.0\.0\.1$/);
    assert.deepEqual(bad, { ok: false, summary: 'Cannot use Alertmanager: it answered 401' });
    const outcome = await send({ channel: wrong }, sampleNotification());
    assert.ok(outcome.type === 'failed' && outcome.channelBroken === true);
  });

  test('it accepts every hostile text, in every field', async () => {
    await using server = await startAlertmanager();
    const channel = await createAlertmanager({ url: server.url, ...login }, { now: Date.now });

    for (const text of hostileTexts) {
      const fields = { title: text, body: text, project: text, sessionId: text, event: text };
      const outcome = await send({ channel }, sampleNotification({ at: Date.now(), ...fields }));

      assert.equal(outcome.type, 'delivered', JSON.stringify([text, outcome]));
    }
  });
});
