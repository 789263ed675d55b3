import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Line, Scenario } from '../support/core-scenarios.ts';
import { configOf, coreScenarios, payloadOf } from '../support/core-scenarios.ts';
import type { HookbellHome } from '../support/hookbell-home.ts';
import { hookbellHome, until } from '../support/hookbell-home.ts';
import type { HttpEndpoint } from '../support/http-endpoint.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';

const SECOND = 1_000;
/** The clock of the daemon and the one of this test round differently. */
const ROUNDING_MS = 20;

const hour = new Date().getUTCHours();
const quietHours = `{ from: "${(hour + 23) % 24}:00", to: "${(hour + 2) % 24}:00", timezone: UTC }`;

interface Stage {
  readonly place: HookbellHome;
  readonly endpoint: HttpEndpoint;
  configure(quiet: string | null): Promise<void>;
}

async function untilCommitted({ place }: Stage, before: number): Promise<void> {
  await until(async () => (await place.ask('GET /v1/status')).events > before);
}

/** The story in real time; a line waits as long as it takes, and nothing may come too early. */
async function play(lines: readonly Line[], stage: Stage): Promise<void> {
  const { place, endpoint } = stage;
  let since = performance.now();
  let heard = 0;
  for (const [index, line] of lines.entries()) {
    switch (line.type) {
      case 'asks':
      case 'goes on': {
        const { events } = await place.ask('GET /v1/status');
        since = performance.now();
        await place.hook(payloadOf(line), ['claude']);
        await untilCommitted(stage, events);
        break;
      }
      case 'is seen':
        await place.ask('POST /v1/ack', { body: { session: line.session } });
        break;
      case 'quiet hours end':
        since = performance.now();
        await stage.configure(null);
        break;
      case 'rings': {
        const { channel, after, more } = line;
        await until(() => endpoint.requests.length > heard);
        const { path, body, at } = endpoint.requests[heard] ?? { path: '', body: '', at: 0 };
        const others = Number(/· and (\d+) (?:more|other)/.exec(body)?.[1] ?? 0);
        assert.deepEqual([path, others], [`/${channel}`, more], `line ${index}`);
        assert.ok(at >= since - ROUNDING_MS + after * SECOND, `line ${index}: too early`);
        heard += 1;
        break;
      }
      case 'silence':
        await until(async () => (await place.ask('GET /v1/status')).deliveries.pending === 0);
        assert.equal(endpoint.requests.length, heard, `line ${index}`);
        break;
      case 'no session waits':
        await until(async () => (await place.ask('GET /v1/alerts')).length === 0);
        break;
    }
  }
}

async function run(scenario: Scenario): Promise<void> {
  await using endpoint = await openHttpEndpoint();
  await using place = await hookbellHome();
  const configure = (quiet: string | null): Promise<void> =>
    place.writeConfig(
      configOf(scenario, {
        unit: 's',
        urlOf: (channel) => `${endpoint.url}/${channel}`,
        quietHours: quiet,
      }),
    );
  await configure(scenario.isQuiet === true ? quietHours : null);
  await place.start();

  await play(scenario.lines, { place, endpoint, configure });
}

describe('with real processes and seconds', { concurrency: 3 }, () => {
  for (const scenario of coreScenarios) test(scenario.name, () => run(scenario));
});
