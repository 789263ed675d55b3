import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ControlAnswers } from '../../src/control/contract.ts';
import type { ShownQuestion } from '../../src/core/question.ts';
import {
  type AskInside,
  rightsRows,
  sessionsContent,
  sessionsHtml,
  timelineContent,
  readTimelineFilter,
  type TimelineFilter,
  timelineHtml,
} from '../../src/page/page-views.ts';
import {
  sampleEventView,
  sampleSessionView,
  sampleStatusView,
  sampleShownQuestion,
} from '../support/sample-views.ts';
import { wordsIn } from '../support/words-in.ts';

type Answers = Partial<{ [Name in keyof ControlAnswers]: ControlAnswers[Name] }>;

/** A daemon with these answers; `asked` lists the requests with their queries. */
function daemon(answers: Answers) {
  const all: Answers = { 'GET /v1/status': sampleStatusView(), ...answers };
  const asked: string[] = [];
  const ask: AskInside = async (name, { query = {} } = {}) => {
    asked.push(`${name} ${new URLSearchParams(query).toString()}`.trim());
    const answer = all[name];
    if (answer === undefined) throw new Error(`No answer for ${name}`);
    return answer;
  };
  return { ask, asked };
}

function question(id: string, fields: Partial<ShownQuestion['question']> = {}): ShownQuestion {
  return sampleShownQuestion({ id, ...fields }, { text: `Bash\n  command: ${id}` });
}

/** The row of the only session that waits. */
async function waitingRowWith(questions: readonly ShownQuestion[]): Promise<string> {
  const { ask } = daemon({ 'GET /v1/sessions': [sampleSessionView()] });
  const { regions } = await sessionsContent(
    { ask, questions: { shown: () => questions }, redact: (text) => text, quietHours: () => [] },
    { rights: 'decide', takesCode: false, knowsAnswers: true },
  );
  return regions.find(({ id }) => id === 'waiting')?.rows[0]?.html ?? '';
}

describe('sessionsContent()', () => {
  test('shows every held request of a session, and that of a subagent as such', async () => {
    const words = wordsIn(
      await waitingRowWith([
        question('first'),
        question('elsewhere', { sessionKey: 'claude:s2' }),
        question('second', { agentId: 'agent-2' }),
      ]),
    );

    assert.match(words, /Bash command: first .* A subagent asks Bash command: second /);
    assert.doesNotMatch(words, /elsewhere/);
  });

  test('offers no answer to a request that was answered or let go', async () => {
    const html = await waitingRowWith([
      question('q1', { state: 'answered' }),
      question('q2', { state: 'released' }),
    ]);

    assert.doesNotMatch(html, /do\/decide/);
    assert.match(wordsIn(html), /Run npm publish\?/);
  });
});

test('sessionsHtml() says for each empty list that it is empty', () => {
  const html = sessionsHtml(
    { regions: [], counts: { waiting: 3 } },
    { projects: [], today: '', quiet: '' },
  );

  const words = wordsIn(html);
  assert.match(words, /Waiting for you 3 No agent is waiting for you\. Working 0 No agent is/);
  assert.match(words, /Nothing is muted\..*No quiet hours are set\.$/);
});

const events = (count: number) =>
  Array.from({ length: count }, (_, index) => sampleEventView({ eventId: `event-${index}` }));

const page = async (count: number, session: string | null, more: TimelineFilter = {}) => {
  const { ask, asked } = daemon({ 'GET /v1/history': events(count) });
  const filter = { ...(session !== null && { session }), ...more };
  const html = timelineHtml(await timelineContent({ ask }, filter), filter);
  return { html, asked };
};

const isCut = async (count: number): Promise<boolean> =>
  (await page(count, null)).html.includes('The latest 100 events are shown.');

describe('the timeline', () => {
  test('asks for the events of a session alone, names it and leads back to all', async () => {
    const { html, asked } = await page(1, 'claude:<s1>');

    assert.ok(asked.includes('GET /v1/history limit=100&session=claude%3A%3Cs1%3E'), asked.join());
    assert.match(wordsIn(html), /Timeline Events of session claude:&lt;s1&gt; · show all/);
    assert.match(html, /<a href="<root>timeline">show all<\/a>/);
  });

  test('shows the first line of each text, and takes a filter of known words', async () => {
    const query = new URLSearchParams('project=shop&kind=turn.failed&rang=1&agent=x');
    const { html, asked } = await page(1, null, readTimelineFilter(query));

    assert.match(html, /<span class="said" dir="auto"><bdi>Claude needs your permission/);
    assert.ok(asked.includes('GET /v1/history limit=100&project=shop&kind=turn.failed&rang=1'));
    assert.match(html, /value="shop"[^]*<option value="turn\.failed" selected>[^]* checked>/);
    assert.deepEqual(readTimelineFilter(new URLSearchParams('project= &kind=constructor')), {});
  });

  test('asks for the latest events of all sessions otherwise', async () => {
    const { html, asked } = await page(0, null);

    assert.ok(asked.includes('GET /v1/history limit=100'), asked.join());
    assert.doesNotMatch(html, /show all/);
  });

  test('says where the others are only when there may be others', async () => {
    assert.deepEqual([await isCut(0), await isCut(99), await isCut(100)], [false, false, true]);
  });

  test('is empty before anything was loaded', () => {
    assert.equal(
      wordsIn(timelineHtml({ regions: [], counts: {} }, {})),
      'Timeline every kind permissions questions failed turns finished turns finished subagents only what notified Filter No event has arrived yet.',
    );
  });
});

const remark = (takesCode: boolean): string => rightsRows('look', takesCode)[0]?.html ?? '';

test('rightsRows() say how a browser that may only look can allow requests', () => {
  assert.deepEqual(rightsRows('decide', true), []);
  assert.match(wordsIn(remark(false)), /run hookbell open in a terminal\.$/);
  assert.match(remark(true), /action="<root>do\/confirm"[^]*name="code"/);
  assert.doesNotMatch(remark(false), /<form/);
});

/** The words of a region for a browser that may only look. */
async function lookedAt(
  region: string,
  questions: readonly ShownQuestion[],
  { knowsAnswers = false, sessions = [sampleSessionView()] } = {},
): Promise<string> {
  const { ask } = daemon({ 'GET /v1/sessions': sessions });
  const { regions } = await sessionsContent(
    { ask, questions: { shown: () => questions }, redact: (text) => text, quietHours: () => [] },
    { rights: 'look', takesCode: false, knowsAnswers },
  );
  const rows = regions.find(({ id }) => id === region)?.rows ?? [];
  return wordsIn(rows.map(({ html }) => html).join(' '));
}

test('the remark about the rights of a browser stands where there is something to allow', async () => {
  assert.equal(await lookedAt('rights', []), '');
  assert.match(await lookedAt('rights', [question('first')]), /can deny requests, but not allow/);
});

test('a page with sessions that wait says how answers are turned on, until one was seen', async () => {
  assert.match(await lookedAt('answers', []), /hookbell install --answers/);
  assert.equal(await lookedAt('answers', [], { knowsAnswers: true }), '');
  assert.equal(await lookedAt('answers', [question('first')]), '');
  assert.equal(await lookedAt('answers', [], { sessions: [] }), '');
});
