import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { Secret, redactText } from '../../src/core/redact.ts';

// Put together here, so that no scanner takes this file for a leak.
const LONG = 'Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2';

const seeds: readonly { rule: string; secret: string; text?: (secret: string) => string }[] = [
  { rule: 'slack-webhook', secret: `https://hooks.slack.com/services/T000/B000/${LONG}` },
  { rule: 'slack-webhook', secret: `https://hooks.slack-gov.com/workflows/T000/${LONG}` },
  { rule: 'webhook', secret: `https://discord.com/api/webhooks/123456/${LONG}` },
  { rule: 'webhook', secret: `https://ptb.discordapp.com/api/webhooks/123456/${LONG}` },
  {
    rule: 'webhook',
    secret: `https://acme.webhook.office.com/webhookb2/${LONG}@x/IncomingWebhook`,
  },
  { rule: 'slack-token', secret: `xoxb-123456789012-${LONG}` },
  { rule: 'slack-token', secret: `xapp-1-A0-${LONG}` },
  { rule: 'slack-token', secret: `xoxe.xoxp-1-${LONG}`.slice(5) },
  { rule: 'git-token', secret: `ghp_${LONG}` },
  { rule: 'git-token', secret: `github_pat_${LONG}` },
  { rule: 'git-token', secret: `glpat-${LONG.slice(0, 20)}` },
  { rule: 'api-key', secret: `sk-proj-${LONG}` },
  { rule: 'api-key', secret: `fk-${LONG}` },
  { rule: 'api-key', secret: `sk_live_${LONG}` },
  { rule: 'api-key', secret: `AIza${LONG.slice(0, 35)}` },
  { rule: 'api-key', secret: `npm_${LONG}` },
  { rule: 'aws-key', secret: `AKIA${LONG.toUpperCase().slice(0, 16)}` },
  { rule: 'jwt', secret: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${LONG}` },
  {
    rule: 'private-key',
    secret: `-----BEGIN OPENSSH PRIVATE KEY-----\n${LONG}\n-----END OPENSSH PRIVATE KEY-----`,
  },
  {
    rule: 'private-key',
    secret: `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${LONG}\n-----END RSA PRIVATE KEY-----`,
  },
  { rule: 'authorization', secret: LONG, text: (secret) => `Authorization: Bearer ${secret}` },
  {
    rule: 'authorization',
    secret: 'dXNlcjpwYXNz',
    text: (secret) => `{"authorization": "basic ${secret}"}`,
  },
  { rule: 'authorization', secret: LONG, text: (secret) => `sent bearer ${secret}` },
  {
    rule: 'url-userinfo',
    secret: 'me:hunter2',
    text: (secret) => `git clone https://${secret}@host/x`,
  },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `password=${secret}` },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `{"db_password": "${secret}"}` },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `{\\"api_key\\":\\"${secret}\\"}` },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `AWS_SECRET_ACCESS_KEY=${secret}` },
  {
    rule: 'assignment',
    secret: 'hunter22',
    text: (secret) => `https://host/?access_token=${secret}&x=1`,
  },
  { rule: 'assignment', secret: 'hunter22', text: (secret) => `client-secret : '${secret}'` },
];

describe('redactText()', () => {
  for (const { rule, secret, text = (value: string) => value } of seeds) {
    test(`removes ${JSON.stringify(text('…').slice(0, 40))} ${secret.slice(0, 20)} (${rule}, fault 55)`, () => {
      const around = `before ${text(secret)} after`;

      const clean = redactText(around);

      assert.ok(!clean.includes(secret), clean);
      assert.ok(clean.includes(`[redacted:${rule}]`), clean);
      assert.ok(clean.startsWith('before ') && clean.endsWith(' after'), clean);
    });
  }

  test('removes a private key whose end was cut off', () => {
    assert.equal(
      redactText(`x -----BEGIN PRIVATE KEY-----\n${LONG}\n${LONG}`),
      'x [redacted:private-key]',
    );
  });

  test('keeps what stands around a secret readable', () => {
    assert.equal(
      redactText(
        'curl -H "Authorization: Bearer abc.def-123" https://me:pw12@host/?token=abcdef1&page=2',
      ),
      'curl -H "Authorization: Bearer [redacted:authorization]" https://[redacted:url-userinfo]@host/?token=[redacted:assignment]&page=2',
    );
  });

  test('leaves ordinary text as it is', () => {
    for (const text of [
      '',
      'Claude needs your permission to use Bash: npm test',
      'Add basic functionality and a bearer of bad news',
      'Token: none. Password? Key = value',
      'the risk-averse task-management-and-something-long branch',
      'https://example.com:8080/path?key=1@2',
      'git@github.com:acme/shop.git',
      'BASIC programs in basic JavaScript, basic error-handling.',
      'src/core/redact.ts:12: secret',
    ]) {
      assert.equal(redactText(text), text);
    }
  });

  const pieces = fc.oneof(
    fc.constantFrom(
      ...seeds.map(({ secret, text = (value: string) => value }) => text(secret)),
      'eyJ',
      'xoxb-',
      'sk-',
      'token=',
      'Bearer ',
      '://',
      '@',
      ':',
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      '"',
      ' ',
      '\n',
      '[redacted:jwt]',
    ),
    fc.string({ maxLength: 12 }),
  );

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const clean = redactText(parts.join(''));

        assert.equal(redactText(clean), clean);
      }),
      { numRuns: 1_000 },
    );
  });

  test('takes linear time on the worst texts of 1 MB (fault 55)', () => {
    // A quadratic rule would need hours: so this runs in a process that can be killed.
    const module = new URL('../../src/core/redact.js', import.meta.url).href;
    const worst = [
      'a',
      'a-',
      'token',
      'token=',
      'token: ',
      'secret\\"',
      'eyJ-',
      'eyJaaaaaaaa.',
      '://',
      '://a:',
      'a:a@',
      'sk-',
      'xoxb-',
      'bearer ',
      'basic \t ',
      '-----BEGIN ',
      '-----BEGIN RSA PRIVATE KEY-----',
      'https://hooks.slack.com/',
      'https://a.webhook.office.com',
      'discord',
      'AKIA',
      'key token secret password ',
    ];
    const script = `
      const { redactText } = await import(${JSON.stringify(module)});
      for (const part of ${JSON.stringify(worst)}) {
        redactText(part.repeat(Math.ceil(1e6 / part.length)));
        redactText('-----BEGIN PRIVATE KEY-----' + part.repeat(Math.ceil(1e6 / part.length)));
      }
      process.stdout.write('done');
    `;

    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });

    assert.equal(stdout, 'done');
  });
});

describe('Secret', () => {
  test('shows itself only to whoever asks for it', () => {
    const secret = new Secret('hunter2');

    assert.equal(secret.reveal(), 'hunter2');
    const shown = [
      String(secret),
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true, depth: 9 }),
      Object.values(secret).join(),
    ];
    for (const text of shown) assert.doesNotMatch(text, /hunter2/);
    assert.deepEqual(shown.slice(0, 2), ['***', '{"secret":"***"}']);
  });
});
