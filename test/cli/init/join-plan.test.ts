import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parse } from 'yaml';

import { withChannel } from '../../../src/cli/commands/channel.ts';

const entry = { type: 'file', path: '~/log' };
const later = { plan: null, after: '2m' };
const now = { plan: null, after: '0s' };

interface Case {
  readonly name: string;
  readonly before: string;
  readonly joins: { readonly plan: string | null; readonly after: string };
  /** Plans and routes afterwards. */
  readonly plans?: unknown;
  readonly routes?: unknown;
  readonly changes: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'a step that is due at the same time takes one more channel, without a note if it is an ordinary one',
    before: `channels: { desktop: { type: desktop } }
plans: { slow: [{ after: 2m, notify: desktop }] }
routes: [{ plan: slow }]
`,
    joins: { plan: 'slow', after: '120s' },
    plans: { slow: [{ after: '2m', notify: ['desktop', 'log'] }] },
    routes: [{ plan: 'slow' }],
    changes: ['Plan "slow" notifies "log" after 120s without a reaction'],
  },
  {
    name: 'a step that repeats is named as such',
    before: `channels: { desktop: { type: desktop } }
plans: { slow: [{ after: 2m, notify: desktop, repeat: { every: 5m, at_most: 3 } }] }
routes: [{ plan: slow }]
`,
    joins: { plan: 'slow', after: '2m' },
    plans: {
      slow: [{ after: '2m', notify: ['desktop', 'log'], repeat: { every: '5m', at_most: 3 } }],
    },
    routes: [{ plan: 'slow' }],
    changes: [
      'Plan "slow" notifies "log" after 2m without a reaction, with the "if" and "repeat" of that step',
    ],
  },
  {
    name: 'routes are left alone if none is for all requests',
    before: `channels: { desktop: { type: desktop } }
routes: [{ match: { project: shop }, notify: desktop }, { match: { kind: turn.done }, notify: desktop }]
`,
    joins: now,
    routes: [
      { match: { project: 'shop' }, notify: 'desktop' },
      { match: { kind: 'turn.done' }, notify: 'desktop' },
    ],
    changes: ['No route covers all requests: add "log" to "notify" of a route'],
  },
  {
    name: 'several routes that notify the same channels all notify one more',
    before: `channels: { desktop: { type: desktop } }
routes:
  - { match: { kind: waiting }, notify: desktop }
  - { match: { kind: turn.done }, notify: desktop }
`,
    joins: now,
    routes: [
      { match: { kind: 'waiting' }, notify: ['desktop', 'log'] },
      { match: { kind: 'turn.done' }, notify: ['desktop', 'log'] },
    ],
    changes: ['routes[0] and routes[1] notify "log" immediately'],
  },
  {
    name: 'a new plan has another name if its name is taken, and keeps all channels of the route',
    before: `channels: { desktop: { type: desktop }, mail: { type: file, path: ~/mail } }
plans:
  escalate: [{ notify: mail }]
routes:
  - { match: { project: shop }, plan: escalate }
  - { match: { kind: waiting }, notify: [desktop, mail] }
`,
    joins: later,
    plans: {
      escalate: [{ notify: 'mail' }],
      'escalate-2': [{ notify: ['desktop', 'mail'] }, { after: '2m', notify: 'log' }],
    },
    routes: [
      { match: { project: 'shop' }, plan: 'escalate' },
      { match: { kind: 'waiting' }, plan: 'escalate-2' },
    ],
    changes: [
      'New plan "escalate-2" notifies "desktop" and "mail" immediately, and "log" after 2m without a reaction',
      'routes[1] uses it',
    ],
  },
  {
    name: 'the default routes are written out also in a configuration in one line',
    before: '{ channels: { desktop: { type: desktop } } }\n',
    joins: later,
    plans: { escalate: [{ notify: 'desktop' }, { after: '2m', notify: 'log' }] },
    routes: [
      { match: { severity: ['warning', 'critical'] }, plan: 'escalate' },
      { match: { kind: 'turn.done', longer_than: '20s' }, plan: 'escalate' },
    ],
    changes: [
      'New plan "escalate" notifies "desktop" immediately, and "log" after 2m without a reaction',
      'New routes use it for the same events as before',
    ],
  },
];

describe('joinPlan()', () => {
  for (const { name, before, joins, plans, routes, changes } of cases) {
    test(name, async () => {
      const result = await withChannel(before, 'c.yaml', { name: 'log', entry, joins });

      const read = parse(result.text);
      assert.deepEqual(read.plans, plans, result.text);
      assert.deepEqual(read.routes, routes, result.text);
      assert.deepEqual(read.channels.log, entry);
      assert.deepEqual(result.changes, changes);
    });
  }

  for (const [plans, hint] of [
    ['', 'The configuration has no plans'],
    ['plans: { day: [{ notify: desktop }], late: [{ notify: desktop }] }\n', 'Plans: day, late'],
  ] as const) {
    test(`a plan that does not exist is refused with the hint "${hint}"`, async () => {
      const before = `channels: { desktop: { type: desktop } }\n${plans}`;
      const joins = { plan: 'night', after: '0s' };

      await assert.rejects(withChannel(before, 'c.yaml', { name: 'log', entry, joins }), {
        name: 'UsageError',
        message: 'Plan "night" does not exist',
        hint,
      });
    });
  }
});
