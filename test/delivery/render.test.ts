import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HookEvent } from '../../src/core/hook-event.ts';
import type { Session } from '../../src/core/session.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import { rendered, renderedTexts } from '../support/rendered.ts';
import { sampleEvent } from '../support/sample.ts';
import { sampleSession } from '../support/store.ts';

/** Below a headline that does not name the session itself. */
function sessionLine(event: Partial<HookEvent>, session: Partial<Session>): string {
  const templates = { title: { default: 'Look' }, body: {} };
  const { body } = renderedTexts(event, { session: sampleSession(session), templates });
  return body.split('\n')[1] ?? '';
}

describe('the built-in texts', () => {
  const rows: readonly {
    readonly name: string;
    readonly event: Partial<HookEvent>;
    readonly session?: Partial<Session>;
    readonly title: string;
    readonly body: string;
  }[] = [
    {
      name: 'a notification says who waits and what for (002)',
      event: { agent: 'droid', kind: 'needs.input', message: 'Which database?' },
      title: 'shop is waiting for you',
      body: 'Which database?\ndroid · Session: s1',
    },
    {
      name: 'a permission says so',
      event: { kind: 'needs.permission', message: 'Claude needs your permission to use Bash' },
      title: 'shop needs permission',
      body: 'Claude needs your permission to use Bash\nClaude Code · Session: s1',
    },
    {
      name: 'a notification without a message has a default text (003)',
      event: { kind: 'needs.input', message: null },
      title: 'shop is waiting for you',
      body: 'It is waiting for your input\nClaude Code · Session: s1',
    },
    {
      name: 'a permission without a message names the tool (003)',
      event: { kind: 'needs.permission', message: null, tool: 'Bash' },
      title: 'shop needs permission',
      body: 'It asks for your permission: Bash\nClaude Code · Session: s1',
    },
    {
      name: 'a permission says what is asked, and not what the agent says about asking (B1)',
      event: {
        kind: 'needs.permission',
        message: 'Claude needs your permission to use Bash',
        tool: 'Bash',
        asked: { action: 'run', text: 'npm publish --tag latest', options: [] },
      },
      title: 'shop needs permission',
      body: 'Run: npm publish --tag latest\nClaude Code · Session: s1',
    },
    {
      name: 'a long project does not push what is wanted off the screen of a phone, and is named below (G28)',
      event: {
        kind: 'needs.permission',
        message: null,
        tool: 'Bash',
        project: 'customer-portal-frontend',
      },
      title: 'customer- … tend needs permission',
      body: 'It asks for your permission: Bash\ncustomer-portal-frontend · Claude Code · Session: s1',
    },
    {
      name: 'a plan says so in its headline, and how it begins (B1)',
      event: {
        kind: 'needs.permission',
        message: null,
        asked: { action: 'plan', text: '## Plan\n1. Add **a test**', options: [] },
      },
      title: 'shop has a plan to approve',
      body: 'Plan: Plan\n1. Add a test\nClaude Code · Session: s1',
    },
    {
      name: 'a question shows its options (B1)',
      event: {
        kind: 'needs.input',
        message: 'Which database?',
        asked: { action: 'answer', text: 'Which database?', options: ['Postgres', 'SQLite'] },
      },
      title: 'shop asks',
      body: 'Which database?\n1 Postgres · 2 SQLite\nClaude Code · Session: s1',
    },
    {
      name: 'the last words of a turn are shown without the signs of Markdown (B14)',
      event: { kind: 'turn.done', message: 'All **42 tests** pass, see `cart.ts`' },
      title: 'shop is done',
      body: 'All 42 tests pass, see cart.ts\nClaude Code · Session: s1',
    },
    {
      name: 'a finished task says how long it took (004)',
      event: { agent: 'droid', kind: 'turn.done', message: 'All tests pass.\nShall I commit?' },
      session: { lastTurnMs: 252_000, title: 'Fix the basket' },
      title: 'shop is done (4 min 12 s) · Fix the basket',
      body: 'All tests pass.\nShall I commit?\ndroid',
    },
    {
      name: 'a finished task says which files tools changed in it (B1)',
      event: { kind: 'turn.done', message: 'Done.' },
      session: {
        changes: [
          { path: 'src/cart.ts', added: 12, removed: 3 },
          { path: 'src/till.ts', added: null, removed: null },
          { path: 'a.ts', added: 1, removed: 0 },
          { path: 'b.ts', added: 1, removed: 0 },
        ],
      },
      title: 'shop is done',
      body: 'Done.\n4 files changed: src/cart.ts +12 −3, src/till.ts, a.ts +1 −0 and 1 more\nClaude Code · Session: s1',
    },
    {
      name: 'a title that is cut in the headline is shown whole below the message',
      event: { message: 'May I?' },
      session: { title: `Fix ${'it '.repeat(23)}now` },
      title: `shop is waiting for you · Fix ${'it '.repeat(18)}i…`,
      body: `May I?\nClaude Code · Session: Fix ${'it '.repeat(23)}now`,
    },
    {
      name: 'a finished task whose beginning was not seen shows no length (004)',
      event: { kind: 'turn.done', message: null },
      title: 'shop is done',
      body: 'The task is finished\nClaude Code · Session: s1',
    },
    {
      name: 'a subagent is distinguished from its main session (005)',
      event: { kind: 'subagent.done', message: null },
      title: 'shop: a subagent is done',
      body: 'A subagent finished its work\nClaude Code · Session: s1',
    },
    {
      name: 'a subagent has its name, where it ends and where it asks',
      event: { kind: 'subagent.done', message: 'Two problems', tool: 'code-reviewer' },
      title: 'shop: subagent code-reviewer is done',
      body: 'Two problems\nClaude Code · Session: s1',
    },
    {
      name: 'a subagent that asks has its name behind what it wants',
      event: {
        kind: 'needs.permission',
        subagent: true,
        asked: { action: 'run', text: 'ls', options: [], by: 'code-reviewer' },
      },
      title: 'shop needs permission (subagent code-reviewer)',
      body: 'Run: ls\nClaude Code · Session: s1',
    },
    {
      name: 'a failure whose message says the reason does not say it twice',
      event: {
        kind: 'turn.failed',
        failed: true,
        message: 'API Error: Rate limit reached\nresets at 14:00',
        reason: 'rate_limit',
      },
      title: 'shop failed',
      body: 'API Error: Rate limit reached\nresets at 14:00\nClaude Code · Session: s1',
    },
    {
      name: 'a question from inside a subagent says so',
      event: { kind: 'needs.permission', subagent: true, project: null },
      title: 'Claude Code needs permission (a subagent)',
      body: 'Claude is waiting for your input\nSession: s1',
    },
    {
      name: 'the end of a session by an error is a failure (007)',
      event: { kind: 'session.end', message: null, reason: 'error', failed: true },
      title: 'shop ended with a failure',
      body: 'The session ended with a failure\nReason: error\nClaude Code · Session: s1',
    },
    {
      name: 'any other end is a plain end, with its reason unchanged (008, 009)',
      event: { kind: 'session.end', message: null, reason: 'prompt_input_exit' },
      title: 'shop ended its session',
      body: 'The session ended\nReason: prompt_input_exit\nClaude Code · Session: s1',
    },
    {
      name: 'an end without a reason has none (009)',
      event: { kind: 'session.end', message: null, reason: null },
      title: 'shop ended its session',
      body: 'The session ended\nClaude Code · Session: s1',
    },
    {
      name: 'a failed turn says which failure it was',
      event: { kind: 'turn.failed', failed: true, message: 'API is busy', reason: 'rate_limit' },
      title: 'shop failed',
      body: 'API is busy\nReason: rate limited by the provider\nClaude Code · Session: s1',
    },
    {
      name: 'a turn that failed immediately does not say that it took 0 s',
      event: { kind: 'turn.failed', failed: true, message: 'API is busy' },
      session: { lastTurnMs: 12 },
      title: 'shop failed',
      body: 'API is busy\nClaude Code · Session: s1',
    },
    {
      name: 'a tool call names the tool (010)',
      event: { kind: 'tool.done', message: null, tool: 'Edit' },
      title: 'shop used Edit',
      body: 'A call of Edit finished\nClaude Code · Session: s1',
    },
    {
      name: 'an unknown event shows its name (017)',
      event: { kind: 'activity', message: null, event: 'TeammateIdle' },
      title: 'shop reports TeammateIdle',
      body: 'Event: TeammateIdle\nClaude Code · Session: s1',
    },
    {
      name: 'an event without any optional field degrades field by field (018)',
      event: {
        agent: 'unknown',
        message: 'Test',
        project: null,
        sessionId: null,
        cwd: null,
      },
      title: 'An agent is waiting for you',
      body: 'Test',
    },
    {
      name: 'fields with nothing to show count as absent (018)',
      event: { project: '\u202e\u0000', message: ' \u001b[31m ', sessionId: '\u200e', title: '' },
      title: 'Claude Code is waiting for you',
      body: 'It is waiting for your input',
    },
  ];
  for (const { name, event, session, title, body } of rows) {
    test(name, () => {
      const known = session === undefined ? null : sampleSession(session);

      assert.deepEqual(renderedTexts(event, { session: known }), { title, body });
    });
  }

  test('a session is named by its title, else the title of the event, else its first prompt, else its id', () => {
    const title = 'Fix the basket';
    const firstPrompt = `Please ${'fix '.repeat(50)}`;

    assert.equal(
      sessionLine({ title: 'Other' }, { title, firstPrompt }),
      `Claude Code · Session: ${title}`,
    );
    assert.equal(sessionLine({ title: 'Other' }, { firstPrompt }), 'Claude Code · Session: Other');
    assert.match(sessionLine({}, { firstPrompt }), /^Claude Code · Session: Please fix .{60,70}…$/);
    assert.equal(
      sessionLine({ sessionId: '3f6c2a9e-1111-4222-8333-444455556666' }, {}),
      'Claude Code · Session: 3f6c2a9e…',
    );
  });

  test('the texts alone are the same as those of the notification', () => {
    const event = sampleEvent({ kind: 'turn.done' });
    const session = sampleSession({ lastTurnMs: 5_000 });

    const { title, body } = createRenderer().texts(event, session);

    assert.deepEqual({ title, body }, renderedTexts(event, { session }));
  });

  test('the length of another turn is not shown', () => {
    const session = sampleSession({ lastTurnMs: 60_000, stateSince: 1_700_000_000_001 });

    assert.equal(renderedTexts({ kind: 'turn.done' }, { session }).title, 'shop is done');
    assert.equal(rendered({ kind: 'turn.done' }, { session }).durationMs, null);
  });

  test('what looks like a secret does not leave the machine (T11)', () => {
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const session = sampleSession({ title: `Use ${secret}` });

    const told = rendered(
      { message: `Token: ${secret}`, project: secret, tool: secret, reason: secret, event: secret },
      { session },
    );

    assert.ok(!JSON.stringify(told).includes(secret));
    assert.match(told.body, /\[redacted:/);
  });
});

describe('the notification', () => {
  test('carries what channels need besides the texts', () => {
    const session = sampleSession({ lastTurnMs: 5_000, facts: { tty: '/dev/pts/3' } });

    const { title, body, ...rest } = rendered({ id: 'event-1', kind: 'turn.done' }, { session });

    assert.deepEqual(rest, {
      deliveryId: 'delivery-1',
      eventId: 'event-1',
      groupKey: 'claude:s1',
      at: 1_700_000_000_000,
      agent: 'claude',
      event: 'Notification',
      kind: 'turn.done',
      severity: 'info',
      sessionId: 's1',
      sessionTitle: null,
      computer: null,
      activeMs: null,
      credits: null,
      origin: { user: null, host: 'localhost' },
      project: 'shop',
      asked: null,
      details: 'Claude Code · Session: s1',
      durationMs: 5_000,
      facts: { tty: '/dev/pts/3' },
      quietly: false,
      possibleDuplicate: true,
    });
    assert.notEqual(title, '');
    assert.notEqual(body, '');
  });

  test('prefers the surroundings of the event over those of the session', () => {
    const session = sampleSession({ facts: { tty: '/dev/pts/3', tmux_pane: '%1' } });

    const { facts } = rendered({ facts: { tty: '/dev/pts/4' } }, { session });

    assert.deepEqual(facts, { tty: '/dev/pts/4' });
  });
});
