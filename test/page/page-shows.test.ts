import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ChannelStateView, SessionView } from '../../src/control/contract.ts';
import type { SessionState } from '../../src/core/session.ts';
import { askPage } from '../support/reply-page-home.ts';
import { sampleMuteView, sampleSessionView, sampleStatusView } from '../support/sample-views.ts';
import { servedPage, type ServedPageOptions } from '../support/served-page.ts';

/** The texts of the rows of a list. */
function textsOf(html: string): readonly string[] {
  return html
    .replaceAll(/<span class="dot" role="img" aria-label="([^"]*)">/g, '$1 ')
    .split(/(?=<(?:article|div class="item)[ "])/)
    .map((row) =>
      row
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((text) => text !== '');
}

/** The words in each list of the page of sessions, by the id of the list. */
async function shownLists(
  options: ServedPageOptions,
): Promise<Readonly<Record<string, readonly string[]>>> {
  await using page = await servedPage(options);
  await page.clock.advance(Date.parse('2026-03-01T12:00:00Z') - page.clock.now());
  const { cookie } = await page.signIn();
  const { body } = await askPage(page.root, { headers: { cookie } });
  const regions = [
    ...body.matchAll(
      /<div class="region" id="(\w+)">([^]*?)<\/div>(?=<p|<\/|\n<section|\n<div class="region")/g,
    ),
  ];
  return Object.fromEntries(regions.map(([, id = '', html = '']) => [id, textsOf(html)]));
}

/** One that changed at 11:50 and `index` minutes. */
function session(
  state: SessionState,
  index: number,
  fields: Partial<SessionView> = {},
): SessionView {
  return sampleSessionView({
    key: `claude:s${index}`,
    state,
    title: `Task ${index}`,
    since: `2026-03-01T11:${50 + index}:00.000Z`,
    waitingFor: null,
    ...fields,
  });
}

test('sessions are listed by state, each with its age, project, agent, machine and what it asks', async () => {
  const lists = await shownLists({
    answers: {
      'GET /v1/sessions': [
        session('waiting', 1, {
          waitingFor: 'Run npm publish?',
          computer: 'build-7',
          hasTerminal: false,
        }),
        session('working', 2, { agent: 'droid', project: 'api' }),
        session('done', 3, { lastTurnMs: 65_000 }),
        session('failed', 4, { agent: 'codex', waitingFor: 'Overloaded' }),
        session('ended', 5, { project: null }),
      ],
    },
  });

  assert.deepEqual(
    ['waiting', 'working', 'failed', 'done', 'ended'].map((id) => lists[id]),
    [
      ['Task 1 9 min Claude Code shop build-7 events Run npm publish? Acknowledge Snooze 30 min'],
      ['working Task 2 8 min droid api this machine events'],
      ['failed Task 4 6 min Codex shop this machine events Overloaded'],
      ['done Task 3 turn 1 min 5 s 7 min Claude Code shop this machine events'],
      ['ended Task 5 5 min Claude Code this machine events'],
    ],
  );
});

test('channels are listed with their health, and mutes and warnings with their words', async () => {
  const [sample] = sampleStatusView().channels;
  assert.ok(sample);
  const channel = (name: string, fields: Partial<ChannelStateView>): ChannelStateView => ({
    ...sample,
    type: 'slack',
    name,
    ...fields,
  });
  const soon = '2026-03-01T12:00:09.000Z';

  const { channels, mutes, warnings } = await shownLists({
    answers: {
      'GET /v1/status': sampleStatusView({
        channels: [
          sample,
          channel('team', { paused: [{ what: 'chat.update', until: soon }] }),
          channel('mail', {
            state: 'open',
            lastOutcome: 'retry',
            lastReason: 'ECONNREFUSED',
            notBefore: soon,
          }),
          channel('phone', {
            state: 'broken',
            lastOutcome: 'failed',
            lastReason: 'the token was revoked',
          }),
        ],
        mutes: [sampleMuteView({ id: 'm1', project: 'shop', until: soon })],
        warnings: ['The disk is almost full'],
      }),
    },
  });

  const at = `${String(new Date(soon).getHours()).padStart(2, '0')}:00`;
  assert.deepEqual(channels, [
    'desktop ok Test',
    `team slack ok Test chat.update waits until ${at}`,
    `mail slack paused after failures until ${at} Test ECONNREFUSED`,
    'phone slack broken Test the token was revoked',
  ]);
  assert.deepEqual(mutes, [`project shop until ${at} Unmute`]);
  assert.deepEqual(warnings, ['The disk is almost full']);
});
