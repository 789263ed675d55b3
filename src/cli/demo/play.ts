import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { EventDeliveryView, EventView } from '../../control/contract.ts';
import { FailedError } from '../../platform/errors.ts';
import { pollUntil } from '../../platform/time.ts';
import { durationText } from '../../text/duration.ts';
import type { DemoStage } from './stage.ts';

/** How late an expected message may be, beyond the escalation, ms. */
const PATIENCE_MS = 10_000;

/** Something that happened in the demo. */
export interface Entry {
  /** From the beginning of the demo, ms. */
  readonly atMs: number;
  /** Title of the scene. */
  readonly scene: string;
  /**
   * `hook`: an agent's hook ran. `you`: what the person did. `daemon`: it started or was killed. `sent`: a message.
   * `cancelled`: a message that a decision prevented. `closed`: an alert is over.
   */
  readonly type: 'hook' | 'you' | 'daemon' | 'sent' | 'cancelled' | 'closed';
  readonly project: string | null;
  readonly channel: string | null;
  readonly what: string;
  /** The daemon's reason; null without a decision. */
  readonly why: string | null;
  /** Process id of the daemon, in entries about it. */
  readonly pid: number | null;
}

/** What a scene can do, and what it expects: everything expected is found once, and a missing one ends the demo. */
export type Play = ReturnType<typeof createPlay>;

interface PlayOptions {
  readonly escalationMs: number;
  readonly burstMs: number;
  readonly interrupted: AbortSignal;
  readonly show: (entry: Entry) => void;
}

export function createPlay(stage: DemoStage, options: PlayOptions) {
  const { escalationMs, burstMs, interrupted, show } = options;
  const startedAt = performance.now();
  const sessions = new Map<string, string>();
  const reported = new Set<string>();
  let scene = '';

  function report(entry: Pick<Entry, 'type' | 'what'> & Partial<Entry>): void {
    const atMs = Math.round(performance.now() - startedAt);
    show({ atMs, scene, project: null, channel: null, why: null, pid: null, ...entry });
  }

  function sessionOf(project: string): string {
    const session = sessions.get(project) ?? randomUUID();
    sessions.set(project, session);
    return session;
  }

  /** The events of a project, oldest first. */
  async function eventsOf(project: string): Promise<readonly EventView[]> {
    const query = { session: sessionOf(project), limit: '50' };
    const history = await stage.ask('GET /v1/history', { query });
    const events = history.map(({ eventId }) => stage.ask('GET /v1/events', { part: eventId }));
    return (await Promise.all(events)).toReversed();
  }

  async function expect<Result>(
    find: () => Promise<Result | null>,
    missing: () => Promise<string>,
  ): Promise<Result> {
    const found = await pollUntil(() => {
      interrupted.throwIfAborted();
      return find();
    }, PATIENCE_MS + escalationMs);
    if (found !== null) return found;
    const hint = 'Run it again with --keep and see the daemon log';
    throw new FailedError(`The demo failed: ${await missing()}`, { hint });
  }

  /** The oldest delivery of a project on a channel in this state that was not reported yet. */
  function delivery(channel: string, project: string, state: EventDeliveryView['state']) {
    return expect(
      async () => {
        for (const event of await eventsOf(project)) {
          const found = event.deliveries.find(
            (one) => one.channel === channel && stateOf(one) === state && !reported.has(one.id),
          );
          if (found === undefined) continue;
          reported.add(found.id);
          return { event, delivery: found };
        }
        return null;
      },
      async () => {
        const all = (await eventsOf(project)).flatMap(({ deliveries }) => deliveries);
        const reason = all.findLast((one) => one.channel === channel)?.reason ?? null;
        const what = `the message to "${channel}" for "${project}" was not ${state}`;
        return reason === null ? what : `${what}: ${reason}`;
      },
    );
  }

  /** Waits until the next notification is not part of a burst. */
  const pause = () => delay(burstMs + 50, undefined, { signal: interrupted });

  return {
    pause,
    scene: async (title: string) => {
      await pause();
      scene = title;
    },
    /** The hook of the agent in a project runs. */
    hook: async (project: string, what: string, payload: Readonly<Record<string, unknown>>) => {
      interrupted.throwIfAborted();
      const session = sessionOf(project);
      await stage.runHook('claude', {
        session_id: session,
        cwd: join(stage.home, 'work', project),
        transcript_path: join(stage.home, '.claude', 'sessions', `${session}.jsonl`),
        ...payload,
      });
      report({ type: 'hook', project, what: `Claude Code in "${project}" ${what}` });
    },
    /** Expects one message on the channel for all these projects. */
    sent: async (channel: string, projects: readonly string[]) => {
      const all = await Promise.all(projects.map((one) => delivery(channel, one, 'sent')));
      const lead = all.find((one) => one.delivery.sentWith === null) ?? all[0];
      if (lead === undefined) return;
      const { event } = lead;
      const others = all.filter((one) => one !== lead).map((one) => one.event.project);
      const together = others.length === 0 ? '' : ` (with ${others.join(' and ')})`;
      const text = event.body.trim().replaceAll('\n', ' · ');
      const what = `${event.title}${together}${text === '' ? '' : `: ${text}`}`;
      const why = reasonOfMessage(event, lead.delivery);
      report({ type: 'sent', project: event.project, channel, what, why });
    },
    /** Expects that a later message on the channel is cancelled. */
    cancelled: async (channel: string, project: string) => {
      const found = await delivery(channel, project, 'cancelled');
      const why = found.delivery.reason;
      report({ type: 'cancelled', project, channel, what: found.event.title, why });
    },
    /** Expects that the project's alert is closed. */
    closed: async (project: string) => {
      const why = await expect(
        async () => {
          const decisions = (await eventsOf(project)).flatMap((event) => event.decisions);
          return decisions.findLast(({ stage: part }) => part === 'resolve')?.reason ?? null;
        },
        () => Promise.resolve(`the alert of "${project}" is still open`),
      );
      report({ type: 'closed', project, what: `The alert of "${project}" is closed`, why });
    },
    acknowledge: async (project: string) => {
      const session = sessionOf(project);
      await stage.ask('POST /v1/ack', { body: { session } });
      report({ type: 'you', project, what: `You run "hookbell ack ${session.slice(0, 8)}"` });
    },
    startDaemon: async () => {
      const pid = await stage.startDaemon();
      report({ type: 'daemon', what: `The daemon runs (pid ${pid})`, pid });
    },
    killDaemon: async () => {
      const pid = await stage.killDaemon();
      report({ type: 'daemon', what: `The daemon (pid ${pid}) is killed with SIGKILL`, pid });
    },
    /** Waits for a daemon that a hook has started. */
    awaitDaemon: async () => {
      const pid = await stage.awaitDaemon();
      report({ type: 'daemon', what: `The daemon runs again (pid ${pid})`, pid });
    },
  };
}

/** Another event's message contains it. */
const stateOf = ({ state, sentWith }: EventDeliveryView): EventDeliveryView['state'] =>
  sentWith === null ? state : 'sent';

/** Why a message was sent, as the daemon recorded it: why it had been held, the time that passed, or its route. */
function reasonOfMessage(event: EventView, { step, dueAt }: EventDeliveryView): string | null {
  const held = event.decisions.findLast(({ stage }) => stage === 'throttle');
  if (held !== undefined) return held.reason;
  if (step === 0) return event.decisions.find(({ stage }) => stage === 'route')?.reason ?? null;
  const waited = durationText(Date.parse(dueAt) - Date.parse(event.at));
  return `Step ${step + 1} of the plan: no reaction within ${waited}`;
}
