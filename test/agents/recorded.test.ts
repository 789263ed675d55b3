import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';

import { z } from 'zod';

import { decodePayload } from '../../src/agents/decode.ts';
import { kinds } from '../../src/core/hook-event.ts';
import { liveAgents } from '../agents-live/agents.ts';

/** Written by `npm run test:agents -- --record`. */
const directory = new URL('../../../test/fixtures/recorded/', import.meta.url);

const Head = z.strictObject({
  agent: z.string(),
  npm: z.string(),
  version: z.string(),
  recorded: z.iso.date(),
});
const Recorded = z.strictObject({
  row: z.string().nullable(),
  event: z.string(),
  kind: z.enum(kinds),
  facts: z.record(z.string(), z.string()),
  payload: z.record(z.string(), z.unknown()),
});

describe('decodePayload() on what the pinned versions of agents sent', () => {
  test('there is a record of each pinned version, and of no other', () => {
    const wanted = liveAgents.map(({ agent, version }) => `${agent}-${version}.jsonl`);
    assert.deepEqual(readdirSync(directory).toSorted(), wanted.toSorted());
  });

  for (const file of readdirSync(directory)) {
    const [first, ...lines] = linesOf(file);
    const { agent, npm, version } = Head.parse(first);

    test(`${file} is of the pinned version`, () => {
      const pinned = liveAgents.find((one) => one.agent === agent);
      assert.deepEqual({ npm, version }, { npm: pinned?.npm, version: pinned?.version });
      assert.equal(file, `${agent}-${version}.jsonl`);
    });

    test(`${file}: the result of a call is about the same as the request for it`, () => {
      const events = lines.flatMap((line) => {
        const { facts, payload } = Recorded.parse(line);
        const decoded = decodePayload({ payload: Buffer.from(JSON.stringify(payload)), facts });
        return decoded.ok ? [decoded.event] : [];
      });
      const pairs = events.flatMap((request, at) => {
        const isRequest = request.event === 'PermissionRequest' && request.asked?.action === 'run';
        const isOpenCodes = request.event === 'permission.asked';
        const result = events.slice(at + 1).find(({ kind }) => kind === 'tool.done');
        return (isRequest || isOpenCodes) && result !== undefined ? [{ request, result }] : [];
      });
      const asks = ['claude', 'codex', 'qwen', 'opencode', 'kimi', 'kilo'].includes(agent);
      assert.equal(pairs.length > 0, asks);
      for (const { request, result } of pairs) assert.equal(result.subject, request.subject);
    });

    for (const [at, line] of lines.entries()) {
      const { row, event, kind, facts, payload } = Recorded.parse(line);
      test(`${file}, line ${at + 2}: ${event} in "${row}" is ${kind}`, () => {
        const decoded = decodePayload({ payload: Buffer.from(JSON.stringify(payload)), facts });

        assert.ok(decoded.ok);
        const { event: found } = decoded;
        assert.deepEqual(
          { agent: found.agent, event: found.event, kind: found.kind },
          { agent, event, kind },
        );
        assert.equal(typeof found.sessionId, 'string');
      });
    }
  }
});

function linesOf(file: string): readonly unknown[] {
  const text = readFileSync(new URL(file, directory), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}
