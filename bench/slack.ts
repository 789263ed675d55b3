import { randomUUID } from 'node:crypto';

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

/** How long the press of a button in Slack takes to reach the agent. */
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
    const [times = [], starts = []] = await interleave([press, nodeStart], { rounds: 30 });
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
    ];
  },
};
