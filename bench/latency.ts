import { randomUUID } from 'node:crypto';
import { readdirSync, watch } from 'node:fs';

import type { HookbellHome } from '../test/support/hookbell-home.ts';
import { hookbellHome } from '../test/support/hookbell-home.ts';
import { startNotificationServer } from '../test/support/notification-server.ts';
import type { Benchmark } from './support/benchmark.ts';
import { interleave } from './support/interleave.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { percentile } from './support/statistics.ts';

const COMMITTED = 'hook start to event committed';

const SETTLE_MS = 700;
const SETTLING_ROUNDS = 15;

/**
 * How long an event is on its way with a warm daemon: to the database, and to a real notification server. The first two are of
 * events that do not settle.
 */
export const latency: Benchmark = {
  name: 'latency',
  async run() {
    await using server = await startNotificationServer();
    await using place = await hookbellHome();
    place.env['DBUS_SESSION_BUS_ADDRESS'] = server.address;
    // What keeps a storm of pop-ups from people would make most of these wait.
    await place.writeConfig(
      `channels: { desktop: { type: desktop, rate: { burst: 1000, every: 1ms } } }
noise: { burst: { at_once: 1000, window: 1ms }, per_channel: 1000 }
alerts: { settle: ${SETTLE_MS}ms }
`,
    );
    await place.start();

    async function toDesktop(): Promise<number> {
      const startedAt = performance.now();
      const shown = server.nextCall().then(() => performance.now() - startedAt);
      await callHook(place, { hook_event_name: 'Notification', message: 'Needs you' });
      return shown;
    }
    const [committed = [], shown = [], starts = []] = await interleave(
      [() => toDatabase(place), toDesktop, () => nodeStartMs()],
      { rounds: 60 },
    );
    async function settled(): Promise<number> {
      const startedAt = performance.now();
      const late = server.nextCall().then(() => performance.now() - startedAt - SETTLE_MS);
      await callHook(place, { hook_event_name: 'PermissionRequest', tool_name: 'Bash' });
      return late;
    }
    const [beyond = []] = await interleave([settled], { rounds: SETTLING_ROUNDS });
    const bounds = [
      { name: `${COMMITTED}, p50`, values: committed, percent: 50, bound: 10 },
      { name: `${COMMITTED}, p95`, values: committed, percent: 95, bound: 25 },
      { name: 'hook start to desktop server, p50', values: shown, percent: 50, bound: 40 },
      { name: 'the same beyond a settle time of 700 ms', values: beyond, percent: 50, bound: 60 },
    ];
    return bounds.map(({ values, percent, ...figure }) => ({
      ...figure,
      value: percentile(values, percent),
      unit: 'ms',
      better: 'lower',
      slowness: slownessOf(starts, percent),
      note: `node -e 0 meanwhile: ${percentile(starts, percent).toFixed(1)} ms`,
    }));
  },
};

/** The envelope leaves the spool right after its event is on disk. */
async function toDatabase(place: HookbellHome): Promise<number> {
  const { spool } = place.paths;
  const watcher = watch(spool);
  const startedAt = performance.now();
  const committed = new Promise<number>((resolve) => {
    watcher.on('change', () => {
      if (readdirSync(spool).length === 0) resolve(performance.now() - startedAt);
    });
  });
  await callHook(place, { hook_event_name: 'PostToolUse', tool_name: 'Bash' });
  const ms = await committed;
  watcher.close();
  return ms;
}

/** A new session each time, so that no event repeats or answers another. */
async function callHook(place: HookbellHome, payload: object): Promise<void> {
  const { code } = await place.hook({
    session_id: randomUUID(),
    cwd: '/home/dev/shop',
    ...payload,
  });
  if (code !== 0) throw new Error(`The hook ended with status ${code}`);
}
