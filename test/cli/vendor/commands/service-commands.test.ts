import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { CommandContext } from '../../../../src/cli/context.ts';
import { defineBudget } from '../../../../src/cli/vendor/commands/budget.ts';
import { defineComputers } from '../../../../src/cli/vendor/commands/computers.ts';
import { defineDigest } from '../../../../src/cli/vendor/commands/digest.ts';
import { defineServiceSessions } from '../../../../src/cli/vendor/commands/session.ts';
import { addDays, daysOf, yesterday } from '../../../../src/vendor/client/index.ts';
import { daysForBudgets } from '../../../../src/vendor/reports/check-budgets.ts';
import { serviceCommand } from '../../../support/service-command.ts';
import { analytics, computer, session } from '../../../vendor/client/samples.ts';
import { json } from '../../../vendor/client/service.ts';

describe('hookbell service budget check', () => {
  const words = ['budget', 'check'];
  const more = 'budget: { organization: 1000000, anomaly: { floor: 1 } }';

  test('fails where the service has no data at all', async () => {
    await using command = await serviceCommand(defineBudget, { more });
    command.service.answer(json(analytics([])));

    const { code, stdout, stderr } = await command.run(words);

    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /The service has no data up to .*\nRun "hookbell service usage tokens"/);
  });

  test('names an unusual day with what is usual, and the days without data', async () => {
    await using command = await serviceCommand(defineBudget, { more });
    const last = yesterday(Date.now());
    const gap = `${last.slice(0, 7)}-01`;
    const rows = daysOf(daysForBudgets(last))
      .filter((day) => day !== gap || day === last)
      .map((date) => ({ date, billable_tokens: date === last ? 5_000 : 10 }));
    command.service.answer(json(analytics(rows)));

    const { code, stderr } = await command.run(words);

    assert.equal(code, 0);
    const missing = gap === last ? '' : `No data yet (not zero): ${gap} (UTC)\n`;
    assert.ok(
      stderr.endsWith(
        `${missing}Unusual on ${last} (UTC): the organization used 5,000 standard credits, usually 10\n`,
      ),
      stderr,
    );
  });

  test('says of a day without enough days before it only what was used', async () => {
    await using command = await serviceCommand(defineBudget, { more });
    const last = yesterday(Date.now());
    command.service.answer(json(analytics([{ date: last, billable_tokens: 5_000 }])));

    const { stderr } = await command.run(words);

    assert.match(stderr, /: the organization used 5,000 standard credits$/m);
  });

  test('projects nothing where no day is known', async () => {
    await using command = await serviceCommand(defineBudget, { more });
    const last = yesterday(Date.now());
    command.service.answer(json(analytics([{ date: last, billable_tokens: null }])));

    const { code, stdout, stderr } = await command.run(words);

    assert.equal(code, 0);
    assert.match(stdout, /^the organization +0 % +0 +1,000,000 +- +-$/m);
    assert.ok(stderr.includes(`${last} (UTC)\n`));
  });
});

describe('hookbell service computers', () => {
  const relay = { relayClientUrl: 'wss://relay.test/client' };

  test('get finds a computer by its name where there is none with that id', async () => {
    await using command = await serviceCommand(defineComputers);
    command.service.answer(json({}, 404), json(computer()));

    const { code, stdout } = await command.run(['computers', 'get', 'build']);

    assert.equal(code, 0);
    assert.match(stdout, /^name +build$/m);
    assert.equal(command.service.requests.length, 2);
  });

  for (const words of [
    ['get', 'build'],
    ['get', 'build', '--show-relay'],
  ]) {
    test(`${words.join(' ')} looks no further where the service refuses the first look-up`, async () => {
      await using command = await serviceCommand(defineComputers);
      command.service.answer(json({}, 403));

      const { code } = await command.run(['computers', ...words]);

      assert.deepEqual([code, command.service.requests.length], [5, 1]);
    });
  }

  test('get --show-relay prints "-" for a computer without a relay', async () => {
    await using command = await serviceCommand(defineComputers);
    command.service.answer(json(computer()));

    const { stdout } = await command.run(['computers', 'get', 'c1', '--show-relay']);

    assert.equal(stdout, 'client  -\nagent   -\n');
  });

  test('get --show-relay prints the addresses on request only, and "-" for one that is missing', async () => {
    await using command = await serviceCommand(defineComputers);
    command.service.answer(json(computer(relay)));

    const hidden = await command.run(['computers', 'get', 'c1'], { json: true });
    const words = ['computers', 'get', 'c1', '--show-relay'];
    const people = await command.run(words);
    const whole = await command.run(words, { json: true });

    assert.doesNotMatch(hidden.stdout, /relay\.test/);
    assert.equal(people.stdout, 'client  wss://relay.test/client\nagent   -\n');
    assert.deepEqual(JSON.parse(whole.stdout), { ...relay, relayAgentUrl: null });
  });
});

