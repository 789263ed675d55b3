import { setTimeout as delay } from 'node:timers/promises';

import { castOf, type DemoPayload, type Project, type Script, scriptOf } from './cast.ts';
import type { Heard, DemoStage, Tempo } from './stage.ts';
import type { Timeline } from './timeline.ts';
import {
  createWitness,
  failure,
  reasonOfHold,
  reasonOfRing,
  reasonOfSilence,
  reasonOfWithdrawal,
} from './witness.ts';

/** How late an expected message may arrive. */
const PATIENCE_MS = 10_000;

/** Longer than anything takes at the reference service. */
const LONG_WORK_MS = 600_000;

/** The actions of an act and the results it expects; a missing result ends the demo. */
export interface Play {
  readonly stage: DemoStage;
  readonly tempo: Tempo;
  readonly timeline: Timeline;
  /** Begins an act once its notifications cannot form a burst with those of the previous act. */
  act(title: string): Promise<void>;
  pause(ms: number): Promise<void>;
  /** An agent's hook runs. */
  hook(project: Project, what: string, write: (script: Script) => DemoPayload): Promise<void>;
  /** Expects a notification on the channel for this project, containing this text. */
  rings(channel: Heard['channel'], project: Project, text?: string): Promise<void>;
  /** Expects one notification on the channel for all these projects. */
  ringsTogether(channel: Heard['channel'], projects: readonly Project[]): Promise<void>;
  /** Waits until only later steps of this project are pending. */
  settled(project: Project): Promise<void>;
  /** Expects that a notification on the channel for this project is held. */
  held(channel: Heard['channel'], project: Project): Promise<void>;
  /** Title of the session at the reference service. */
  titleOf(project: Project): string;
  /** The user gives the session more work from outside the agent's terminal. */
  reply(project: Project, text: string): Promise<void>;
  /** Ends the running work of sessions at the reference service. */
  letWorkEnd(): void;
  /** The user acknowledges the alert. */
  acknowledge(project: Project): Promise<void>;
  /** Expects that the pop-up of this project is withdrawn. */
  withdrawn(project: Project): Promise<void>;
  /** Expects that a later notification on the channel for this project is cancelled. */
  silent(channel: Heard['channel'], project: Project): Promise<void>;
  /** @throws FailedError on an unexpected or missing message */
  finish(): Promise<void>;
}

