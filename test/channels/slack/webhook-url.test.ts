import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { parseWebhookUrl } from '../../../src/channels/slack/slack-options.ts';
import { ConfigError } from '../../../src/platform/errors.ts';

const secretPath = 'services/T0/B0/do-not-show';

const taken: readonly (readonly [url: string, allowAnyHost: boolean])[] = [
  [`https://hooks.slack.com/${secretPath}`, false],
  [`https://hooks.slack-gov.com/${secretPath}`, false],
  [`https://chat.example.com/hooks/${secretPath}`, true],
  [`http://127.0.0.1:8065/hooks/${secretPath}`, true],
  [`http://localhost/hooks/${secretPath}`, true],
  [`http://[::1]/hooks/${secretPath}`, true],
];
for (const [url, allowAnyHost] of taken) {
  test(`parseWebhookUrl() takes ${url} with allowAnyHost ${allowAnyHost}`, () => {
    assert.equal(parseWebhookUrl(url, { channel: 'team', allowAnyHost }).href, url);
  });
}

const refused: readonly (readonly [url: string, allowAnyHost: boolean, fault: string])[] = [
  ['do-not-show', false, 'is not a URL'],
  ['', true, 'is not a URL'],
  [`http://hooks.slack.com/${secretPath}`, false, 'is not https'],
  [
    `https://hooks.slack.com.evil.test/${secretPath}`,
    false,
    'is at "hooks.slack.com.evil.test", expected hooks.slack.com (or allow_any_host: true)',
  ],
  [
    `https://hooks.slack.com:8443/${secretPath}`,
    false,
    'is at "hooks.slack.com:8443", expected hooks.slack.com (or allow_any_host: true)',
  ],
  ['https://hooks.slack.com/triggers/T0/do-not-show', false, 'is not that of an incoming webhook'],
  [`https://hooks.slack.com@evil.test/${secretPath}`, false, 'contains a user name or password'],
  [
    `http://chat.example.com/${secretPath}`,
    true,
    'is not https (plain http goes to this machine only)',
  ],
  ['file:///do-not-show', true, 'is not https (plain http goes to this machine only)'],
];
for (const [url, allowAnyHost, fault] of refused) {
  test(`parseWebhookUrl() says of "${url}" that it ${fault} (P34)`, () => {
    assert.throws(
      () => parseWebhookUrl(url, { channel: 'team', allowAnyHost }),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.equal(error.message, `Cannot use channel "team": the address in "webhook" ${fault}`);
        assert.equal(inspect(error).includes('do-not-show'), false);
        return true;
      },
    );
  });
}
