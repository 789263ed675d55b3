import { type HookbellHome, until } from '../../test/support/hookbell-home.ts';
import { hubHomes } from '../../test/support/hub-homes.ts';
import type { Figure } from '../support/benchmark.ts';
import { median } from '../support/statistics.ts';

const MACHINES = 20;
/** Events of each machine, before the outage and during it. */
const EVENTS = 15;

/** The database is away while real machines with their daemons work. */
export async function outage(slowness: number): Promise<readonly Figure[]> {
  await using team = await hubHomes();
  for (const place of team.hubs) await place.start();
  const machines: HookbellHome[] = [];
  for (let index = 0; index < MACHINES; index += 1) {
    machines.push(await team.machine(`m${index}`, `p${index}@example.com`));
  }
  const handedIn: string[] = [];

  /** Hooks of all machines, one after the other; how long each took. */
  async function work(name: string): Promise<readonly number[]> {
    const tookMs: number[] = [];
    for (let count = 0; count < EVENTS; count += 1) {
      for (const [index, machine] of machines.entries()) {
        const claim = `${name}-${index}-${count}`;
        const startedAt = performance.now();
        const { code } = await machine.hook({
          hook_event_name: 'Notification',
          session_id: claim,
          message: claim,
          cwd: '/home/dev/shop',
        });
        tookMs.push(performance.now() - startedAt);
        if (code !== 0) throw new Error(`The hook ended with ${code}`);
        handedIn.push(claim);
      }
    }
    return tookMs;
  }
  async function missing(): Promise<number> {
    const arrived = new Set((await team.lines()).map(({ sessionId }) => sessionId));
    return handedIn.filter((claim) => !arrived.has(claim)).length;
  }
  async function waiting(): Promise<number> {
    const states = await Promise.all(machines.map((machine) => machine.ask('GET /v1/status')));
    return states.reduce((sum, { relay }) => sum + (relay?.waiting ?? 0), 0);
  }

  const before = await work('before');
  await until(async () => (await missing()) === 0, 120_000);
  await team.postgres.kill();
  const during = await work('during');
  await until(async () => (await waiting()) === MACHINES * EVENTS, 120_000);
  await team.postgres.start();
  const backAt = performance.now();
  await until(async () => (await missing()) === 0, 120_000).catch(() => {});
  const drainedSeconds = (performance.now() - backAt) / 1_000;
  const lost = await missing();
  const scene = `${MACHINES} machines with their daemons, ${MACHINES * EVENTS} events while the database was away`;
  return [
    {
      name: 'hub, lost after an outage of the database',
      value: lost,
      unit: '',
      bound: 0,
      better: 'lower',
      note: `${scene}, ${await waiting()} still wait on machines`,
    },
    {
      name: 'hub, hooks during the outage to hooks before it, p50',
      value: median(during) / median(before),
      unit: '×',
      bound: 1.25,
      better: 'lower',
      note: `${median(during).toFixed(1)} to ${median(before).toFixed(1)} ms`,
    },
    {
      name: 'hub, from the end of the outage until the last message is sent',
      value: drainedSeconds,
      unit: 's',
      // The longest pause of a machine, and the start of the processes.
      bound: 35,
      better: 'lower',
      slowness,
      note: scene,
    },
  ];
}
