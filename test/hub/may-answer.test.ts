import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HubPerson } from '../../src/core/hub/directory.ts';
import { mayAnswer } from '../../src/hub/may-answer.ts';

function person(name: string, team: string | null): HubPerson {
  return { email: `${name}@example.com`, name, team, settings: '{}' };
}

const ada = person('ada', 'web');
const bob = person('bob', 'web');
const eve = person('eve', null);
const groups = (group: string) => (group === 'leads' ? [eve.email] : null);

test('mayAnswer() lets only the owner answer, unless a rule names both', () => {
  assert.equal(mayAnswer(ada, ada, [], groups), true);
  assert.equal(mayAnswer(bob, ada, [], groups), false);

  const leads = [{ by: { group: 'leads' }, for: { team: 'web' } }];
  assert.equal(mayAnswer(eve, ada, leads, groups), true);
  assert.equal(mayAnswer(ada, eve, leads, groups), false);
  assert.equal(mayAnswer(bob, ada, leads, groups), false);

  const pair = [{ by: { person: bob.email }, for: { person: ada.email } }];
  assert.equal(mayAnswer(bob, ada, pair, groups), true);
  assert.equal(mayAnswer(ada, bob, pair, groups), false);
});

test('mayAnswer() takes no team for that of people without one, and an unknown group has no members', () => {
  const rules = [
    { by: { group: 'nameless' }, for: { team: 'web' } },
    { by: {}, for: {} },
  ];

  assert.equal(mayAnswer(eve, ada, rules, groups), false);
  assert.equal(mayAnswer(eve, person('dan', null), rules, groups), false);
});
