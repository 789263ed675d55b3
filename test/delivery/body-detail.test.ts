import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { BodyDetail } from '../../src/core/notification.ts';
import type { ClaimedDelivery } from '../../src/core/outbox.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import { manualClock } from '../support/manual-clock.ts';
import { deliveryStore, firstClaim } from '../support/delivery-store.ts';
import { sampleEvent } from '../support/sample.ts';

/** Stands in every text that a person or an agent wrote. */
const PROMPT = 'fix-the-merger-with-acme';

const templates = {
  title: { default: '{agent}: {title} {session} {message} {reason}' },
  body: { default: '{title} {session} {message} {reason} {input} {changes}' },
};

async function claimed(others: number): Promise<ClaimedDelivery> {
  const store = deliveryStore(manualClock());
  const texts = { message: `${PROMPT}\nsecond line`, reason: PROMPT, title: PROMPT };
  const also = Array.from({ length: others }, (_, index) =>
    sampleEvent({ ...texts, kind: 'turn.failed', sessionId: `t${index}` }),
  );
  store.add({
    channel: 'team',
    event: {
      ...texts,
      kind: 'needs.permission',
      tool: 'Bash',
      asked: { action: 'run', text: PROMPT, options: [PROMPT] },
    },
    also,
  });
  const one = await firstClaim(store, 'team');
  const session = {
    key: 'claude:s1',
    machine: null,
    agent: 'claude',
    sessionId: 's1',
    state: 'waiting',
    stateSince: 0,
    startedAt: 0,
    turnStartedAt: null,
    lastTurnMs: null,
    changes: [{ path: PROMPT, added: 1, removed: 0 }],
    lastEventAt: 0,
    lastKind: 'needs.permission',
    lastEventId: one.event.id,
    schedule: null,
    usageLimit: null,
    waitingFor: PROMPT,
    project: 'shop',
    cwd: '/home/dev/shop',
    title: PROMPT,
    firstPrompt: PROMPT,
    permissionMode: null,
    attended: null,
    facts: {},
    lookedUp: {
      askedAt: 0,
      title: PROMPT,
      transcriptTitle: PROMPT,
      computer: 'build-7',
      activeMs: null,
      credits: null,
      stops: [],
    },
  } as const;
  return { ...one, session };
}

function rendererWith(detail: BodyDetail, own?: typeof templates) {
  return createRenderer({
    detailOf: (channel) => (channel === 'team' ? detail : 'full'),
    ...(own !== undefined && { templates: own }),
  });
}

for (const own of [undefined, templates]) {
  const by = own === undefined ? 'built-in texts' : 'templates of the configuration';

  test(`body "none" sends nothing that came from a prompt, by ${by} (D11)`, async () => {
    const renderer = rendererWith('none', own);

    const sent = [
      renderer.notification(await claimed(0)),
      renderer.notification(await claimed(3)),
      renderer.over({
        ...(await claimed(0)),
        ref: 'r1',
        succeeded: false,
        cause: 'over',
        reason: 'The agent goes on',
      }),
    ];

    for (const notification of sent) {
      assert.equal(JSON.stringify(notification).includes(PROMPT), false);
    }
    assert.equal(sent[0]?.computer, 'build-7');
    assert.match(sent[0]?.body ?? '', /^hookbell explain [\w-]{1,8}$/);
  });

  test(`body "full" shows the title of the session, by ${by}`, async () => {
    const shown = rendererWith('full', own).notification(await claimed(0));

    assert.ok(shown.title.includes(PROMPT) && shown.sessionTitle === PROMPT);
  });
}

test('body "none" still says who asks for what', async () => {
  const { title } = rendererWith('none').notification(await claimed(0));

  assert.equal(title, 'shop needs permission');
});

test('body "summary" shows the first line, cut', async () => {
  const long = await claimed(0);
  const event = { ...long.event, asked: null, message: `${'long '.repeat(100)}\nsecond line` };

  const { body, details } = rendererWith('summary').notification({ ...long, event });

  assert.ok(body.length <= 140 && body.endsWith('…') && !body.includes('second'));
  assert.equal(details, undefined);
});

test('body "none" keeps the words of a notice about the organization', async () => {
  const one = await claimed(0);
  const event = sampleEvent({
    agent: 'service',
    kind: 'notice',
    message: 'The budget is used to 80 %\ndetails',
  });

  const { title } = rendererWith('none').notification({ ...one, event });

  assert.equal(title, 'The budget is used to 80 %');
});
