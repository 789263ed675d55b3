import { pollUntil } from '../../platform/time.ts';
import type { EventDeliveryView, EventView } from '../../control/contract.ts';
import { durationText } from '../../text/duration.ts';
import { FailedError } from '../../platform/errors.ts';
import type { Cast, Project } from './cast.ts';
import type { Heard, DemoStage } from './stage.ts';

/** Finds messages to the channels and the daemon's reasons for them; each one is found once. */
export interface Witness {
  /** @throws FailedError with `what` and the reason if it is not found in time */
  readonly look: <Found>(
    what: string,
    find: () => Promise<Found | null>,
    reason?: () => Promise<string | null>,
  ) => Promise<Found>;
  /** Waits for a message to a channel. */
  readonly hear: (
    what: string,
    isIt: (heard: Heard) => boolean,
    reason?: () => Promise<string | null>,
  ) => Promise<Heard>;
  /** Messages that no step has waited for. */
  readonly unheard: () => Promise<readonly Heard[]>;
  /** The events of a project, oldest first. */
  readonly eventsOf: (project: Project) => Promise<readonly EventView[]>;
  /** The oldest delivery of a project on a channel that is in this state and was not found before. */
  readonly delivery: (
    channel: string,
    project: Project,
    state: EventDeliveryView['state'],
  ) => Promise<{ readonly event: EventView; readonly delivery: EventDeliveryView } | null>;
  /** The daemon's reason for a missing message. */
  readonly reasonOf: (channel: string, project: Project) => Promise<string | null>;
}

/** @param patienceMs timeout of each wait */
export function createWitness(
  stage: DemoStage,
  {
    cast,
    patienceMs,
    interrupted,
  }: { readonly cast: Cast; readonly patienceMs: number; readonly interrupted: AbortSignal },
): Witness {
  const seen = new Set<string>();
  const explained = new Set<string>();

  async function look<Found>(
    what: string,
    find: () => Promise<Found | null>,
    reason: () => Promise<string | null> = () => Promise.resolve(null),
  ): Promise<Found> {
    const found = await pollUntil(() => {
      interrupted.throwIfAborted();
      return find();
    }, patienceMs);
    if (found !== null) return found;
    const why = await reason();
    throw failure(why === null ? what : `${what}: ${why}`);
  }

  /** Messages that were not expected yet, each with a unique name. */
  async function unseen(): Promise<readonly (Heard & { readonly name: string })[]> {
    const counts = { desktop: 0, team: 0 };
    return (await stage.heard())
      .map((heard) => {
        counts[heard.channel] += 1;
        return { ...heard, name: `${heard.channel} ${counts[heard.channel]}` };
      })
      .filter(({ name }) => !seen.has(name));
  }

  async function hear(
    what: string,
    isIt: (heard: Heard) => boolean,
    reason?: () => Promise<string | null>,
  ): Promise<Heard> {
    const heard = await look(what, async () => (await unseen()).find(isIt) ?? null, reason);
    seen.add(heard.name);
    return heard;
  }

  async function eventsOf(project: Project): Promise<readonly EventView[]> {
    const session = cast(project).sessionId;
    const history = await stage.ask('GET /v1/history', { query: { session, limit: '50' } });
    const events = history.map(({ eventId }) => stage.ask('GET /v1/events', { part: eventId }));
    return (await Promise.all(events)).toReversed();
  }

  async function delivery(
    channel: string,
    project: Project,
    state: EventDeliveryView['state'],
  ): Promise<{ readonly event: EventView; readonly delivery: EventDeliveryView } | null> {
    for (const event of await eventsOf(project)) {
      const found = event.deliveries.find(
        (one) => one.channel === channel && one.state === state && !explained.has(one.id),
      );
      if (found === undefined) continue;
      explained.add(found.id);
      return { event, delivery: found };
    }
    return null;
  }

  async function reasonOf(channel: string, project: Project): Promise<string | null> {
    const deliveries = (await eventsOf(project)).flatMap((event) => event.deliveries);
    return deliveries.findLast((one) => one.channel === channel)?.reason ?? null;
  }

  return { look, hear, unheard: unseen, eventsOf, delivery, reasonOf };
}

/** Makes the error of a failed demo. */
export function failure(what: string): FailedError {
  return new FailedError(`The demo failed: ${what}`, {
    hint: 'Run it again with --keep and see the daemon log',
  });
}

/** Why a channel notified, as the daemon recorded it: its route, the time that passed, or why it was held. */
export function reasonOfRing(event: EventView, { step, dueAt }: EventDeliveryView): string {
  const held = event.decisions.findLast(({ stage }) => stage === 'throttle');
  if (held !== undefined) return held.reason;
  if (step === 0) return event.decisions.find(({ stage }) => stage === 'route')?.reason ?? '';
  const waited = durationText(Date.parse(dueAt) - Date.parse(event.at));
  return `Step ${step + 1} of the plan: no reaction within ${waited}`;
}

/** Null until the service has been asked. */
export function reasonOfHold({ decisions }: EventView, channel: string): string | null {
  const isHold = /^The session still runs: /;
  return (
    decisions.find(({ reason }) => isHold.test(reason) && reason.includes(`"${channel}"`))
      ?.reason ?? null
  );
}

export function reasonOfSilence({ reason }: EventDeliveryView): string {
  return reason ?? '';
}

/** Why the pop-up of a session was withdrawn: what its latest event ended. */
export function reasonOfWithdrawal(events: readonly EventView[]): string {
  const decisions = events.flatMap((event) => event.decisions);
  return decisions.findLast(({ stage }) => stage === 'resolve')?.reason ?? '';
}
