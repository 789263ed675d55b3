import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { SessionView } from '../../src/control/contract.ts';
import type { DecidableRequest } from '../../src/core/notification.ts';
import type { PageRights } from '../../src/page/page-access.ts';
import { sessionRow, type ShownRequest, waitingRow } from '../../src/page/session-rows.ts';
import { sampleSessionView } from '../support/sample-views.ts';
import { wordsIn } from '../support/words-in.ts';

const SOON = '2026-03-01T10:30:00.000Z';

function asked(
  fields: Partial<DecidableRequest> = {},
  more: Partial<ShownRequest> = {},
): ShownRequest {
  return {
    sessionKey: 'claude:s1',
    tool: 'Bash',
    subagent: false,
    request: {
      question: 'q1',
      requestHash: 'a'.repeat(64),
      choices: ['allow', 'allow-session', 'deny'],
      text: 'Bash\n  command: npm <publish>',
      asks: [],
      ...fields,
    },
    ...more,
  };
}

function waiting(
  requests: readonly ShownRequest[],
  rights: PageRights = 'decide',
  fields: Partial<SessionView> = {},
): string {
  return waitingRow(sampleSessionView(fields), requests, rights).html;
}

/** What the buttons that decide would send. */
function choicesIn(html: string): readonly string[] {
  return [...html.matchAll(/name="choice" value="([^"]*)"/g)].map(([, choice = '']) => choice);
}

describe('waitingRow()', () => {
  test('shows a request as it is, with a button for each answer', () => {
    const html = waiting([asked()]);

    assert.match(
      html,
      /<div class="request"[^]*Bash[^]*command:<\/span> <code>npm &lt;publish&gt;</,
    );
    assert.deepEqual(choicesIn(html), ['allow', 'allow-session', 'deny']);
    assert.doesNotMatch(wordsIn(html), /A subagent asks|needs the code|cannot be shown/);
  });

  test('says that a subagent asks', () => {
    assert.match(wordsIn(waiting([asked({}, { subagent: true })])), /A subagent asks Bash command/);
  });

  test('offers a browser that may only look no more than to deny, and says what it lacks', () => {
    const html = waiting([asked()], 'look');

    assert.deepEqual(choicesIn(html), ['deny']);
    assert.match(wordsIn(html), /Allowing needs the code: see above/);
  });

  for (const { name, waitingFor, tool, words } of [
    { name: 'what it waits for', waitingFor: 'Run it?', tool: 'Bash', words: 'Run it?' },
    { name: 'its tool', waitingFor: null, tool: 'Bash', words: 'Bash' },
    { name: 'that there is a request', waitingFor: null, tool: null, words: 'A request' },
  ]) {
    test(`shows of a request that cannot be shown ${name}, and leads to the terminal`, () => {
      const hidden = asked({ text: null, choices: ['deny'] }, { tool });

      for (const rights of ['decide', 'look'] as const) {
        const html = waiting([hidden], rights, { waitingFor });

        assert.ok(
          wordsIn(html).includes(
            `events ${words} It cannot be shown in full here: allow it in its terminal Deny`,
          ),
          wordsIn(html),
        );
        assert.doesNotMatch(wordsIn(html), /needs the code/);
        assert.deepEqual(choicesIn(html), ['deny']);
      }
    });
  }

  test('shows a question with its options to those who may answer, and its text to others', () => {
    const question = asked({
      choices: ['answer', 'deny'],
      asks: [{ text: 'Which\ndatabase?', options: ['SQLite', 'Postgres'], several: false }],
    });

    const decide = waiting([question], 'decide');
    const look = waiting([question], 'look');

    assert.deepEqual(choicesIn(decide), ['answer', 'deny']);
    assert.match(wordsIn(decide), /Which database\? SQLite Postgres/);
    assert.deepEqual(choicesIn(look), ['deny']);
    assert.match(look, /<p class="asks" dir="auto">Which\ndatabase\?<\/p>/);
    for (const html of [decide, look]) assert.doesNotMatch(html, /class="request"/);
    assert.match(look, /<li><bdi>SQLite<\/bdi><\/li><li><bdi>Postgres<\/bdi><\/li>/);
  });

  test('shows what it waits for if no request can be decided here', () => {
    assert.match(wordsIn(waiting([])), /events Run npm publish\? Show terminal/);
    assert.match(
      wordsIn(waiting([], 'decide', { waitingFor: null })),
      /events It waits for an answer in its terminal Show terminal/,
    );
  });

  test('shows whether it was acknowledged or snoozed, and does not offer to acknowledge it again', () => {
    const fresh = wordsIn(waiting([]));
    const known = wordsIn(
      waiting([], 'decide', { acknowledgedAt: '2026-03-01T10:01:00.000Z', snoozedUntil: SOON }),
    );

    assert.match(fresh, /Show terminal Acknowledge Snooze 30 min$/);
    assert.doesNotMatch(fresh, /acknowledged|snoozed/);
    assert.match(known, new RegExp(`acknowledged snoozed until ${SOON}`));
    assert.match(known, /Show terminal Snooze 30 min$/);
  });

  test('shows what the options of a question mean', () => {
    const question = asked({
      choices: ['answer', 'deny'],
      asks: [
        {
          text: 'Which?',
          options: ['SQLite', 'Postgres'],
          descriptions: ['One file', ''],
          several: false,
        },
      ],
    });

    assert.match(waiting([question]), /SQLite<\/bdi><small><bdi>One file</);
    assert.match(
      waiting([question], 'look'),
      /<li><bdi>SQLite<\/bdi><small><bdi>One file<\/bdi><\/small><\/li><li><bdi>Postgres</,
    );
  });

  test('shows an edit as a diff with its path in the project, and a plan as it is meant to be read', () => {
    const edit = asked({
      text: 'Edit\n  file_path: /home/dev/shop/src/cart.ts\n  change: \n    |  a\n    | -<b>\n    | +c',
    });
    const plan = asked({
      text: 'ExitPlanMode\n  plan: # Round **once**\n    | \n    | 1. Keep `cents`\n  planFilePath: /p.md',
    });

    assert.match(waiting([edit]), /file_path:<\/span> <code>src\/cart\.ts<\/code>/);
    assert.match(
      waiting([edit]),
      /<div class="diff">.*<span> a<\/span><del>-&lt;b&gt;<\/del><ins>\+c<\/ins><\/div>/,
    );
    assert.match(
      waiting([plan]),
      /<h4>Round <strong>once<\/strong><\/h4><div class="item-of d0"><span>1\.<\/span><span>Keep <code>cents<\/code>/,
    );
    assert.match(wordsIn(waiting([plan])), /planFilePath: \/p\.md/);
  });

  test('keeps the lines of what it waits for, and folds a long text', () => {
    const script = ['Run: one', ...Array.from({ length: 20 }, (_, index) => `line ${index}`)];

    const html = waiting([], 'decide', { waitingFor: script.join('\n') });

    assert.match(html, /Run<\/p><div class="request asked" dir="auto"><div>one<\/div><div>line 0</);
    assert.match(html, /<details><summary>9 more lines<\/summary><div>line 11<\/div>/);
  });

  test('offers to show the terminal only where one is known', () => {
    const far = wordsIn(waiting([], 'decide', { computer: 'build-7', hasTerminal: false }));

    assert.match(far, /shop build-7 events/);
    assert.doesNotMatch(far, /Show terminal/);
  });
});

