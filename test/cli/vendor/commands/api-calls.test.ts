import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { defineApi } from '../../../../src/cli/vendor/commands/api.ts';
import { type ServiceCommand, serviceCommand } from '../../../support/service-command.ts';
import { computer, session } from '../../../vendor/client/samples.ts';
import { json } from '../../../vendor/client/service.ts';

const asked = ({ service }: ServiceCommand): readonly string[] =>
  service.requests.map(({ method, path }) => `${method} ${path}`);

for (const { words, setting } of [
  { words: [], setting: 'base_url' },
  { words: ['--app'], setting: 'app_url' },
]) {
  test(`hookbell service api GET --curl names api.${setting} where it is not set`, async () => {
    await using command = await serviceCommand(defineApi, { config: 'channels: {}\n' });

    const { code, stderr } = await command.run(['api', 'GET', '/x', '--curl', ...words]);

    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`Cannot print the request: api\\.${setting} is not set`));
  });
}

test('hookbell service api GET --curl takes the usual variable for a key that is not in one', async () => {
  const urls = 'base_url: https://one.test/, app_url: https://two.test';
  await using command = await serviceCommand(defineApi, {
    config: `api: { ${urls}, key: { file: /keys/service } }\n`,
  });

  const { stdout } = await command.run(['api', 'GET', '/api/v0/x?a=1', '--curl']);

  assert.match(stdout, /Bearer \$HOOKBELL_API_KEY"/);
  assert.match(stdout, /'https:\/\/one\.test\/api\/v0\/x\?a=1'\n$/);
});

test('hookbell service api POST refuses --paginate: only reads have pages', async () => {
  await using command = await serviceCommand(defineApi);

  const { code, stderr } = await command.run(['api', 'POST', '/x', '--paginate']);

  assert.deepEqual([code, asked(command)], [2, []]);
  assert.match(stderr, /Only GET has pages, not POST/);
});

test('hookbell service api GET --paginate --include prints a head for each page, then all items', async () => {
  await using command = await serviceCommand(defineApi);
  command.service.answer(
    json({ data: [1], meta: { has_more: true, next_cursor: 'n' } }, 200, { 'x-page': 'one' }),
    json({ data: [2] }, 200, { 'x-page': 'two' }),
  );

  const { code, stdout } = await command.run(['api', 'GET', '/x', '--paginate', '--include']);

  assert.equal(code, 0);
  assert.deepEqual(stdout.match(/^x-page: .*$/gm), ['x-page: one', 'x-page: two']);
  assert.ok(stdout.endsWith('\n[\n  1,\n  2\n]\n'));
  assert.deepEqual(asked(command), ['GET /x', 'GET /x?cursor=n']);
});

test('hookbell service api GET --paginate prints no list where the first page fails', async () => {
  await using command = await serviceCommand(defineApi);
  command.service.answer(json({ detail: 'Not for you' }, 403));

  const { code, stdout, stderr } = await command.run(['api', 'GET', '/x', '--paginate']);

  assert.deepEqual([code, stdout], [5, '']);
  assert.match(stderr, /Not for you/);
});

test('hookbell service api GET --paginate prints the items before a page that fails', async () => {
  await using command = await serviceCommand(defineApi);
  command.service.answer(
    json({ data: [1], meta: { has_more: true, next_cursor: 'n' } }),
    json({ detail: 'Not for you' }, 403),
  );

  const { code, stdout, stderr } = await command.run(['api', 'GET', '/x', '--paginate']);

  assert.deepEqual([code, JSON.parse(stdout)], [8, [1]]);
  assert.match(stderr, /^Only the first 1 items could be read: .*Not for you/m);
});

test('hookbell service api prints a text without its control characters, and an empty response as nothing', async () => {
  await using command = await serviceCommand(defineApi);
  command.service.answer({ status: 200, body: 'up\u001b[31m and running' }, { status: 204 });

  const text = await command.run(['api', 'GET', '/status']);
  const empty = await command.run(['api', 'DELETE', '/x']);

  assert.equal(text.stdout, 'up and running\n');
  assert.deepEqual([empty.code, empty.stdout], [0, '']);
});

test('hookbell service api --verbose shows of a body that is a list only how long it is', async () => {
  await using command = await serviceCommand(defineApi);
  command.service.answer(json({}));
  const input = join(command.home, 'body.json');
  await writeFile(input, '["code 000"]');

  const { stderr } = await command.run(['api', 'POST', '/x', '--input', input], { verbose: true });

  assert.match(stderr, /^> body: 12 characters$/m);
  assert.doesNotMatch(stderr, /code 000/);
});

test('hookbell service api refuses values that are nested too deep, wherever they come from', async () => {
  await using command = await serviceCommand(defineApi);
  const deep = join(command.home, 'deep.json');
  const text = '['.repeat(100_000);
  await writeFile(deep, text);

  for (const [words, reason] of [
    [['POST', '/x', '-F', `a=${text}`], /A value is nested too deep/],
    [['POST', '/x', '--input', deep], /The content of ".*deep\.json" is nested too deep/],
    [['org.setLimits', '--users', `@${deep}`], /--users is nested too deep/],
  ] as const) {
    const { code, stderr } = await command.run(['api', ...words]);

    assert.equal(code, 2);
    assert.match(stderr, reason);
  }
  assert.deepEqual(asked(command), []);
});

test('hookbell service api refuses a list in a field that is an object already', async () => {
  await using command = await serviceCommand(defineApi);

  const words = ['api', 'POST', '/x', '-f', 'a[b]=1', '-f', 'a[]=2'];
  const { code, stderr } = await command.run(words);

  assert.deepEqual([code, asked(command)], [2, []]);
  assert.match(stderr, /Field "a\[\]=2" contradicts an earlier one/);
});

const limits = (...users: readonly object[]): readonly string[] => [
  'api',
  'org.setLimits',
  '--users',
  JSON.stringify(users),
];

test('hookbell service api org.setLimits shows what became of each entry, and ends with 8 unless all are as asked', async () => {
  await using command = await serviceCommand(defineApi);
  const users = ['ada', 'ben', 'cleo', 'dan'].map((name) => ({
    email: `${name}@x.test`,
    limit: 5,
  }));
  const answer = {
    updated: [
      { email: 'Ada@x.test', limit: 5 },
      { email: 'ben@x.test' },
      { email: 'cleo@x.test', limit: 5 },
    ],
    errors: [{ email: 'cleo@x.test' }],
  };
  command.service.answer(json(answer));

  const people = await command.run(limits(...users));
  const whole = await command.run(limits(...users), { json: true });
  command.service.answer(json({ updated: [{ email: 'ada@x.test', limit: 5 }], errors: [] }));
  const asAsked = await command.run(limits({ email: 'ada@x.test', limit: 5 }));

  assert.deepEqual([people.code, whole.code, asAsked.code], [8, 8, 0]);
  assert.match(people.stdout, /^ada@x\.test +5 +updated +5 +-$/m);
  assert.match(people.stdout, /^ben@x\.test +5 +updated +- +-$/m);
  // In both lists: the error is the safer reading.
  assert.match(people.stdout, /^cleo@x\.test +5 +refused +- +-$/m);
  assert.match(people.stdout, /^dan@x\.test +5 +no-answer +- +-$/m);
  assert.deepEqual(JSON.parse(whole.stdout), answer);
});

for (const count of [0, 101]) {
  test(`hookbell service api org.setLimits refuses ${count} entries and sends nothing`, async () => {
    await using command = await serviceCommand(defineApi);
    const users = Array.from({ length: count }, (_, index) => ({
      email: `u${index}@x.test`,
      limit: 5,
    }));

    const { code, stderr } = await command.run(limits(...users));

    assert.deepEqual([code, asked(command)], [2, []]);
    assert.match(stderr, /users: expected 1 to 100 entries/);
  });
}

test('hookbell service api org.setLimits fails as its request does where no limit took effect', async () => {
  await using command = await serviceCommand(defineApi);
  command.service.answer(json({ detail: 'Owners only' }, 403));

  const { code, stdout, stderr } = await command.run(limits({ email: 'ada@x.test', limit: 5 }));

  assert.deepEqual([code, stdout], [5, '']);
  assert.match(stderr, /Owners only/);
});

for (const { name, answer, note } of [
  { name: 'was confirmed', answer: { status: 'queued', messageId: 'm-7' }, note: '' },
  {
    name: 'was accepted in a response that is lost',
    answer: 'lost',
    note: 'The response was lost, but the session contains the message\n',
  },
]) {
  test(`hookbell service api sessions.addMessage shows a message that ${name}`, async () => {
    await using command = await serviceCommand(defineApi);
    command.service.answer(({ method }) => json(method === 'GET' ? session() : answer));

    const words = ['api', 'sessions.addMessage', '--sessionId', 's1', '--text', 'Go on'];
    const { code, stdout, stderr } = await command.run(words, { json: true });

    assert.deepEqual([code, stderr], [0, note]);
    const shown = note === '' ? answer : { messageId: null, status: null };
    assert.deepEqual(JSON.parse(stdout), shown);
  });
}

for (const { name, answer, note } of [
  {
    name: 'accepts',
    answer: json(computer({ status: 'provisioning' }), 202),
    note: 'The service is reinstalling the dependencies',
  },
  {
    name: 'accepts in a response that is lost',
    answer: { status: 202, body: 'lost' },
    note: 'The response was lost, but the computer changed: the service is installing the dependencies',
  },
  {
    name: 'refuses because it runs already',
    answer: json({ detail: 'It runs' }, 409),
    note: 'The service is already installing the dependencies',
  },
]) {
  test(`hookbell service api computers.installDeps says so of a retry that the service ${name}`, async () => {
    await using command = await serviceCommand(defineApi);
    command.service.answer(({ method }) =>
      method === 'GET' ? json(computer({ status: 'error' })) : answer,
    );

    const words = ['api', 'computers.installDeps', '--computerId', 'c1'];
    const { code, stdout, stderr } = await command.run(words);

    assert.deepEqual([code, stderr], [0, `${note}\n`]);
    assert.match(stdout, /^computer +c1$/m);
  });
}

test('hookbell service api prints a first page with the way to go on, and what it cannot read of it', async () => {
  await using command = await serviceCommand(defineApi);
  command.service.answer(
    json({
      sessions: [session(), session({ sessionId: 's2', createdAt: 'soon' }), { createdAt: 'x' }],
      pagination: { hasMore: true, nextCursor: 'n' },
    }),
  );

  const { code, stdout, stderr } = await command.run(['api', 'sessions.list']);

  assert.equal(code, 0);
  assert.match(stdout, /^s1 /m);
  assert.match(stdout, /^s2 /m);
  assert.match(stderr, /More items: continue with --cursor "n", or list all with --paginate/);
  assert.match(stderr, /is printed unchanged: \$\.sessions\[1\]\.createdAt/);
  assert.match(stderr, /is not shown: \$\.sessions\[2\]/);
});

test('hookbell service api --paginate says where a list was cut short, and what to do about it', async () => {
  await using command = await serviceCommand(defineApi);
  command.service.answer(
    json({ sessions: [session()], pagination: { hasMore: true, nextCursor: 'n' } }),
    json({ detail: 'No more' }, 401),
  );

  const { code, stdout, stderr } = await command.run(['api', 'sessions.list', '--paginate']);

  assert.equal(code, 8);
  assert.match(stdout, /^s1 /m);
  assert.match(stderr, /^Only the first 1 items could be read: .*No more.*\n {2}\S/m);
});

test('hookbell service api says that a list is empty', async () => {
  await using command = await serviceCommand(defineApi);
  command.service.answer(json({ sessions: [], pagination: { hasMore: false } }));

  const { stdout, stderr } = await command.run(['api', 'sessions.list']);

  assert.equal(stdout, '');
  assert.match(stderr, /^No .* found$/m);
});
