import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { botScopes } from '../../../src/channels/slack/app-manifest.ts';
import { checkApp, findTarget } from '../../../src/channels/slack/app-target.ts';
import type { CallSlack, SlackResponse } from '../../../src/channels/slack/web-api.ts';
import type { JsonObject } from '../../../src/platform/json.ts';
import { delivered, failed, retry } from '../../../src/core/outcome.ts';

const { signal } = new AbortController();
const ok = (data: JsonObject = {}): SlackResponse => ({
  outcome: delivered(),
  data,
  error: null,
  scopes: botScopes,
});
const busy: SlackResponse = {
  outcome: retry('Cannot deliver to Slack: it is busy'),
  data: {},
  error: null,
  scopes: [],
};
const unknown: SlackResponse = {
  outcome: failed('Cannot deliver to Slack: no member of the workspace has that address'),
  data: {},
  error: 'users_not_found',
  scopes: [],
};

/** A workspace that answers each method as given, and what was asked of it. */
function slack(answers: Readonly<Record<string, SlackResponse>>) {
  const asked: (readonly [string, JsonObject])[] = [];
  const call: CallSlack = async (method, parameters) => {
    asked.push([method, parameters]);
    return answers[method] ?? assert.fail(method);
  };
  return { call, asked };
}

const opened = ok({ channel: { id: 'D0ADA' } });
const known = ok({ user: { id: 'U0ADA' } });

describe('findTarget()', () => {
  test('is a channel by its id, without asking', async () => {
    const { call, asked } = slack({});

    assert.deepEqual(await findTarget(call, { to: 'C0TEAM', owner: null }, signal), {
      channel: 'C0TEAM',
    });
    assert.deepEqual(asked, []);
  });

  for (const [name, to, owner, asks] of [
    ['the owner', 'dm:@owner', 'U0BOB', ['conversations.open']],
    ['an address', 'dm:ada@example.com', null, ['users.lookupByEmail', 'conversations.open']],
  ] as const) {
    test(`opens the direct messages of ${name}`, async () => {
      const workspace = slack({ 'users.lookupByEmail': known, 'conversations.open': opened });

      const target = await findTarget(workspace.call, { to, owner }, signal);

      assert.deepEqual(target, { channel: 'D0ADA' });
      assert.deepEqual(
        workspace.asked.map(([method]) => method),
        asks,
      );
      assert.deepEqual(workspace.asked.at(-1)?.[1], { users: owner ?? 'U0ADA' });
    });
  }

  for (const [name, answers, reason] of [
    ['the address is unknown', { 'users.lookupByEmail': unknown }, unknown.outcome],
    ['the lookup has to wait', { 'users.lookupByEmail': busy }, busy.outcome],
    [
      'the conversation has to wait',
      { 'users.lookupByEmail': known, 'conversations.open': busy },
      busy.outcome,
    ],
    [
      'no conversation comes back',
      { 'users.lookupByEmail': known, 'conversations.open': ok({ channel: 'D0ADA' }) },
      retry('Cannot deliver to Slack: it returned no conversation'),
    ],
  ] as const) {
    test(`gives the reason where ${name}`, async () => {
      const { call } = slack(answers);

      const target = await findTarget(call, { to: 'dm:ada@example.com', owner: null }, signal);

      assert.deepEqual('outcome' in target ? target.outcome : target, reason);
    });
  }

  test('asks for no one else where a person is not found by their address', async () => {
    const { call, asked } = slack({ 'users.lookupByEmail': unknown });
    const place = { to: 'dm:@person', owner: 'U0BOB' };
    const eve = { type: 'found', address: 'eve@example.com', isOutside: false } as const;
    const refused = await findTarget(call, { ...place, recipient: eve }, signal);
    const nameless = { type: 'unknown', reason: 'the machine has no owner' } as const;
    const unnamed = await findTarget(call, { ...place, recipient: nameless }, signal);

    assert.deepEqual(refused, {
      outcome: failed('Cannot deliver to Slack: it does not know "eve@example.com"'),
    });
    assert.deepEqual(unnamed, {
      outcome: failed('It is for one person only, and the machine has no owner'),
    });
    assert.equal(asked.length, 1);
  });
});

describe('checkApp()', () => {
  const place = { to: 'dm:@owner', owner: 'U0ADA', trouble: null, takesPresses: true };
  const works = { 'auth.test': ok({ team: 'Fake', user: 'bot' }), 'conversations.open': opened };

  for (const [name, answers, wanted, check] of [
    ['works', works, place, { ok: true, summary: 'Posts as "bot" in "Fake", with buttons' }],
    [
      'has no names, and takes no presses',
      { ...works, 'auth.test': ok() },
      { ...place, takesPresses: false },
      {
        ok: true,
        summary:
          'Posts as "the app" in "Slack", without buttons, which need "app_token" and "members"',
      },
    ],
    [
      'cannot be asked',
      { 'auth.test': busy },
      place,
      { ok: false, summary: 'Cannot deliver to Slack: it is busy' },
    ],
    [
      'reaches no conversation',
      { ...works, 'conversations.open': busy },
      place,
      { ok: false, summary: 'Cannot deliver to Slack: it is busy' },
    ],
    [
      'has lost its connection',
      works,
      { ...place, trouble: 'the token is refused' },
      {
        ok: false,
        summary: 'Buttons have no effect: the token is refused',
        hint: 'Check "app_token"',
      },
    ],
    [
      'writes to the person of each delivery, who is not looked up',
      { 'auth.test': works['auth.test'] },
      { ...place, to: 'dm:@person' },
      { ok: true, summary: 'Posts as "bot" in "Fake", with buttons' },
    ],
  ] as const) {
    test(`reports an app that ${name}`, async () => {
      assert.deepEqual(await checkApp(slack(answers).call, wanted, signal), check);
    });
  }

  test('names the scopes that are missing', async () => {
    const poor = { ...works['auth.test'], scopes: botScopes.filter((one) => one !== 'im:write') };

    const check = await checkApp(slack({ 'auth.test': poor }).call, place, signal);

    assert.deepEqual([check.ok, check.summary], [false, 'The app lacks the scope "im:write"']);
  });
});
