import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import * as fc from 'fast-check';

import { Secret } from '../../../src/text/secret.ts';
import { hideSecrets } from '../../../src/vendor/client/hide-secrets.ts';
import { BadRequestError, ResponseShapeError } from '../../../src/vendor/client/index.ts';
import { session } from './samples.ts';
import { json, openService, rejection } from './service.ts';

const VALUE = 'hunter2-value';
const HISTORY = '/api/v0/organization/enterprise-controls/history';

const settings = {
  customModels: [
    {
      model: 'm',
      apiKey: VALUE,
      thinkingMaxTokens: 5,
      maxOutputTokens: 6,
      extraHeaders: { 'x-any': VALUE, nested: { deep: [VALUE] } },
      extraArgs: { flag: VALUE, number: 7 },
      hostedCloud: { cloudAuthRefresh: VALUE, cloudCredentialExport: VALUE, cloudRegion: 'eu' },
    },
  ],
  restrictApiKeyCreationToManagers: true,
  later: {
    api_key: VALUE,
    accessToken: VALUE,
    ClientSecret: VALUE,
    PASSWORD: VALUE,
    credentials: { user: VALUE, list: [VALUE] },
    authorization: VALUE,
    Authorisation: VALUE,
    cookies: [VALUE],
    thinkingMaxTokens: VALUE,
    tokenLifetime: 98765,
    keyUnset: null,
    plain: 'shown',
  },
};
const history = {
  changes: [{ revision: 2, settings }],
  pagination: { hasMore: false },
};

function shown(value: unknown): string {
  return [inspect(value, { depth: 20 }), JSON.stringify(value), String(value)].join('\n');
}

test('acceptance 179, 180: no secret of the settings shows, what is documented as plain does', async () => {
  await using service = await openService(json(history));

  const [change] = await service.client().organization.history().all({ max: 1 });
  const text = shown(change);

  assert.equal(text.includes(VALUE), false);
  assert.equal(text.includes('98765'), false);
  assert.match(text, /"thinkingMaxTokens":5/);
  assert.match(text, /"maxOutputTokens":6/);
  assert.match(text, /"restrictApiKeyCreationToManagers":true/);
  assert.match(text, /"cloudRegion":"eu"/);
  assert.match(text, /"x-any":"\*\*\*"/);
  assert.match(text, /"keyUnset":null/);
  assert.match(text, /"plain":"shown"/);
});

test('acceptance 179: secrets are distinguished by who asks for them', () => {
  const hidden = hideSecrets({ settings: { apiKey: VALUE } }, 'settings');

  assert.ok(typeof hidden === 'object' && hidden !== null && 'settings' in hidden);
  const { settings: inner } = hidden;
  assert.ok(typeof inner === 'object' && inner !== null && 'apiKey' in inner);
  assert.ok(inner.apiKey instanceof Secret);
  assert.equal(inner.apiKey.reveal(), VALUE);
});

test('acceptance 179, 180: raw requests hide the same, also on paths the table does not have', async () => {
  await using service = await openService(json(history));
  const api = service.client();

  for (const path of [HISTORY, `${HISTORY}/`, '/api/v1/organization/history', '/anything']) {
    const { body } = await api.request('GET', path);
    assert.equal(shown(body).includes(VALUE), false, path);
  }
});

test('acceptance 179, 180: neither errors, pages, bad items nor drift show a secret', async () => {
  await using service = await openService();
  const seen: unknown[] = [];
  const api = service.client({ onDrift: (drift) => seen.push(drift) });

  service.base.answer(json({ ...history, detail: 'Bad' }, 400));
  seen.push(await rejection(api.organization.history().all({ max: 1 }), BadRequestError));
  service.base.answer({ status: 400, body: JSON.stringify(history).slice(0, -5) });
  seen.push(await rejection(api.organization.history().all({ max: 1 }), BadRequestError));
  service.base.answer(json({ changes: { settings }, pagination: {} }));
  seen.push(await rejection(api.organization.history().all({ max: 1 }), ResponseShapeError));
  service.base.answer(json({ changes: [{ revision: 'x', settings }], pagination: {} }));
  for await (const page of api.organization.history().pages()) seen.push(page);

  assert.equal(seen.length, 5);
  assert.equal(shown(seen).includes(VALUE), false);
});

test('acceptance 180: elsewhere, names that sound secret are data', async () => {
  const body = session({ sessionSettings: { tokenUsage: { inputTokens: 5 } }, group_key: 'm' });
  await using service = await openService(json(body));

  assert.deepEqual(await service.client().sessions.get({ sessionId: 's1' }), body);
});

test('acceptance 180: whatever lies around it, the value of a secret name never shows', () => {
  const name = fc.constantFrom('apiKey', 'x_token', 'my-secret', 'Password', 'extraArgs', 'cookie');
  const leaf = fc.constant(VALUE);
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(leaf, fc.array(tie('tree')), fc.dictionary(fc.string(), tie('tree'))),
  }));

  fc.assert(
    fc.property(name, tree, fc.string(), (key, value, around) => {
      const body = { a: [{ settings: { [around]: { [key]: value } } }] };
      assert.equal(JSON.stringify(hideSecrets(body, 'any')).includes(VALUE), false);
    }),
  );
});

test('settings nested without end are cut, not walked', () => {
  const deep: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}"${VALUE}"${'}'.repeat(20_000)}`);

  const hidden = hideSecrets({ settings: deep, apiKeys: deep }, 'settings');

  assert.equal(JSON.stringify(hidden).includes(VALUE), false);
});
