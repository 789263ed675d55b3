import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { permissionRequest, startAsking } from '../test/support/asking-hook.ts';
import { fakeTokens, startFakeSlack } from '../test/support/fake-slack.ts';
import { hookbellHome, until } from '../test/support/hookbell-home.ts';
import type { Benchmark } from './support/benchmark.ts';
import { interleave } from './support/interleave.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { percentile } from './support/statistics.ts';

/** Each way of the simulated network, ms. */
const NETWORK_MS = 50;

const nodeStart = (): Promise<number> => Promise.resolve(nodeStartMs());

/** How long the press of a button in Slack takes to reach the agent, and a connection to open again. */
export const slack: Benchmark = {
  name: 'slack',
  async run() {
    await using service = await startFakeSlack({ networkMs: NETWORK_MS });
    await using home = await hookbellHome();
    await home.writeConfig(`
channels:
  team:
    type: slack
    server: ${service.server}
    bot_token: ${fakeTokens.bot}
    app_token: ${fakeTokens.app}
    to: C0TEAM
    members: ['T0FAKE:U0ADA']
    rate: { burst: 1000, every: 1ms }
noise: { burst: { at_once: 1000, window: 1ms }, per_channel: 1000 }
routes: [{ match: {}, notify: [team] }]
alerts: { settle: 0 }
`);
    await home.start();
    async function press(): Promise<number> {
      const before = service.posts.length;
      using asking = startAsking(home, { ...permissionRequest, session_id: randomUUID() });
      await until(() => service.posts.length === before + 2);
      const post = service.posts[before + 1];
      if (post === undefined) throw new Error('Nothing was posted');
      const startedAt = performance.now();
      await service.press(post, 'allow');
      const { printed } = await asking.ended;
      if (!printed.includes('"allow"')) throw new Error(`The hook printed "${printed}"`);
      return performance.now() - startedAt;
    }
    /** From the end of the connection until the next one is open, ms. */
    async function reconnect(): Promise<number> {
      await until(() => service.connections() === 1);
      const startedAt = performance.now();
      service.disconnect('cut');
      for (const count of [0, 1]) while (service.connections() !== count) await delay(1);
      return performance.now() - startedAt;
    }
    const [times = [], starts = []] = await interleave([press, nodeStart], { rounds: 30 });
    const reconnects: number[] = [];
    for (let count = 0; count < 20; count += 1) reconnects.push(await reconnect());
    return [
      {
        name: `button in Slack until the agent has the answer, ${NETWORK_MS} ms of network each way, p50`,
        value: percentile(times, 50),
        unit: 'ms',
        bound: 400,
        better: 'lower',
        slowness: slownessOf(starts),
        note: `${times.length} presses, p95 ${percentile(times, 95).toFixed(0)} ms`,
      },
      {
        name: `connection to Slack that was cut, until the next one, ${NETWORK_MS} ms of network each way, p95`,
        value: percentile(reconnects, 95),
        unit: 'ms',
        bound: 2_000,
        better: 'lower',
        slowness: slownessOf(starts),
        note: `p50 ${percentile(reconnects, 50).toFixed(0)} ms of ${reconnects.length}`,
      },
    ];
  },
};
