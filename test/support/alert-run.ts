import type { Alert } from '../../src/core/alert.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import type { Policy, Presence } from '../../src/core/policy.ts';
import type { Effects } from '../../src/core/store.ts';
import type { Happening } from './arbitrary-stream.ts';
import { type TestSimulation, testSimulation } from './simulation.ts';

/** Many times more than any stream needs: beyond it the decisions go round in circles. */
const MOST_QUESTIONS = 20_000;

/** A stream of happenings, simulated to its very end. */
export interface AlertRun extends AsyncDisposable {
  readonly simulation: TestSimulation;
  readonly fed: readonly { readonly event: HookEvent; readonly effects: Effects }[];
  /** The live alerts after each happening, and when that was. */
  readonly moments: readonly { readonly at: number; readonly live: readonly Alert[] }[];
  /** When the person said "seen", by alert. */
  readonly seenAt: ReadonlyMap<string, number>;
}

/** @throws Error when the decisions never come to an end */
export async function runAlerts(
  policy: Policy,
  stream: readonly Happening[],
  presences: readonly Presence[],
): Promise<AlertRun> {
  let questions = 0;
  const simulation = await testSimulation({
    policy,
    presenceOf(sessionKey, at) {
      questions += 1;
      if (questions > MOST_QUESTIONS) throw new Error('The decisions never come to an end');
      const place = (Math.floor(at / 3_600_000) + sessionKey.length) % presences.length;
      return presences[place] ?? { isPresent: null, watching: null };
    },
  });
  const fed: { readonly event: HookEvent; readonly effects: Effects }[] = [];
  const moments: { readonly at: number; readonly live: readonly Alert[] }[] = [];
  const seenAt = new Map<string, number>();

  for (const happening of stream) {
    const at = happening.type === 'event' ? happening.event.receivedAt : happening.at;
    switch (happening.type) {
      case 'event':
        fed.push({ event: happening.event, effects: await feedTo(simulation, happening.event) });
        break;
      case 'seen':
        await simulation.acknowledge(happening.sessionKey, at);
        break;
      case 'mute':
        await simulation.advanceTo(at);
        await simulation.mute(happening.mute);
        break;
      case 'sleep':
        await simulation.suspendUntil(at);
        break;
    }
    const live = await simulation.liveAlerts();
    for (const { id, acknowledgedAt } of live) {
      if (acknowledgedAt !== null) seenAt.set(id, acknowledgedAt);
    }
    moments.push({ at, live });
  }
  await simulation.finish();
  return {
    simulation,
    fed,
    moments,
    seenAt,
    [Symbol.asyncDispose]: () => simulation.close(),
  };
}

async function feedTo(simulation: TestSimulation, event: HookEvent): Promise<Effects> {
  const effects = await simulation.feed(event);
  if (effects === null) throw new Error(`The event "${event.id}" occurs twice`);
  return effects;
}
