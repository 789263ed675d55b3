import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';

import { remoteCommandLine } from '../../support/remote-command-line.ts';

describe('"hookbell service limits set"', () => {
  test('exits with 8 unless every limit took effect, and shows the outcome of each (acceptance 192, 193)', async () => {
    await using remote = await remoteCommandLine({
      faults: [{ effect: { kind: 'limits', fault: 'silence' } }],
    });
    const [first, second] = remote.mock.state().people.map(({ email }) => email);
    const words = ['service', 'limits', 'set', `${first}=5`, `${second}=6`, 'nobody@example.com=7'];

    const people = await remote.run(words);
    const json = await remote.run([...words, '--json']);

    assert.deepEqual([people.code, json.code], [8, 8]);
    assert.match(people.stdout, /^E-MAIL +CHANGE +RESULT +LIMIT NOW +REMARK\n/);
    assert.match(people.stdout, /nobody@example\.com +\? → 7 +error +- +\S/);
    // The rows and not the service's own answer, which has nothing of those it does not name (C10).
    const rows = z.array(z.looseObject({ result: z.string() })).parse(JSON.parse(json.stdout));
    assert.deepEqual(rows.map(({ result }) => result).toSorted(), [
      'error',
      'no answer',
      'updated',
    ]);
  });

  test('shows the limit the service took where it is another one (acceptance 193)', async () => {
    await using remote = await remoteCommandLine({
      faults: [{ effect: { kind: 'limits', fault: 'clamp' } }],
    });
    const emails = remote.mock
      .state()
      .people.slice(0, 2)
      .map(({ email }) => email);

    const { code, stdout } = await remote.run([
      'service',
      'limits',
      'set',
      ...emails.map((email) => `${email}=9000000`),
    ]);

    // Was 0 before: the limit is not the one that was asked for (C10).
    assert.equal(code, 8);
    assert.match(stdout, /\? → 9000000 +updated +1000000 /);
  });

  test('refuses an invalid limit and sends nothing (acceptance 191, 194)', async () => {
    await using remote = await remoteCommandLine();

    for (const words of [['ann@example.com'], ['ann@example.com='], ['ann=5'], ['a@b.c=null']]) {
      const { code } = await remote.run(['service', 'limits', 'set', ...words]);

      assert.equal(code, 2, words.join(' '));
    }
    assert.deepEqual(remote.mock.requests(), []);
  });
});

describe('"hookbell service computers"', () => {
  test('changes and retries one by its name, and never shows where it is reached (acceptance 153, 158, 161)', async () => {
    await using remote = await remoteCommandLine();
    const { computers } = remote.mock.state();
    const failed = computers.find(({ status }) => status === 'error');
    const name = failed?.name ?? '';

    const listed = await remote.run(['service', 'computers', 'list']);
    const retried = await remote.run(['service', 'computers', 'retry', name]);
    const again = await remote.run(['service', 'computers', 'retry', name]);
    const { stdout: json } = await remote.run(['service', 'computers', 'list', '--json']);

    assert.match(listed.stdout, /old-mac +unknown +own/);
    assert.match(listed.stdout, /error +hosted .*install-dependencies: npm ci ended/);
    assert.equal(retried.code, 0);
    assert.match(retried.stderr, /The service is reinstalling the dependencies/);
    assert.match(again.stderr, /The service is already installing the dependencies/);
    assert.match(json, /"relayAgentUrl": "\*\*\*"/);
    const relay = computers.find(({ relayAgentUrl }) => relayAgentUrl)?.relayAgentUrl ?? '?';
    for (const { stdout, stderr } of [listed, retried, again, { stdout: json, stderr: '' }]) {
      assert.ok(!`${stdout}${stderr}`.includes(relay));
    }
  });

  test('refuses a change that cannot be right before it looks for the computer (acceptance 151, 152)', async () => {
    await using remote = await remoteCommandLine();

    for (const words of [
      [],
      ['--name', ''],
      ['--user', 'x'.repeat(64)],
      ['--host-id', 'no-uuid'],
    ]) {
      const { code } = await remote.run(['service', 'computers', 'set', 'ada-laptop', ...words]);

      assert.equal(code, 2, words.join(' '));
    }
    assert.deepEqual(remote.mock.requests(), []);
  });
});

