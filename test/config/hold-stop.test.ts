import assert from 'node:assert/strict';
import { test } from 'node:test';

import { configOf } from '../support/config-text.ts';

const account = 'base_url: https://api.example.com, key: { env: KEY }';
const jwt = 'base_url: https://api.example.com, jwt: { env: KEY }';

for (const [api, wanted] of [
  ['', null],
  [`api: { ${account} }`, null],
  [`api: { ${account}, hold_stop_while_running: false }`, null],
  [`api: { ${account}, hold_stop_while_running: true }`, { forMs: 20_000, afterwards: 'tell' }],
  [`api: { ${jwt}, hold_stop_while_running: true }`, { forMs: 20_000, afterwards: 'tell' }],
  [
    `api: { ${account}, hold_stop_while_running: 45s, hold_stop_then: drop }`,
    { forMs: 45_000, afterwards: 'drop' },
  ],
  ['api: { base_url: https://api.example.com, hold_stop_while_running: true }', null],
  ['api: { key: { env: KEY }, hold_stop_while_running: true }', null],
] as const) {
  test(`the policy of a Stop comes from "${api}"`, async () => {
    assert.deepEqual((await configOf(api)).policy.holdStop, wanted);
  });
}
