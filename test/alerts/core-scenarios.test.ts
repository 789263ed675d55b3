import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { decodePayload } from '../../src/agents/decode.ts';
import { channelCatalog } from '../../src/channels/registry.ts';
import { parseConfig } from '../../src/config/load.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { sessionKeyOf } from '../../src/core/hook-event.ts';
import type { Policy } from '../../src/core/policy.ts';
import type { Line, Scenario } from '../support/core-scenarios.ts';
import { configOf, coreScenarios, payloadOf } from '../support/core-scenarios.ts';
import { type TestSimulation, testSimulation } from '../support/simulation.ts';
import { START } from '../support/timeline.ts';

const MINUTE = 60_000;
/** The timeline starts at noon. */
const QUIET_END = START + 60 * MINUTE;
const quietHours = '{ from: "11:00", to: "13:00", timezone: UTC }';

async function policyOf(scenario: Scenario): Promise<Policy> {
  const text = configOf(scenario, {
    unit: 'm',
    urlOf: (channel) => `http://127.0.0.1:1/${channel}`,
    quietHours: scenario.isQuiet === true ? quietHours : null,
  });
  const loaded = await parseConfig(text, 'config.yaml', { catalog: channelCatalog });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.config.policy;
}

function eventOf(line: Line, id: string, at: number): HookEvent {
  const payload = Buffer.from(JSON.stringify(payloadOf(line)));
  const decoded = decodePayload({ payload, facts: { agent: 'claude' } });
  assert.ok(decoded.ok);
  return { ...decoded.event, id, at, receivedAt: at };
}

/** The story on a clock that goes on when a line waits for something, and by 1 ms a line. */
async function play(lines: readonly Line[], simulation: TestSimulation): Promise<void> {
  let now = START;
  let since = START;
  let heard = 0;
  const rings = () => simulation.sent().filter(({ channel }) => channel !== 'inbox');
  for (const [index, line] of lines.entries()) {
    switch (line.type) {
      case 'asks':
      case 'goes on':
        now += 1;
        since = now;
        await simulation.feed(eventOf(line, `event-${index}`, now));
        break;
      case 'is seen':
        await simulation.acknowledge(sessionKeyOf('claude', line.session, null), now);
        break;
      case 'quiet hours end':
        now = QUIET_END;
        since = now;
        await simulation.advanceTo(now);
        break;
      case 'rings': {
        const { channel, after, more } = line;
        while (rings().length === heard && now < since + 10 * MINUTE) {
          now += 1_000;
          await simulation.advanceTo(now);
        }
        const told = rings()[heard];
        assert.deepEqual([told?.channel, told?.also.length], [channel, more], `line ${index}`);
        assert.ok((told?.at ?? 0) >= since - 10 + after * MINUTE, `line ${index}: too early`);
        heard += 1;
        break;
      }
      case 'silence':
        now += 120 * MINUTE;
        await simulation.advanceTo(now);
        assert.deepEqual(rings().slice(heard), [], `line ${index}`);
        break;
      case 'no session waits':
        assert.deepEqual(await simulation.liveAlerts(), [], `line ${index}`);
        break;
    }
  }
}

describe('on a simulated clock, with minutes', () => {
  for (const scenario of coreScenarios) {
    test(scenario.name, async () => {
      await using simulation = await testSimulation({ policy: await policyOf(scenario) });
      await play(scenario.lines, simulation);
    });
  }
});
