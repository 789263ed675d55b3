import { randomUUID } from 'node:crypto';

import ntfy from '../src/channels/ntfy/index.ts';
import { permissionRequest, startAsking } from '../test/support/asking-hook.ts';
import { channelDependencies, sendContext } from '../test/support/channel-dependencies.ts';
import { hookbellHome, until } from '../test/support/hookbell-home.ts';
import { type NtfyServer, startNtfy } from '../test/support/ntfy-server.ts';
import { sampleNotification } from '../test/support/sample.ts';
import type { Benchmark, Figure } from './support/benchmark.ts';
import { interleave } from './support/interleave.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { percentile } from './support/statistics.ts';

const MESSAGES = 100;
const TAPS = 40;
/** Of a server that takes as many requests as it gets. */
const UNLIMITED = 'visitor-request-limit-burst: 100000';

/** The way to a phone and back, through a real ntfy server on the loopback: needs "ntfy-sid" in PATH. */
export const phone: Benchmark = {
  name: 'ntfy',
  async run() {
    await using server = await startNtfy('2.27', UNLIMITED);
    return [await publishing(server), await taps(server)];
  },
};

async function publishing(server: NtfyServer): Promise<Figure> {
  const options = { server: server.url, topic: 'agents', token: server.token };
  const channel = await ntfy.create(ntfy.options.parse(options), channelDependencies());
  async function publish(): Promise<number> {
    const deliveryId = randomUUID();
    const startedAt = performance.now();
    const { type } = await channel.send(
      sampleNotification({ deliveryId, groupKey: deliveryId }),
      sendContext(),
    );
    if (type !== 'delivered') throw new Error(`ntfy took no message: ${type}`);
    return performance.now() - startedAt;
  }
  const [times = [], starts = []] = await interleave([publish, nodeStart], { rounds: MESSAGES });
  await channel.close();
  return {
    name: 'ntfy: a message published, p50',
    value: percentile(times, 50),
    unit: 'ms',
    bound: 30,
    better: 'lower',
    slowness: slownessOf(starts),
    note: `p95 ${percentile(times, 95).toFixed(1)} ms, ${MESSAGES} messages`,
  };
}

/** From the request of the button, as the app sends it, until the hook has handed the answer to the agent. */
async function taps(server: NtfyServer): Promise<Figure> {
  await using home = await hookbellHome();
  await home.writeConfig(`
channels:
  phone:
    type: ntfy
    server: ${server.url}
    topic: agents
    token: { env: NTFY_TOKEN }
    answer_topic: answers
    answer_token: { env: NTFY_ANSWER_TOKEN }
    rate: { burst: 1000, every: 1ms }
routes: [{ match: { kind: needs.permission }, notify: [phone] }]
alerts: { settle: 0 }
noise: { burst: { at_once: 1000, window: 1s }, per_session: 1000, per_channel: 1000 }
`);
  home.env['NTFY_TOKEN'] = server.token;
  home.env['NTFY_ANSWER_TOKEN'] = server.answerToken;
  await home.start();
  await using phoneOfUser = await server.phone();
  async function tap(): Promise<number> {
    const session = randomUUID();
    using asking = startAsking(home, { ...permissionRequest, session_id: session });
    const seen = phoneOfUser.received.length;
    const asked = () =>
      phoneOfUser.received
        .slice(seen)
        .find(({ actions = [] }) => actions.some(({ label }) => label === 'Allow'));
    await until(() => asked() !== undefined);
    const message = asked();
    if (message === undefined) throw new Error('No message with "Allow" arrived');
    const startedAt = performance.now();
    const pressed = phoneOfUser.press('Allow', message);
    const { printed } = await asking.ended;
    const ms = performance.now() - startedAt;
    await pressed;
    if (!printed.includes('"allow"')) throw new Error(`The hook printed "${printed}"`);
    return ms;
  }
  const [times = [], starts = []] = await interleave([tap, nodeStart], { rounds: TAPS });
  return {
    name: 'ntfy: a tap on Allow until the agent has the answer, p95',
    value: percentile(times, 95),
    unit: 'ms',
    bound: 300,
    better: 'lower',
    slowness: slownessOf(starts),
    note: `p50 ${percentile(times, 50).toFixed(1)} ms, ${TAPS} taps, without the phone's network`,
  };
}

const nodeStart = (): Promise<number> => Promise.resolve(nodeStartMs());
