import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { redactionRules } from '../../src/text/redact-rules.ts';
import { createRedactor, redactText } from '../../src/text/redact.ts';
import { Secret } from '../../src/text/secret.ts';
import { seededSecrets } from '../support/seeded-secrets.ts';

describe('redactText()', () => {
  for (const { rule, secret, text = (value: string) => value } of seededSecrets) {
    test(`removes ${JSON.stringify(text('…').slice(0, 40))} ${secret.slice(0, 20)} (${rule}, fault 55)`, () => {
      const around = `before ${text(secret)} after`;

      const clean = redactText(around);

      assert.ok(!clean.includes(secret), clean);
      assert.ok(clean.includes(`[redacted:${rule}]`), clean);
      assert.ok(clean.startsWith('before ') && clean.endsWith(' after'), clean);
    });
  }

  test('removes a private key whose end was cut off', () => {
    assert.equal(redactText('x -----BEGIN PRIVATE KEY-----\nabc\nabc'), 'x [redacted:private-key]');
  });

  test('has a seeded secret for each rule (fault 55)', () => {
    const seeded = new Set(seededSecrets.map(({ rule }) => rule));

    assert.deepEqual(
      redactionRules.filter(({ name }) => !seeded.has(name)),
      [],
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
      'src/text/redact.ts:12: secret',
      'session 3f6c2a9e-1111-4222-8333-444455556666 of commit 0123456789abcdef0123456789abcdef01234567',
      'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      '"integrity": "sha512-9AbCdEf1GhIjKl2MnOpQr3StUvWx4YzAbCd5EfGhIj6KlMnOp7QrStUv8WxYzAb9=="',
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@host',
      '01ARZ3NDEKTSV4RRFFQ69G5FAV is an ULID, toolu_01A09q90qw90lq917835lq9 an id',
      '/home/dev/projects/MyApp2/src/components/UserProfileCard3/UserProfileCard3.test.tsx',
      'feature/ABC-1234-Add-Foo2-Bar3-Baz4-and-more-words-to-it',
      'renderTheThirdPartyUserProfileCardById2AndThenSome',
      'assets/aGVsbG8gd29ybGQgdGhpcyBpcyBhIG5hbWU5Zm9vYmFy.png and IMG_20240101_123456_HDR_FINAL_v2_edit.jpg',
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
      'max_tokens: 1048576, total tokens = 123456',
      'function login(token: string, password: string | undefined)',
      'const secret = process.env.APP_SECRET; export TOKEN=$GITHUB_TOKEN',
      'password: <your password>, token: expired, api_key: required',
      'authorization: required, Cookie: chocolate',
      'docker run -u 1000:1000 and git push -u origin:main',
      'Use --token instead of --password',
      'https://example.com/a?code=ok&key=primary#x',
    ]) {
      assert.equal(redactText(text), text);
    }
  });

  const pieces = fc.oneof(
    fc.constantFrom(
      ...seededSecrets.map(({ secret, text = (value: string) => value }) => text(secret)),
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
    const module = new URL('../../src/text/redact.js', import.meta.url).href;
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
      'cookie: a=',
      'cookie: ',
      'authorization: ',
      '?key=',
      '?sig=a1',
      '--token ',
      '--a-',
      ' -u a:',
      'aB1',
      'aB1-',
      '12345678:AA',
      'curl -u ',
      'curl ',
      'SG.a',
    ];
    const script = `
      const { createRedactor } = await import(${JSON.stringify(module)});
      const { text: redactText } = createRedactor({ prefixes: ['aB1'], keys: ['a-b', 'key'] });
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

describe('createRedactor()', () => {
  const redactor = createRedactor({ prefixes: ['acme-'], keys: ['license_no'] });

  test('knows the tokens and the names of values of its owner', () => {
    assert.equal(
      redactor.text('acme-12345 LicenseNo: 99-88-77 license-no=abcdef'),
      '[redacted:own-token] LicenseNo: [redacted:assignment] license-no=[redacted:assignment]',
    );
  });

  test('value() takes out the values of secret keys at any depth, however they are written', () => {
    const value = {
      tool_input: {
        env: [{ 'X-Api-Key': 'abc' }, { DB_PASSWORD: 12 }, { 'Set-Cookie': ['a', 'b'] }],
        clientSecret: { any: 'thing' },
        'license-No': 'abc',
        command: 'login --token=hunter22',
      },
      accessToken: 'abc',
      usage: { max_token: 4096, tokens: 12 },
      hasPassword: true,
      token: null,
      __proto__: null,
    };

    assert.deepEqual(redactor.value(value), {
      tool_input: {
        env: [
          { 'X-Api-Key': '[redacted:key]' },
          { DB_PASSWORD: '[redacted:key]' },
          { 'Set-Cookie': '[redacted:key]' },
        ],
        clientSecret: '[redacted:key]',
        'license-No': '[redacted:key]',
        command: 'login --token=[redacted:assignment]',
      },
      accessToken: '[redacted:key]',
      usage: { max_token: 4096, tokens: 12 },
      hasPassword: true,
      token: null,
    });
  });

  test('value() is total: what is nested too deep is dropped, a key may be called __proto__', () => {
    const deep: unknown = JSON.parse('[{"a":'.repeat(5_000) + '1' + '}]'.repeat(5_000));
    const forged: unknown = JSON.parse('{"__proto__":{"admin":true}}');

    assert.match(JSON.stringify(redactor.value(deep)), /\[redacted:depth\]/);
    assert.equal(JSON.stringify(redactor.value(forged)), '{"__proto__":{"admin":true}}');
  });

  test('value() changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = redactor.value(value);

        assert.deepEqual(redactor.value(once), once);
      }),
    );
  });
});

describe('Secret', () => {
  test('shows its value only on request', () => {
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
