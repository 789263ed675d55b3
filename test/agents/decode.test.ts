import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { decodePayload } from '../../src/agents/decode.ts';
import type { HookFacts } from '../../src/core/facts.ts';
import { factKeys } from '../../src/core/facts.ts';
import { decodedEvent } from '../support/decoded.ts';

const droid: HookFacts = { agent: 'droid' };

function decode(text: string, facts: HookFacts = droid) {
  return decodePayload({ payload: Buffer.from(text), facts });
}

describe('decodePayload() reads bytes', () => {
  const json = '{"hook_event_name":"Stop","last_assistant_message":"fertig \u00e4 \ud83c\udf89"}';

  const encodings: readonly (readonly [string, Uint8Array])[] = [
    ['UTF-8', Buffer.from(json)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${json}`)],
    ['UTF-16LE with a mark', Buffer.from(`\ufeff${json}`, 'utf16le')],
    ['UTF-16BE with a mark', Buffer.from(`\ufeff${json}`, 'utf16le').swap16()],
  ];
  for (const [name, payload] of encodings) {
    test(`${name} (fault 40)`, () => {
      const decoded = decodePayload({ payload, facts: droid });

      assert.ok(decoded.ok);
      assert.equal(decoded.event.message, 'fertig \u00e4 \ud83c\udf89');
    });
  }

  const quarantined: readonly (readonly [string, string])[] = [
    ['', 'empty'],
    [' \r\n\t', 'empty'],
    ['\ufeff', 'empty'],
    ['null', 'not-object'],
    ['12', 'not-object'],
    ['"Stop"', 'not-object'],
    ['[{"hook_event_name":"Stop"}]', 'not-object'],
    ['{"hook_event_name":"Stop"', 'invalid-json'],
    ['{"hook_event_name":"St', 'invalid-json'],
    ['{"n":NaN,"hook_event_name":"Stop"}', 'invalid-json'],
    ['{hook_event_name:"Stop"}', 'invalid-json'],
    ['}{', 'invalid-json'],
    ['nul', 'invalid-json'],
  ];
  for (const [text, reason] of quarantined) {
    test(`${JSON.stringify(text)} is not an event: ${reason} (acceptance 020, fault 40)`, () => {
      assert.deepEqual(decode(text), { ok: false, reason, agent: 'droid' });
    });
  }

  for (const text of [
    '{}',
    '{"session_id":"s1"}',
    '{"hook_event_name":7}',
    '{"hook_event_name":null}',
    '{"payload":{"hook_event_name":"Stop"}}',
  ]) {
    test(`${text} names no event, and goes into quarantine (acceptance 011, C14)`, () => {
      const decoded = decode(text);

      assert.equal(!decoded.ok && decoded.reason, 'no-event');
    });
  }

  test('the hook may name the event of a payload that does not', () => {
    const decoded = decodePayload({ payload: Buffer.from('{}'), facts: { event: 'Stop' } });

    assert.equal(decoded.ok && decoded.event.kind, 'turn.done');
  });

  test('what follows the first value is ignored, whatever it is', () => {
    const decoded = decode('\r\n {"hook_event_name":"Stop","x":"}\\"{"}{"hook_event_name":"X"} }}');

    assert.ok(decoded.ok);
    assert.equal(decoded.event.event, 'Stop');
  });

  test('a hundred thousand nested arrays do not hide the event (P64, T15, fault 40)', () => {
    const deep = `${'['.repeat(100_000)}"]"${']'.repeat(100_000)}`;

    const decoded = decode(
      `{"tool_input":${deep},"x":[${deep}],"hook_event_name":"PermissionRequest"}`,
    );

    assert.ok(decoded.ok);
    assert.equal(decoded.event.kind, 'needs.permission');
    assert.match(decoded.event.subject ?? '', /^[0-9a-f]{64}$/);
  });

  test('a message of a million characters is cut, the event lives (fault 40)', () => {
    const decoded = decodedEvent({ hook_event_name: 'Notification', message: 'm'.repeat(1e6) });

    assert.equal(decoded.message?.length, 65_536);
  });

  test('an event of ten megabytes lives', () => {
    const content = '"\\\n'.repeat(2.5e6);

    const decoded = decodedEvent({ tool_input: { content }, hook_event_name: 'PostToolUse' });

    assert.equal(decoded.kind, 'tool.done');
  });

  test('never throws, whatever the bytes (fault 46)', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.dictionary(fc.constantFrom(...factKeys), fc.string()),
        (payload, facts) => {
          decodePayload({ payload, facts });
        },
      ),
      { numRuns: 500 },
    );
  });

  test('makes an event of every object that names one, whatever else is in it (fault 46)', () => {
    const keys = fc.oneof(
      fc.constantFrom(
        'session_id',
        'cwd',
        'message',
        'tool_input',
        'error',
        'properties',
        'agent_type',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.dictionary(keys, fc.jsonValue({ maxDepth: 3 })),
        fc.string({ minLength: 1 }),
        fc.boolean(),
        (fields, event, isSpaced) => {
          const text = JSON.stringify(
            { ...fields, hook_event_name: event },
            null,
            isSpaced ? 1 : 0,
          );
          const decoded = decode(text);

          assert.ok(decoded.ok);
          assert.equal(decoded.event.event, event);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('no cut of a payload is mistaken for a whole one', () => {
    const whole = '{"hook_event_name":"Stop","a":[1,{"b":"\\"}]"}],"c":"\u00e4"}';
    for (let end = 0; end < whole.length; end += 1) {
      assert.equal(decode(whole.slice(0, end)).ok, false, whole.slice(0, end));
    }
  });
});

describe('decodePayload() names the project (acceptance 013)', () => {
  const rows: readonly (readonly [string, string | null])[] = [
    ['/home/dev/shop', 'shop'],
    ['/home/dev/shop//', 'shop'],
    ['/home/dev/back\\slash', 'back\\slash'],
    ['C:\\Users\\dev\\shop', 'shop'],
    ['C:\\Users\\dev/shop\\', 'shop'],
    ['\\\\server\\share\\shop', 'shop'],
    ['shop', 'shop'],
    ['/', null],
    ['C:\\', null],
  ];
  for (const [cwd, project] of rows) {
    test(`${cwd} is ${project ?? 'nameless'}`, () => {
      assert.equal(decodedEvent({ hook_event_name: 'Stop', cwd }).project, project);
    });
  }
});

test('decodePayload() takes the beginning of texts that are very long, wherever an escape lies (A15)', () => {
  const unit = 'a\\"b\u263a\n';
  for (let shift = 0; shift < 12; shift += 1) {
    const message = `${'x'.repeat(shift)}${unit.repeat(100_000)}`;
    const decoded = decodePayload({
      payload: Buffer.from(JSON.stringify({ hook_event_name: 'Notification', message, cwd: '/p' })),
      facts: {},
    });

    assert.ok(decoded.ok);
    const { message: kept, cwd } = decoded.event;
    const beginning = kept?.replace(/ \(\d+ more\)$/, '') ?? '';
    assert.equal(beginning.length, 65_536);
    assert.ok(message.startsWith(beginning));
    assert.equal(cwd, '/p');
  }
});

test('decodePayload() keeps questions apart that differ behind what is parsed of them (A15)', () => {
  const many = Array<string>(90_000).fill('some text');
  const rows = [
    (end: string) => ({ content: `${'x'.repeat(400_000)}${end}` }),
    (end: string) => ({ edits: [...many, end] }),
    (end: string) => ({ edit: { ...Object.fromEntries(many.entries()), end } }),
  ];
  for (const inputOf of rows) {
    const subjects = ['one', 'two', 'one'].map((end) => {
      const { subject, sessionId } = decodedEvent({
        hook_event_name: 'PermissionRequest',
        tool_name: 'Write',
        tool_input: inputOf(end),
        session_id: 's1',
      });
      assert.equal(sessionId, 's1');
      return subject;
    });

    assert.notEqual(subjects[0], subjects[1]);
    assert.equal(subjects[0], subjects[2]);
  }
});