describe('hookbell service sessions', () => {
  test('set --untag sends the other tags back, nameless ones too, and the model for planning', async () => {
    await using command = await serviceCommand(defineServiceSessions);
    const tags = [{ name: 'old' }, { metadata: { by: 'x' } }, { name: 'kept', metadata: null }];
    command.service.answer(json(session({ sessionSettings: { tags } })));

    const words = 'sessions set s1 --untag old --tag new --tag kept --spec-mode-model planner';
    const { code, stderr } = await command.run(words.split(' '));

    assert.equal(code, 0, stderr);
    const [, patch] = command.service.requests;
    assert.deepEqual(JSON.parse(patch?.body ?? ''), {
      sessionSettings: {
        specModeModel: 'planner',
        tags: [
          { name: '', metadata: { by: 'x' } },
          { name: 'kept', metadata: {} },
          { name: 'new', metadata: {} },
        ],
      },
    });
  });

  test('set --tag gives a session without settings its first tag', async () => {
    await using command = await serviceCommand(defineServiceSessions);
    command.service.answer(json(session()));

    await command.run(['sessions', 'set', 's1', '--tag', 'new']);

    assert.match(
      command.service.requests[1]?.body ?? '',
      /"tags":\[\{"name":"new","metadata":\{\}\}\]/,
    );
  });

  test('list --computer asks only the one computer', async () => {
    await using command = await serviceCommand(defineServiceSessions);
    command.service.answer(json({ sessions: [], pagination: { hasMore: false } }));

    await command.run(['sessions', 'list', '--computer', 'c7', '--max', '5']);

    assert.match(command.service.requests[0]?.path ?? '', /\?limit=5&computerId=c7$/);
  });

  for (const { name, fields, code, line, said } of [
    {
      name: 'by its id where it has no title',
      fields: { status: 'idle' },
      code: 0,
      line: /^s1 is idle \(waited /,
      said: /^The session is done\n$/,
    },
    {
      name: 'by its title, and complains where it failed',
      fields: { status: 'failed', title: 'Mend the shop' },
      code: 1,
      line: /^"Mend the shop" is failed \(waited /,
      said: /The session failed and will not be idle/,
    },
  ]) {
    test(`watch names a session ${name}`, async () => {
      await using command = await serviceCommand(defineServiceSessions);
      command.service.answer(json(session(fields)));

      const ran = await command.run(['sessions', 'watch', 's1', '--until', 'idle']);

      assert.equal(ran.code, code);
      assert.match(ran.stdout, line);
      assert.match(ran.stderr, said);
    });
  }

  test('watch --json has the times of a session, and null for one that is not a time', async () => {
    await using command = await serviceCommand(defineServiceSessions);
    const words = ['sessions', 'watch', 's1', '--until', 'complete'];

    command.service.answer(json(session({ completedAt: 0, updatedAt: 9e15 })));
    const { stdout } = await command.run(words, { json: true });
    command.service.answer(json(session({ status: 'failed', title: 'A' })));
    const failed = await command.run(words, { json: true });

    const { waitedMs, ...seen }: Record<string, unknown> = JSON.parse(stdout);
    assert.equal(typeof waitedMs, 'number');
    assert.deepEqual(seen, {
      sessionId: 's1',
      title: null,
      status: 'idle',
      phase: 'done',
      updatedAt: null,
      completedAt: '1970-01-01T00:00:00.000Z',
      until: 'complete',
      outcome: 'reached',
    });
    assert.match(failed.stdout, /"completedAt": null,[^]*"outcome": "failed"/);
  });
});

/** A day of the person ada, whom only a digest with users names. */
async function digestCommand(more = '') {
  const command = await serviceCommand(defineDigest, { more });
  const date = yesterday(Date.now());
  const users = [{ user_email: 'ada@x.test', billable_tokens: 70 }];
  const row = { date, billable_tokens: 70, by_user: users };
  command.service.answer(({ path }) => json(analytics(path.includes('tokens') ? [row] : [])));
  return command;
}

describe('hookbell service digest', () => {
  const sent = { channels: ['mail', 'team'], title: 'Agents yesterday' };
  const preview = ['digest', 'preview'];

  test('preview shows a day without names, and says that the figures of hookbell are missing', async () => {
    await using command = await digestCommand();

    const { code, stdout, stderr } = await command.run(preview);

    assert.equal(code, 0);
    assert.match(stdout, /^Agents on [\d-]{10} \(UTC\): 70 standard credits/);
    assert.doesNotMatch(stdout, /ada@x\.test/);
    assert.equal(stderr, 'Figures of hookbell itself are missing: the daemon does not respond\n');
  });

  test('preview names people and covers the week as configured, or as its options say', async () => {
    await using configured = await digestCommand(
      'channels: { team: { type: ntfy, topic: t } }\ndigest: { notify: team, every: week, users: true }',
    );
    await using plain = await digestCommand();
    const week = new RegExp(`from ${addDays(yesterday(Date.now()), -6)} to `);

    const one = await configured.run(preview);
    const other = await plain.run([...preview, '--week', '--users']);

    for (const { stdout } of [one, other]) {
      assert.match(stdout, week);
      assert.match(stdout, /ada@x\.test/);
    }
  });

  test('preview prints the digest as JSON, or writes it to a file as HTML', async () => {
    await using command = await digestCommand();
    const file = join(command.home, 'digest.html');

    const whole = await command.run(preview, { json: true });
    const written = await command.run([...preview, '--html', file]);

    const parsed: { title?: unknown } = JSON.parse(whole.stdout);
    assert.match(String(parsed.title), /^Agents on /);
    assert.equal(written.stdout, '');
    assert.ok(written.stderr.endsWith(`Wrote "${file}"\n`));
    assert.match(await readFile(file, 'utf8'), /70 standard credits/);
  });

  test('preview fails where the daemon is there and fails', async () => {
    await using command = await digestCommand();
    const trouble = new Error('The store is gone');

    await assert.rejects(command.run(preview, { ask: () => Promise.reject(trouble) }), trouble);
  });

  test('send says to which channels it goes, for people and as JSON', async () => {
    await using command = await digestCommand();
    const ask: CommandContext['ask'] = async () => JSON.parse(JSON.stringify(sent));

    const people = await command.run(['digest', 'send'], { ask });
    const whole = await command.run(['digest', 'send'], { ask, json: true });

    assert.deepEqual(
      [people.stdout, people.stderr],
      ['', 'Sending to mail, team: Agents yesterday\n'],
    );
    assert.deepEqual(JSON.parse(whole.stdout), sent);
  });
});
