import assert from 'node:assert/strict';

import { decodePayload } from '../../src/agents/decode.ts';
import { matchesGlob } from '../../src/alerts/route.ts';
import { channelCatalog } from '../../src/channels/registry.ts';
import { parseConfig } from '../../src/config/load.ts';
import { readWishes } from '../../src/config/project-file.ts';
import { agentNames } from '../../src/core/hook-event.ts';
import { createRedactor, redactText } from '../../src/text/redact.ts';
import { parseRetryAfter } from '../../src/platform/retry.ts';
import { displayLine, displayText } from '../../src/text/sanitize.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import { parseEnvelope } from '../../src/intake/envelope.ts';
import { redactRecord } from '../../src/intake/redact-record.ts';
import { takeRelayed } from './relayed-request.ts';

/** A place where bytes of strangers come in: whatever they are, it answers, and throws only where it broke its word. */
export interface Boundary {
  readonly name: string;
  /** Bytes of the longest input that is sensible, where that is not what agents send. */
  readonly longest?: number;
  readonly take: (bytes: Buffer) => void | Promise<void>;
}

/** More than people write; larger files of projects are not read. */
const PEOPLES_FILE = 16_384;

const renderer = createRenderer();
const redactor = createRedactor({ prefixes: ['acme-'], keys: ['license'] });

export const boundaries: readonly Boundary[] = [
  {
    name: 'envelopes',
    take(bytes) {
      parseEnvelope('0'.repeat(32), bytes);
    },
  },
  ...agentNames.map((agent): Boundary => ({
    name: `payloads of ${agent}, up to the texts of their notifications`,
    take(payload) {
      const decoded = decodePayload({ payload, facts: { agent } });
      if (!decoded.ok) return;
      const event = { ...decoded.event, id: 'event-1', at: 0, receivedAt: 0 };
      const stored = redactRecord({ event, payload }, redactor);
      for (const one of [event, stored.event]) {
        const { title, body } = renderer.texts(one, null);
        assert.ok(title !== '' && body !== '' && !title.includes('\n'));
      }
    },
  })),
  { name: 'requests of other machines, up to the events in them', take: takeRelayed },
  {
    name: 'configurations',
    longest: PEOPLES_FILE,
    async take(bytes) {
      const loaded = await parseConfig(bytes.toString(), 'c.yaml', {
        catalog: channelCatalog,
      });
      assert.ok(loaded.ok || loaded.problems.length > 0);
    },
  },
  {
    name: 'files of projects',
    longest: PEOPLES_FILE,
    async take(bytes) {
      await readWishes(bytes.toString());
    },
  },
  {
    name: 'templates, matchers and Retry-After',
    take(bytes) {
      const text = bytes.toString();
      const [first = '', ...rest] = text.split('\n');
      matchesGlob(first, rest.join('\n'));
      const own = createRenderer({
        templates: { title: { default: first }, body: { default: text } },
      });
      const payload = Buffer.from(
        JSON.stringify({ hook_event_name: first || 'Stop', message: text }),
      );
      const decoded = decodePayload({ payload, facts: {} });
      assert.ok(decoded.ok);
      const texts = own.texts({ ...decoded.event, id: 'event-1', at: 0, receivedAt: 0 }, null);
      assert.ok(texts.title !== '' && texts.body !== '');
      const wait = parseRetryAfter(text, 1_700_000_000_000);
      assert.ok(wait === null || (wait >= 1_000 && wait <= 3_600_000));
    },
  },
  {
    name: 'texts to show',
    take(bytes) {
      const text = bytes.toString();
      for (const clean of [displayText, displayLine, redactText]) {
        const once = clean(text);
        assert.equal(clean(once), once);
      }
    },
  },
];
