import assert from 'node:assert/strict';
import { test } from 'node:test';

import { usageHtml } from '../../src/page/usage-html.ts';
import { routes } from '../../src/vendor/client/index.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { askPage } from '../support/reply-page-home.ts';
import {
  sampleEventView,
  sampleMuteView,
  sampleSessionView,
  sampleStatusView,
  sampleWaitingView,
  sampleShownQuestion,
} from '../support/sample-views.ts';
import { servedPage } from '../support/served-page.ts';

const shown = sampleShownQuestion();
/** Nothing of the hostile texts is a tag or a control character. */
function assertTexts(html: string, where: string): void {
  assert.ok(!/<(?:img src=x|script>|b><|!channel)/.test(html), where);
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  assert.ok(!/[\u0000-\u0008\u001b\u009b\u202e\u2066]/.test(html), where);
}

test('hostile texts are texts in every part of the page (fault 52)', async () => {
  const all = hostileTexts.join(' ');
  const oneWait = { count: 1, totalMs: 1, workingMs: 1, p50Ms: 1, p95Ms: 1 };
  const unfit = [{ condition: 'project' as const, wanted: all, actual: all }];
  await using page = await servedPage({
    explain: () => ({
      sentence: all,
      tree: [{ route: all, plan: all, taken: false, unfit }],
    }),
    answers: {
      'GET /v1/sessions': hostileTexts.map((text, index) =>
        sampleSessionView({
          key: `k${text}${index}`,
          title: text,
          waitingFor: text,
          project: text,
          cwd: text,
          computer: text,
        }),
      ),
      'GET /v1/history': hostileTexts.map((text, index) =>
        sampleEventView({ eventId: `e-${index}`, title: text, project: text, machine: text }),
      ),
      'GET /v1/waiting': sampleWaitingView({
        rows: hostileTexts.map((key) => ({ key, asked: oneWait, done: oneWait })),
        returns: hostileTexts.map((channel) => ({ ...oneWait, channel, step: 0 })),
      }),
      'GET /v1/status': sampleStatusView({
        warnings: hostileTexts,
        mutes: hostileTexts.map((project, index) => sampleMuteView({ id: `m${index}`, project })),
        channels: hostileTexts.map((name) => ({
          name: 'mail',
          type: 'email',
          state: 'broken',
          lastOutcome: 'failed',
          lastReason: name,
          notBefore: null,
          paused: [{ what: name, until: '2026-03-01T10:00:00.000Z' }],
        })),
      }),
      'GET /v1/events': sampleEventView({
        title: all,
        body: all,
        cwd: all,
        tool: all,
        decisions: [{ stage: 'route', verdict: 'pass', reason: all }],
      }),
    },
    questions: [
      {
        ...shown,
        question: { ...shown.question, sessionKey: `k${hostileTexts[0]}0`, choices: ['answer'] },
        asks: [{ text: all, options: [...hostileTexts], several: false }],
      },
    ],
  });
  const { cookie } = await page.signIn();

  for (const path of ['', 'timeline', 'waiting?by=project', 'waiting?by=machine', 'events/x']) {
    const { status, body } = await askPage(`${page.root}${path}`, { headers: { cookie } });

    assert.equal(status, 200);
    assertTexts(body, path);
    assert.ok(!/<(?:age|clock|root|token)[ >]/.test(body), path);
  }
});

test('hostile names of models and people, and digests, are texts in the usage (fault 52)', () => {
  const { data: rows } = routes['analytics.tokens'].response.parse({
    meta: {},
    data: hostileTexts.map((name, index) => ({
      date: `2026-06-${String(index + 1).padStart(2, '0')}`,
      billable_tokens: 10,
      by_model: [{ model_id: name, billable_tokens: 10 }],
      by_user: [{ user_id: name, user_email: null, billable_tokens: 10 }],
    })),
  });
  const budget = { models: { '*': 5 }, users: { '*': 5 }, organization: null } as const;

  const html = usageHtml({
    usage: { rows, asOf: '2026-06-28' },
    budget: { ...budget, thresholds: [50], rate: null, anomaly: null },
    digests: hostileTexts.map((text) => ({ title: text, body: text, at: '2026-06-28T08:00:00Z' })),
  });
  const failed = usageHtml({
    usage: { problem: hostileTexts.join(' ') },
    budget: null,
    digests: [],
  });

  assertTexts(html, 'usage');
  assertTexts(failed, 'problem');
  assert.ok(html.split('<details').length === hostileTexts.length + 1);
  assert.ok(html.split('class="item"').length > hostileTexts.length);
});
