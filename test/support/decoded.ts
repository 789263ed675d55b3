import assert from 'node:assert/strict';

import type { DecodedEvent } from '../../src/agents/decode.ts';
import { decodePayload } from '../../src/agents/decode.ts';
import type { HookFacts } from '../../src/core/facts.ts';

/** The event that a payload (its fields, its JSON text or its bytes) becomes; throws where it becomes none. */
export function decodedEvent(
  payload: object | string | Uint8Array,
  facts: HookFacts = {},
): DecodedEvent {
  const decoded = decodePayload({ payload: bytesOf(payload), facts });
  if (!decoded.ok) throw new Error(`Not decoded: ${decoded.reason}`);
  return decoded.event;
}

function bytesOf(payload: object | string | Uint8Array): Uint8Array {
  if (payload instanceof Uint8Array) return payload;
  return Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
}

/** What a row of a table says about one payload. */
export interface MeaningRow {
  readonly name: string;
  readonly payload: object | string;
  readonly facts?: HookFacts;
  /** The fields of the event the row is about. */
  readonly wanted: Partial<DecodedEvent>;
}

export function assertMeaning({ payload, facts, wanted }: MeaningRow): void {
  const decoded = decodedEvent(payload, facts);
  const seen = Object.entries(decoded).filter(([key]) => Object.hasOwn(wanted, key));
  assert.deepEqual(Object.fromEntries(seen), wanted);
}
