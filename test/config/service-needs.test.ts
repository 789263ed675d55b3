import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { channelCatalog } from '../../src/channels/registry.ts';
import { parseConfig } from '../../src/config/load.ts';
import { formatProblem } from '../../src/config/problem.ts';

/** Whether a text is accepted, and what is said of it, one line each. */
async function saidOf(...lines: readonly string[]): Promise<readonly [boolean, ...string[]]> {
  const loaded = await parseConfig(lines.join('\n'), '', { catalog: channelCatalog });
  const problems = loaded.ok ? loaded.warnings : loaded.problems;
  return [loaded.ok, ...problems.map((problem) => formatProblem(problem).slice(1))];
}

const BUDGET = 'budget: { organization: 9 }';
const WATCH = 'watch: { sessions: {}, readiness: {}, controls: {} }';
const ADDRESSES = 'base_url: "https://api.test", app_url: "https://app.test"';
const NOTHING = "has no effect without the vendor's service";
const WHOLE = `${NOTHING}: add "api: { base_url: ADDRESS, key: { env: NAME } }"`;

function refusal(name: string): string {
  return `names "${name}", which would receive the digests of all users: use an email channel with "to_concerned: true" or, at a hub, "to: person"`;
}

function mail(more: string): string {
  return `channels: { mail: { type: email, to: [a@x.test], smtp: { host: x.test }, ${more} } }`;
}

describe('parseConfig() of what asks the service', () => {
  test('C5: warns of a key that would go without TLS to another machine, unless allow_http', async () => {
    assert.deepEqual(await saidOf('api: { base_url: "http://api.test", key: k }'), [
      true,
      '1:18 api.base_url: would send the key to another machine without TLS, so it is not used: use https, or set "allow_http: true"',
    ]);
    assert.deepEqual(
      await saidOf('api: { base_url: "http://api.test", allow_http: true, key: k }'),
      [true],
    );
    assert.deepEqual(await saidOf('api: { app_url: "http://127.0.0.1:1", key: k }'), [true]);
  });

  test('warns where nothing says where that is, with the line to add', async () => {
    assert.deepEqual(await saidOf(BUDGET, WATCH, 'reply_page: {}', mail('to_concerned: true')), [
      true,
      `1:1 budget: ${WHOLE}`,
      `2:10 watch.sessions: ${WHOLE}`,
      `2:24 watch.readiness: ${NOTHING}: add "api: { app_url: ADDRESS, key: { env: NAME } }"`,
      `2:39 watch.controls: ${WHOLE}`,
      `3:1 reply_page: ${WHOLE}`,
      `4:74 channels.mail.to_concerned: ${WHOLE}`,
    ]);
  });

  test('warns of an address or a key that is missing for a part of it alone', async () => {
    const api = 'api: { base_url: "https://api.test", jwt: { env: TOKEN } }';

    assert.deepEqual(await saidOf(api, 'digest: { notify: desktop }', WATCH), [
      true,
      `2:1 digest: ${NOTHING}: add "key: { env: NAME }" to api`,
      `3:24 watch.readiness: ${NOTHING}: add "app_url: ADDRESS, key: { env: NAME }" to api`,
    ]);
  });

  test('warns of nothing where all is there, or nothing is wanted', async () => {
    const api = `api: { ${ADDRESSES}, key: { env: KEY } }`;

    assert.deepEqual(await saidOf(api, BUDGET, WATCH, mail('to_concerned: true')), [true]);
    assert.deepEqual(await saidOf(mail('to_concerned: false')), [true]);
  });
});

describe('parseConfig() of digests of single persons', () => {
  const api = `api: { ${ADDRESSES}, key: { env: KEY } }`;

  test('refuses channels that would send all personal digests to the same place', async () => {
    assert.deepEqual(
      await saidOf(
        api,
        mail('to_concerned: false'),
        'digest: { notify: mail, each: [mail, inbox] }',
      ),
      [
        false,
        `3:32 digest.each[0]: ${refusal('mail')}`,
        `3:38 digest.each[1]: ${refusal('inbox')}`,
      ],
    );
    assert.deepEqual(await saidOf(api, 'digest: { notify: desktop, each: desktop }'), [
      false,
      `2:34 digest.each: ${refusal('desktop')}`,
    ]);
  });

  test('accepts those that write to the person', async () => {
    const digest = 'digest: { notify: mail, each: mail }';

    assert.deepEqual(await saidOf(api, mail('to_concerned: true'), digest), [true]);
  });
});