export function createPlay(
  stage: DemoStage,
  { tempo, timeline, interrupted }: { tempo: Tempo; timeline: Timeline; interrupted: AbortSignal },
): Play {
  const cast = castOf(stage.mock);
  const { look, hear, unheard, eventsOf, delivery, reasonOf } = createWitness(stage, {
    cast,
    patienceMs: PATIENCE_MS + tempo.escalationMs,
    interrupted,
  });
  let hooks = 0;

  return {
    stage,
    tempo,
    timeline,
    async act(title) {
      await delay(tempo.burstMs + 50, undefined, { signal: interrupted });
      timeline.begin(title);
    },
    async pause(ms) {
      await delay(ms, undefined, { signal: interrupted });
    },
    async hook(project, what, write) {
      interrupted.throwIfAborted();
      const { agent, name } = cast(project);
      const atMs = timeline.elapsedMs();
      hooks += 1;
      await stage.runHook(agent, write(scriptOf(cast(project), stage.home)));
      timeline.add({ atMs, type: 'hook', project, what: `${name} in "${project}" ${what}` });
    },
    async rings(channel, project, text = '') {
      const { title, body } = await hear(
        `"${channel}" did not notify you of "${project}"`,
        (one) =>
          isAbout(one, channel, 'rings', project) && `${one.title}\n${one.body}`.includes(text),
        () => reasonOf(channel, project),
      );
      const atMs = timeline.elapsedMs();
      const sent = await look(`The daemon did not record that "${channel}" notified you`, () =>
        delivery(channel, project, 'sent'),
      );
      const what = `${title}: ${onOneLine(body)}`;
      const why = reasonOfRing(sent.event, sent.delivery);
      timeline.add({ atMs, type: 'ring', project, channel, what, why });
    },
    async ringsTogether(channel, projects) {
      const { title, body } = await hear(
        `"${channel}" did not report ${projects.join(', ')} in one message`,
        (one) =>
          projects.some((project) => isAbout(one, channel, 'rings', project)) &&
          projects.every((project) => one.body.includes(`${project}: `)),
      );
      const atMs = timeline.elapsedMs();
      const [project = 'docs'] = projects.filter((each) => title.startsWith(`${each}: `));
      // The headline belongs to the oldest event; the message may belong to another one.
      const sent = await look(
        `The daemon did not record that "${channel}" notified you`,
        async () => {
          const found = await Promise.all(projects.map((each) => delivery(channel, each, 'sent')));
          return found.find((one) => one !== null) ?? null;
        },
      );
      const what = `${title}: ${onOneLine(body)}`;
      const why = reasonOfRing(sent.event, sent.delivery);
      timeline.add({ atMs, type: 'ring', project, channel, what, why });
    },
    async settled(project) {
      await look(`A delivery for "${project}" is still pending`, async () => {
        const deliveries = (await eventsOf(project)).flatMap((event) => event.deliveries);
        return deliveries.every(({ step, state }) => step > 0 || state === 'sent') ? true : null;
      });
    },
    titleOf: (project) => cast(project).title,
    async reply(project, text) {
      const { baseUrl, keys } = stage.mock;
      const { sessionId } = cast(project);
      const { ok, status } = await fetch(`${baseUrl}/api/v0/sessions/${sessionId}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
        signal: interrupted,
      });
      if (!ok) throw failure(`the reference service answers ${status}`);
      timeline.add({ type: 'you', project, what: `You reply from elsewhere: "${text}"` });
    },
    letWorkEnd() {
      stage.mock.clock.advance(LONG_WORK_MS);
      timeline.add({ type: 'service', what: 'The session has nothing left to do' });
    },
    async held(channel, project) {
      const event = await look(`"${channel}" does not hold "${project}"`, async () => {
        const waiting = await stage.ask('GET /v1/queue', { query: { state: 'pending' } });
        const held = waiting.filter((one) => one.channel === channel && one.heldFor === 'running');
        const events = await eventsOf(project);
        const found = events.find(({ eventId }) => held.some((one) => one.eventId === eventId));
        return found !== undefined && reasonOfHold(found, channel) !== null ? found : null;
      });
      const why = reasonOfHold(event, channel);
      timeline.add({ type: 'silence', project, channel, what: event.title, why });
    },
    async acknowledge(project) {
      const { sessionId } = cast(project);
      await stage.ask('POST /v1/ack', { body: { session: sessionId } });
      timeline.add({ type: 'you', project, what: `You run "hookbell ack ${sessionId}"` });
    },
    async withdrawn(project) {
      const channel = 'desktop';
      const { title } = await hear(`The pop-up of "${project}" was not withdrawn`, (one) =>
        isAbout(one, channel, 'withdraws', project),
      );
      const atMs = timeline.elapsedMs();
      const why = reasonOfWithdrawal(await eventsOf(project));
      timeline.add({ atMs, type: 'withdrawal', project, channel, what: title, why });
    },
    async silent(channel, project) {
      const { event, delivery: cancelled } = await look(
        `"${channel}" still has a pending delivery for "${project}"`,
        () => delivery(channel, project, 'cancelled'),
      );
      const why = reasonOfSilence(cancelled);
      timeline.add({ type: 'silence', project, channel, what: event.title, why });
    },
    async finish() {
      const [left] = await unheard();
      if (left !== undefined) {
        const did = left.action === 'rings' ? 'notified you of' : 'withdrew';
        throw failure(`"${left.channel}" unexpectedly ${did} "${left.title}"`);
      }
      const known = await stage.ask('GET /v1/history', { query: { limit: '100' } });
      if (known.length !== hooks) {
        throw failure(`${hooks} hooks ran and ${known.length} events are known`);
      }
      const wanted = known.filter(({ deliveries }) =>
        deliveries.some(({ channel }) => channel === 'log'),
      );
      const logged = await stage.logged();
      if (logged.length !== wanted.length || new Set(logged).size !== wanted.length) {
        throw failure(`the log has ${logged.length} lines of ${wanted.length} events`);
      }
    },
  };
}

function isAbout(
  heard: Heard,
  channel: Heard['channel'],
  action: Heard['action'],
  project: Project,
): boolean {
  const isThere = heard.channel === channel && heard.action === action;
  return isThere && heard.title.startsWith(`${project}: `);
}

function onOneLine(text: string): string {
  return text.replaceAll('\n', ' · ');
}
