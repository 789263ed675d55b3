import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import type { Outcome } from '../../src/core/outcome.ts';
import type { HttpEndpoint } from '../support/http-endpoint.ts';
import { sampleNotification } from '../support/sample.ts';
import type { ScriptedAnswer } from '../support/scripted-answer.ts';
import type { Stage } from './conformance.ts';
import { seededSecret, send } from './conformance.ts';

/** A stage whose far side is an HTTP endpoint. */
export interface HttpStage extends Stage {
  readonly endpoint: HttpEndpoint;
}

/** The class of each status that is not the class of its hundred. */
const exceptions: Readonly<Record<number, string>> = {
  401: 'broken',
  407: 'retry',
  408: 'retry',
  410: 'broken',
  425: 'retry',
  429: 'retry',
};
const hundreds = ['', 'retry', 'delivered', 'failed', 'failed', 'retry'];

/**
 * The contract of channels that speak HTTP, on top of `channelConformance`: classes of statuses, Retry-After, and far
 * sides that break, drip and flood.
 *
 * @param classes statuses the channel treats in its own way, over the table above
 */
export function httpConformance(
  type: string,
  open: () => Promise<HttpStage>,
  classes: Readonly<Record<number, string>> = {},
): void {
  describe(`${type}: the contract of an HTTP channel`, { timeout: 60_000 }, () => {
    test(`${type}: every status from 100 to 599 has its class (fault 31)`, async () => {
      await using stage = await open();

      for (let status = 100; status < 600; status += 1) {
        const outcome = await answered(stage, { status, body: status === 200 ? 'ok' : '' });

        const wanted = classes[status] ?? exceptions[status] ?? hundreds[Math.floor(status / 100)];
        assert.equal(classOf(outcome), wanted, `${status} gave ${inspect(outcome)}`);
      }
    });

    const waits: readonly (readonly [header: string, afterMs: number | undefined])[] = [
      ['7', 7_000],
      ['0', 1_000],
      ['99999', 3_600_000],
      ['Tue, 14 Nov 2023 22:13:50 GMT', 30_000],
      ['-1', undefined],
      ['abc', undefined],
      ['', undefined],
    ];
    for (const [header, afterMs] of waits) {
      test(`${type}: a 429 with Retry-After "${header}" asks for ${afterMs ?? 'no certain'} ms (P30, faults 28, 29)`, async () => {
        await using stage = await open();

        const outcome = await answered(stage, { status: 429, headers: { 'retry-after': header } });

        assert.equal(outcome.type, 'retry');
        assert.equal(outcome.type === 'retry' && outcome.afterMs, afterMs);
      });
    }

    test(`${type}: a redirect is not followed (P34, T10)`, async () => {
      await using stage = await open();
      const { endpoint } = stage;
      const location = `${endpoint.url}/elsewhere`;

      for (const status of [301, 302, 303, 307, 308]) {
        const outcome = await answered(stage, { status, headers: { location } });

        assert.equal(outcome.type, 'failed');
        assert.match(outcome.type === 'failed' ? outcome.reason : '', /redirects are not followed/);
      }
      assert.equal(endpoint.requests.length, 5);
    });

    test(`${type}: a broken connection is tried again as a possible duplicate (fault 33)`, async () => {
      await using stage = await open();

      const outcome = await answered(stage, 'reset');

      assert.equal(outcome.type, 'retry');
      assert.equal(outcome.type === 'retry' && outcome.possibleDuplicate, true);
      assertSilent(outcome, stage);
    });

    test(`${type}: a refused connection is tried again, and is not a possible duplicate (fault 33)`, async () => {
      const stage = await open();
      // Only the server goes: the channel finds its port closed.
      await stage.endpoint[Symbol.asyncDispose]();

      const outcome = await send(stage, sampleNotification());

      assert.equal(outcome.type, 'retry');
      assert.equal(outcome.type === 'retry' && outcome.possibleDuplicate, undefined);
      assert.match(outcome.type === 'retry' ? outcome.reason : '', /connection refused/);
      assertSilent(outcome, stage);
      await stage.channel.close();
    });

    test(`${type}: an endless answer is not read to its end, and its connection is closed (P33, fault 33)`, async () => {
      await using stage = await open();
      const all = 1_000_000_000;

      await answered(stage, { status: 200, flood: all });

      await stage.endpoint.untilDisconnected();
      assert.ok(
        stage.endpoint.flooded() < all / 10,
        `${stage.endpoint.flooded()} bytes were taken`,
      );
    });
  });
}

/** The outcome of one send to which the endpoint gives this answer. */
export function answered(stage: HttpStage, answer: ScriptedAnswer): Promise<Outcome> {
  stage.endpoint.answer(answer);
  return send(stage, sampleNotification());
}

function classOf(outcome: Outcome): string {
  return outcome.type === 'failed' && outcome.channelBroken === true ? 'broken' : outcome.type;
}

/** Reasons are shown and logged: neither the secret nor the address may be in them. */
function assertSilent(outcome: Outcome, { endpoint }: HttpStage): void {
  const seen = inspect(outcome);
  assert.equal(seen.includes(seededSecret), false, seen);
  assert.equal(seen.includes(String(endpoint.port)), false, seen);
}
