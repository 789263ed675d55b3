import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Placeholder } from '../../src/text/template.ts';
import { fillTemplate, placeholders, unknownPlaceholders } from '../../src/text/template.ts';

const values: Record<Placeholder, string> = {
  active: '9 min',
  changes: '',
  agent: 'claude',
  computer: 'devbox',
  credits: '5 credits',
  duration: '2 min',
  event: 'Stop',
  input: 'Run: npm test',
  kind: 'turn.done',
  message: 'All green',
  project: 'shop',
  reason: '',
  session: 'Fix the tests',
  session_id: 's1',
  title: 'Fix',
  tool: 'Bash',
};

describe('fillTemplate()', () => {
  test('puts every placeholder in', () => {
    const template = placeholders.map((name) => `{${name}}`).join('|');

    assert.equal(
      fillTemplate(template, values),
      '9 min|claude||devbox|5 credits|2 min|Stop|Run: npm test|turn.done|All green|shop||Fix the tests|s1|Fix|Bash',
    );
  });

  test('never looks into a value (T14, fault 52)', () => {
    const hostile = { ...values, message: '{project} $& $1 {{.Env}} ${x}' };

    assert.equal(fillTemplate('{message}', hostile), '{project} $& $1 {{.Env}} ${x}');
  });

  test('leaves other braces and unknown names as they are', () => {
    const text = '{} { project } {nothing} {constructor} {{.Env}} {';

    assert.equal(fillTemplate(text, values), text);
  });

  test('does not throw on any template (fault 46)', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', 'p', 'project', '$', '\\') }),
        (text) => {
          fillTemplate(text, values);
          unknownPlaceholders(text);
        },
      ),
    );
  });
});

describe('unknownPlaceholders()', () => {
  test('names those that do not exist', () => {
    assert.deepEqual(unknownPlaceholders('{agent} {projct} {__proto__} {x y}'), [
      'projct',
      '__proto__',
    ]);
  });
});
