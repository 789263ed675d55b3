import { DENIED_IN_TERMINAL, IN_TERMINAL, whyClosed } from '../../alerts/accept-answer.ts';
import type { Config } from '../../config/config.ts';
import type { AlertStore } from '../../core/alert.ts';
import { type HookEvent, isWaiting } from '../../core/hook-event.ts';
import { emailAddress, type HubPerson } from '../../core/hub/directory.ts';
import type { MachineQuestions } from '../../core/hub/machine-questions.ts';
import type { OfferedAnswer, Question } from '../../core/question.ts';
import type { RunningChannels } from '../../delivery/running-channel.ts';
import type { HubDirectory } from '../../hub/directory.ts';
import { exchangeRoute } from '../../hub/exchange-route.ts';
import { mayAnswer } from '../../hub/may-answer.ts';
import { createRemoteQuestions, type RemoteQuestions } from '../../hub/remote-questions.ts';
import type { Log } from '../../platform/log.ts';
import { type Clock, pollUntil } from '../../platform/time.ts';
import type { RelayRoutes } from '../../relay/entrance.ts';
import { EXCHANGE } from '../../relay/exchange-wire.ts';
import type { QuestionDesk } from '../../reply/question-desk.ts';
import { resolveRequest } from '../../reply/resolve-request.ts';

export interface HubAnswersOptions {
  readonly store: MachineQuestions;
  readonly directory: HubDirectory;
  readonly alerts: Pick<AlertStore, 'liveOf' | 'answerRequest'>;
  readonly config: () => Config;
  readonly delivery: () => {
    readonly channels: () => RunningChannels;
    /** Takes reactions to notifications about these events. */
    readonly subscribeReactions: (eventIds: readonly string[]) => Promise<void>;
  };
  /** Notifications of answered requests may have to be withdrawn. */
  readonly onAnswered: () => void;
  readonly onChange: () => void;
  readonly now: Clock;
  readonly log: Log;
}

/** The way through a hub to requests that its machines hold. */
export interface HubAnswers extends Pick<RemoteQuestions, 'wake' | 'start' | 'stop'> {
  readonly routes: RelayRoutes;
  /** The requests of this machine, and those of the machines of the hub. */
  beside(own: Pick<QuestionDesk, 'shown' | 'answer'>): {
    readonly questions: Pick<QuestionDesk, 'shown' | 'answer'>;
    readonly whyOver: RemoteQuestions['whyOver'];
  };
  /** Waits for the request of an event that has just arrived: its machine reports it after the event. Never rejects. */
  awaitRequest(event: HookEvent): Promise<void>;
}

/** A machine that does not say whether it holds a request may report it within this time, ms. */
const REPORT_MS = 1_500;
/** A machine that says that it holds one has this long to report it, ms. */
const HELD_MS = 15_000;
/** How often to look whether it is over already, ms. */
const LOOK_MS = 500;
/** A service has this long to say whose account it is, ms. */
const EMAIL_MS = 5_000;

export function createHubAnswers(options: HubAnswersOptions): HubAnswers {
  const { store, directory, alerts, config, delivery, now, log } = options;

  async function personBehind({ channel, by }: OfferedAnswer): Promise<HubPerson | null> {
    if (channel === undefined) return null;
    const own = config().hub?.answers.channels[channel];
    if (own !== undefined) return directory.person(own);
    const service = delivery().channels().get(channel)?.channel;
    try {
      const found = await service?.emailOf?.(by, AbortSignal.timeout(EMAIL_MS));
      return directory.person(emailAddress(found ?? '') ?? '');
    } catch (error) {
      log.warn({ channel, err: error }, 'Cannot determine whose account it is');
      return null;
    }
  }

  const membersOf = (group: string): readonly string[] | null =>
    directory.group(group)?.map(({ email }) => email) ?? null;

  const questions = createRemoteQuestions({
    ...options,
    personBehind,
    mayAnswer: (person, owner) =>
      mayAnswer(person, owner, config().hub?.answers.allow ?? [], membersOf),
  });

  questions.onRead(
    () => void delivery().subscribeReactions(questions.shown().map(({ question }) => question.id)),
  );

  async function resolve(over: readonly Question[]): Promise<void> {
    try {
      const records = await store.records(over.map(({ id }) => id));
      const events = new Map(records.map(({ event }) => [event.id, event]));
      for (const question of over) {
        const event = events.get(question.id);
        const end = endOf(question);
        if (event === undefined || end === null) continue;
        const { programChannels: exceptChannels } = config().policy;
        await resolveRequest(alerts, event, { at: now(), exceptChannels, ...end });
      }
      options.onAnswered();
    } catch (error) {
      log.warn({ err: error }, 'Cannot resolve the alerts of answered requests');
    }
  }

  const route = exchangeRoute({
    store,
    questions,
    onOver: (over) => void resolve(over),
    log,
  });

  return {
    ...questions,
    routes: { [`POST ${EXCHANGE}`]: route },
    beside: (own) => ({
      whyOver: (id) => questions.whyOver(id),
      questions: {
        shown: () => [...own.shown(), ...questions.shown()],
        answer: (id, offered) => {
          const isOwn = own.shown().some(({ question }) => question.id === id);
          return isOwn ? own.answer(id, offered) : questions.answer(id, offered);
        },
      },
    }),
    async awaitRequest({ id, machine, kind, receivedAt, facts }) {
      if (machine === null || !isWaiting(kind)) return;
      // The clock of the process that took it may be ahead.
      const until = Math.min(receivedAt, now()) + (facts.held === 'yes' ? HELD_MS : REPORT_MS);
      const isThere = (): true | null =>
        questions.shown().some(({ question }) => question.id === id) ? true : null;
      while (now() < until) {
        const lookMs = Math.min(LOOK_MS, until - now());
        if ((await pollUntil(() => Promise.resolve(isThere()), lookMs)) !== null) return;
        // Otherwise nothing would end the wait for a request that was answered immediately.
        if (await questions.hasEnded(id).catch(() => false)) return;
      }
    },
  };
}

/** How the alert of a question ends; null: it stays open. */
function endOf(question: Question): {
  readonly reason: string;
  readonly via: string | null;
  readonly isTurnOver: boolean;
} | null {
  const { state, answer, reason } = question;
  if (answer !== null && (state === 'answered' || state === 'confirmed')) {
    return { reason: whyClosed(question), via: answer.via, isTurnOver: false };
  }
  if (reason !== IN_TERMINAL && reason !== DENIED_IN_TERMINAL) return null;
  return { reason, via: null, isTurnOver: reason === DENIED_IN_TERMINAL };
}
