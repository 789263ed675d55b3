import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Templates } from '../../src/delivery/render.ts';
import { renderedTexts } from '../support/rendered.ts';

describe('templates', () => {
  test('one for the kind wins over the default, and both over the built-in text', () => {
    const templates: Templates = {
      title: { 'turn.done': '{agent} finished {project}', default: '{kind} in {project}' },
      body: { 'turn.failed': '{reason}: {message}' },
    };

    assert.equal(
      renderedTexts({ kind: 'turn.done' }, { templates }).title,
      'Claude Code finished shop',
    );
    const failure = renderedTexts({ kind: 'turn.failed', reason: 'overloaded' }, { templates });
    assert.equal(failure.title, 'turn.failed in shop');
    assert.equal(failure.body, 'overloaded: Claude is waiting for your input');
    assert.match(
      renderedTexts({ kind: 'turn.done' }, { templates }).body,
      /\nClaude Code · Session: s1$/,
    );
  });

  test('fall back to the built-in text where nothing comes out (T14)', () => {
    const templates: Templates = { title: { default: '{tool} ' }, body: { default: '\n{reason}' } };

    assert.deepEqual(renderedTexts({ message: 'May I?' }, { templates }), {
      title: 'shop is waiting for you',
      body: 'May I?\nClaude Code · Session: s1',
    });
  });

  test('a title stays on one line', () => {
    const templates: Templates = { title: { default: 'a\n{message}' }, body: {} };

    assert.equal(renderedTexts({ message: 'b\nc' }, { templates }).title, 'a b c');
  });

  test('never look into a value (T14, fault 52)', () => {
    const templates: Templates = {
      title: { default: '{message}' },
      body: { default: '{message}' },
    };
    for (const message of ['{project}', '{{agent}}', '$& $1 {tool}', '${x}']) {
      assert.deepEqual(renderedTexts({ message }, { templates }), {
        title: message,
        body: message,
      });
    }
  });
});
