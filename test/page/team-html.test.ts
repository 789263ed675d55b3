import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { WaitingFigures } from '../../src/core/waiting.ts';
import { type TeamContent, teamHtml, teamRefusalHtml } from '../../src/page/team-html.ts';
import { sampleSessionView } from '../support/sample-views.ts';
import { wordsIn } from '../support/words-in.ts';

const SINCE = '2026-03-01T10:00:00.000Z';
const none: WaitingFigures = { count: 0, totalMs: 0, workingMs: 0, p50Ms: null, p95Ms: null };
const some: WaitingFigures = {
  count: 2,
  totalMs: 600_000,
  workingMs: 0,
  p50Ms: 300_000,
  p95Ms: 540_000,
};

function page(fields: Partial<TeamContent> = {}): string {
  return teamHtml({
    person: { name: 'Ada', team: 'payments' },
    waiting: [],
    working: [],
    team: { count: 0, oldest: null, colleagues: null },
    days: 7,
    own: { asked: none, done: none },
    teams: [],
    hidesSmallTeams: false,
    ...fields,
  });
}

describe('teamHtml()', () => {
  for (const { name, team, words } of [
    {
      name: 'says that no agent of the team waits',
      team: { count: 0, oldest: null, colleagues: [] },
      words: 'Waiting in payments No agent is waiting. Waiting time',
    },
    {
      name: 'counts one session that waits',
      team: { count: 1, oldest: SINCE, colleagues: null },
      words: `Waiting in payments 1 session waits, the longest ${SINCE} Waiting time`,
    },
    {
      name: 'counts several, and names colleagues with their projects where these are known',
      team: {
        count: 2,
        oldest: SINCE,
        colleagues: [
          { name: 'Bob', agent: 'codex', project: 'shop', since: SINCE },
          { name: 'Eve', agent: 'claude', project: null, since: SINCE },
        ],
      },
      words: `Waiting in payments 2 sessions wait, the longest ${SINCE} Bob ${SINCE} Codex shop Eve ${SINCE} Claude Code Waiting time`,
    },
    {
      name: 'tells a person without a team who can change that',
      team: null,
      words:
        'Your team You are not in a team. An administrator of the hub can add you to one. Waiting time',
    },
  ] satisfies { name: string; team: TeamContent['team']; words: string }[]) {
    test(name, () => {
      const shown = wordsIn(page({ team }));

      assert.ok(shown.includes(` ${words} `), shown);
    });
  }

  test('shows own sessions by the best name they have, with where they run and what they ask', () => {
    const html = page({
      waiting: [
        sampleSessionView({ computer: 'build-7' }),
        sampleSessionView({ title: null, waitingFor: null }),
        sampleSessionView({ title: null, project: null }),
      ],
    });

    const rows = [...html.matchAll(/<article class="row waiting">(.*?)<\/article>/gs)];
    assert.deepEqual(
      rows.map(([, row = '']) => wordsIn(row)),
      [
        `Release 2.0 ${SINCE} Claude Code shop build-7 Run npm publish?`,
        `shop ${SINCE} Claude Code shop It waits for an answer in its terminal`,
        `A session of Claude Code ${SINCE} Claude Code Run npm publish?`,
      ],
    );
    assert.match(html, /<title>\(3\) Team · hookbell<\/title>/);
    assert.match(page(), /<title>Team · hookbell<\/title>/);
  });

  test('shows sessions that work without a link to their events, which the hub does not show', () => {
    const html = page({ working: [sampleSessionView({ state: 'working' })] });

    assert.match(wordsIn(html), /Working Release 2\.0 .* Claude Code shop this machine None of/);
    assert.doesNotMatch(html, /timeline/);
  });

  test('compares the waiting time of people and teams, and says which teams it hides', () => {
    const html = page({
      own: { asked: some, done: none },
      teams: [
        { team: 'payments', asked: some, done: some },
        { team: null, asked: none, done: none },
      ],
      hidesSmallTeams: true,
    });

    const rows = [...html.matchAll(/<tr>(<th scope="row">.*?)<\/tr>/g)];
    assert.deepEqual(
      rows.map(([, row = '']) => wordsIn(row)),
      [
        'You 10 min 2 5 min 9 min 0 s',
        'payments 10 min 2 5 min 9 min 10 min',
        'Without a team 0 s 0 – – 0 s',
      ],
    );
    assert.match(wordsIn(html), /Teams in which fewer than three people waited are not shown\./);
    assert.doesNotMatch(page(), /fewer than three/);
  });

  test('marks the period that is shown', () => {
    const marked = /<a href="<root>\?days=(\d+)" aria-current="true">([^<]*)</.exec(
      page({ days: 1 }),
    );

    assert.deepEqual(marked?.slice(1), ['1', 'Last day']);
  });

  test('is loaded again by the browser; a refusal is not', () => {
    const refusal = teamRefusalHtml('Not signed in', 'Open <it> again');

    assert.match(page(), /<meta http-equiv="refresh" content="15">[^]*<body>/);
    assert.doesNotMatch(refusal, /http-equiv/);
    assert.match(refusal, /<body class="message">/);
    assert.match(wordsIn(refusal), /Not signed in Open &lt;it&gt; again$/);
  });
});
