import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ControlAnswers } from '../../src/control/contract.ts';
import type { ShownQuestion } from '../../src/core/question.ts';
import {
  type AskInside,
  rightsBanner,
  sessionsContent,
  sessionsHtml,
  timelineContent,
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
    'decide',
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

const page = async (count: number, session: string | null) => {
  const { ask, asked } = daemon({ 'GET /v1/history': events(count) });
  const html = timelineHtml(await timelineContent({ ask }, session), session);
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
      wordsIn(timelineHtml({ regions: [], counts: {} }, null)),
      'Timeline No event has arrived yet.',
    );
  });
});

test('rightsBanner() says how a browser that may only look can allow requests', () => {
  assert.equal(rightsBanner('decide', true), '');
  assert.match(wordsIn(rightsBanner('look', false)), /run hookbell open in a terminal\.$/);
  assert.match(rightsBanner('look', true), /action="<root>do\/confirm"[^]*name="code"/);
  assert.doesNotMatch(rightsBanner('look', false), /<form/);
});