describe('"hookbell service sessions set"', () => {
  test('keeps the tags there are and their metadata (acceptance 111, 125)', async () => {
    await using remote = await remoteCommandLine();
    const session = remote.mock
      .state()
      .sessions.find(({ sessionSettings }) =>
        JSON.stringify(sessionSettings ?? {}).includes('metadata'),
      );
    const before = JSON.stringify(session?.sessionSettings?.['tags']);

    const { code, stderr } = await remote.run([
      'service',
      'sessions',
      'set',
      session?.sessionId ?? '',
      '--tag',
      'seen',
      '--model',
      'm-9',
    ]);

    assert.equal(code, 0, stderr);
    const patch = remote.mock.requests().find(({ method }) => method === 'PATCH');
    assert.deepEqual(JSON.parse(patch?.body ?? ''), {
      sessionSettings: {
        model: 'm-9',
        tags: [...JSON.parse(before), { name: 'seen', metadata: {} }],
      },
    });
  });

  test('refuses no change, a read-only setting and a contradiction, and sends nothing (acceptance 120)', async () => {
    await using remote = await remoteCommandLine();

    for (const words of [
      [],
      ['--set', 'tokenUsage={}'],
      ['--set', 'nonsense'],
      ['--tag', 'a', '--untag', 'a'],
    ]) {
      const { code } = await remote.run(['service', 'sessions', 'set', 'any', ...words]);

      assert.equal(code, 2, words.join(' '));
    }
    assert.deepEqual(remote.mock.requests(), []);
  });
});

describe('"hookbell service controls history"', () => {
  test('names what each revision changed, secrets by name alone (acceptance 171, 179, 180, 188)', async () => {
    await using remote = await remoteCommandLine();

    const { stdout } = await remote.run(['service', 'controls', 'history']);
    const csv = await remote.run(['service', 'controls', 'history', '--csv']);
    const json = await remote.run(['service', 'controls', 'history', '--json']);

    const [, ...rows] = stdout.trimEnd().split('\n');
    const revisions = rows.map((row) => Number(row.trim().split(' ')[0]));
    assert.deepEqual(
      revisions,
      revisions.toSorted((left, right) => right - left),
    );
    // Number 9 or so is missing: the pair goes across the gap.
    assert.ok(
      revisions.some((revision, index) => index > 0 && (revisions[index - 1] ?? 0) - revision > 1),
    );
    assert.match(stdout, / customModels changed\n/);
    assert.match(stdout, /\w+ (?:set|removed)/);
    assert.doesNotMatch(`${stdout}${csv.stdout}${json.stdout}`, /mock-secret/);
    assert.match(json.stdout, /"apiKey": "\*\*\*"/);
  });
});

describe('"hookbell service messages get"', () => {
  test('shows every line of its text, cleaned (acceptance 136)', async () => {
    await using remote = await remoteCommandLine();
    const session = remote.mock.state().sessions[0]?.sessionId ?? '';
    await remote.run(['reply', session, 'First\n\u001b[31mSecond\u001b[0m']);
    const message = remote.mock.state().sessions[0]?.messages.at(-1)?.id ?? '';

    const { stdout } = await remote.run(['service', 'messages', 'get', session, message]);

    assert.match(stdout, /^role +user$/m);
    assert.match(stdout, /^text {11}First\n {15}Second$/m);
  });
});

describe('"hookbell service sessions list"', () => {
  test('keeps its options apart from those of local sessions', async () => {
    await using remote = await remoteCommandLine();

    const mixed = await remote.run(['service', 'sessions', 'list', '--watch']);
    const local = await remote.run(['sessions', '--csv']);

    assert.deepEqual([mixed.code, local.code], [2, 2]);
    assert.match(mixed.stderr, /Unknown option "--watch"/);
    assert.match(local.stderr, /Unknown option "--csv"/);
  });

  test('prints a list without status, and asks pages of one computer (acceptance 108, 114)', async () => {
    await using remote = await remoteCommandLine();
    const computer = remote.mock.state().computers[0]?.id ?? '';

    const { stdout } = await remote.run([
      'service',
      'sessions',
      'list',
      '--computer',
      computer,
      '--max',
      '3',
    ]);

    assert.match(stdout, /^SESSION +STATUS +UPDATED \(UTC\) +MESSAGES +MODEL +TITLE\nsess_\w+ +- /);
    assert.deepEqual(remote.mock.requests()[0]?.query, { limit: '3', computerId: computer });
  });
});
