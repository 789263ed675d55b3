import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { decodePayload } from '../../src/agents/decode.ts';
import { displayText } from '../../src/text/sanitize.ts';
import { expectedPayloads, factsFor, readPayloadFixture } from '../support/payload-fixtures.ts';
import type { Expected } from '../support/payload-fixtures.ts';

describe('decodePayload() on recorded payloads (acceptance 002-018, agents.md sections 2-4)', () => {
  const rows = expectedPayloads();

  test('the oracle is all there', () => {
    assert.ok(rows.length >= 80, `only ${rows.length} rows`);
  });

  for (const row of rows) {
    test(`${row.file}: ${row.agent} ${row.event ?? '-'} is ${row.kind ?? row.reason}`, () => {
      const decoded = decodePayload({
        payload: readPayloadFixture(row.file),
        facts: factsFor(row),
      });

      if (!decoded.ok) {
        assert.deepEqual(decoded, { ok: false, reason: row.reason, agent: row.agent });
        return;
      }
      const { agent, event, kind, sessionId, cwd, message, tool } = decoded.event;
      assert.deepEqual(
        { valid: true, agent, event, kind, sessionId, cwd, message: cleaned(message) },
        { ...wanted(row), message: cleaned(row.message) },
      );
      if (row.tool !== null) assert.equal(tool, row.tool);
      assertDisplay(displayText(message ?? ''), row);
    });
  }
});

function wanted({ valid, agent, event, kind, sessionId, cwd }: Expected) {
  return { valid, agent, event, kind, sessionId, cwd };
}

function cleaned(text: string | null): string | null {
  return text === null ? null : displayText(text);
}

function assertDisplay(shown: string, { display }: Expected): void {
  if (display?.mustNotMatch !== undefined) {
    assert.doesNotMatch(shown, new RegExp(display.mustNotMatch));
  }
  for (const part of display?.mustContain ?? []) assert.ok(shown.includes(part), part);
}
