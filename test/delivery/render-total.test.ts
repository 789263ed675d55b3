import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { agentNames, kinds } from '../../src/core/hook-event.ts';
import type { Templates } from '../../src/delivery/render.ts';
import { decodedEvent } from '../support/decoded.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { expectedPayloads, factsFor, readPayloadFixture } from '../support/payload-fixtures.ts';
import { rendered, renderedTexts } from '../support/rendered.ts';
import { sampleSession } from '../support/store.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what must not be there
const NOT_SHOWN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

describe('createRenderer() is total', () => {
  test('every recorded payload has a title and a body fit to be shown', () => {
    for (const row of expectedPayloads().filter(({ valid }) => valid)) {
      const event = decodedEvent(readPayloadFixture(row.file), factsFor(row));
      const { title, body } = renderedTexts(event);

      assertShown(title, body);
      if (row.display?.mustNotMatch !== undefined) {
        assert.doesNotMatch(`${title}\n${body}`, new RegExp(row.display.mustNotMatch));
      }
      for (const part of row.display?.mustContain ?? []) assert.ok(body.includes(part), part);
    }
  });

  test('the first line of a test or a notice is its title, also with a tab in it', () => {
    const fields = { kind: 'test', message: 'one\ttwo\nmore' } as const;

    const { title, body } = rendered(fields, { session: null });

    assert.deepEqual([title, body], ['one two', 'more']);
  });

  test('any event, with any session and any template, renders to one clean line and a clean body', () => {
    const text = fc.oneof(
      fc.constantFrom(...hostileTexts),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({
        unit: fc.constantFrom('\u001b', '[', '3', 'm', '\ud83d', '\n', '\u202e', 'e\u0301'),
      }),
    );
    const maybe = fc.option(text);
    const template = fc.option(
      fc
        .array(
          fc.oneof(text, fc.constantFrom('{message}', '{project}', ' ({duration})', '{session}: ')),
        )
        .map((parts) => parts.join('')),
      { nil: undefined },
    );

    fc.assert(
      fc.property(
        fc.record({
          agent: fc.constantFrom(...agentNames),
          kind: fc.constantFrom(...kinds),
          event: text,
          project: maybe,
          message: maybe,
          tool: maybe,
          reason: maybe,
          title: maybe,
          sessionId: maybe,
          source: maybe,
          failed: fc.boolean(),
          subagent: fc.boolean(),
        }),
        fc.option(fc.record({ title: maybe, firstPrompt: maybe, lastTurnMs: fc.option(fc.nat()) })),
        template,
        (fields, known, own) => {
          const session = known === null ? null : sampleSession(known);
          const templates: Templates =
            own === undefined
              ? { title: {}, body: {} }
              : { title: { default: own }, body: { default: own } };

          const told = rendered(fields, { session, templates });

          assertShown(told.title, told.body);
          for (const value of [told.project, told.sessionTitle, told.sessionId, told.event]) {
            assert.doesNotMatch(value ?? '', NOT_SHOWN);
            assert.notEqual(value, '');
          }
        },
      ),
    );
  });
});

function assertShown(title: string, body: string): void {
  assert.match(title, /\S/);
  assert.match(body, /\S/);
  assert.doesNotMatch(title, /[\n\t]/);
  for (const shown of [title, body]) {
    assert.doesNotMatch(shown, NOT_SHOWN);
    assert.ok(shown.isWellFormed());
  }
}