const row = (fields: Partial<SessionView>): string =>
  sessionRow(sampleSessionView({ state: 'done', ...fields })).html;

describe('sessionRow()', () => {
  test('shows how long the last turn took, unless another one is running', () => {
    assert.match(wordsIn(row({ lastTurnMs: 65_000 })), /Release 2\.0 turn 1 min 5 s/);
    assert.doesNotMatch(wordsIn(row({ state: 'working', lastTurnMs: 65_000 })), /turn/);
    assert.doesNotMatch(wordsIn(row({ lastTurnMs: null })), /turn/);
  });

  for (const { title, project, shown } of [
    { title: 'Fix it', project: 'shop', shown: 'Fix it' },
    { title: null, project: 'shop', shown: 'shop s1' },
    { title: '\u202e\u200b ', project: 'shop', shown: 'shop s1' },
    { title: null, project: null, shown: 'A session of Claude Code s1' },
  ]) {
    test(`calls a session with the title ${JSON.stringify(title)} and the project ${project} "${shown}"`, () => {
      const heading = /<h3[^>]*>(.*?)<\/h3>/.exec(row({ title, project }))?.[1] ?? '';

      assert.equal(wordsIn(heading), shown);
    });
  }

  test('says why a turn failed', () => {
    const failed = row({ state: 'failed', waitingFor: 'Rate limit reached\nresets at 14:00' });

    assert.match(wordsIn(failed), /Rate limit reached resets at 14:00/);
    assert.doesNotMatch(wordsIn(row({ waitingFor: 'x' })), /x$/);
  });

  test('has its directory as a tooltip where it is known', () => {
    assert.match(row({ cwd: '/srv/"shop"' }), /<p class="meta" title="\/srv\/&quot;shop&quot;">/);
    assert.match(row({ cwd: null }), /<p class="meta"><span>/);
  });
});

test('a paused session shows until when, in the zone of the browser, and in which round', () => {
  const schedule = { until: SOON, round: 3 };
  const { html } = sessionRow(sampleSessionView({ state: 'paused', schedule }));

  assert.match(html, /<span class="chip">paused until <clock 2026-03-01T10:30:00.000Z>, round 3</);
});
