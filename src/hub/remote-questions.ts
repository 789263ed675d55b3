import { randomBytes } from 'node:crypto';

import { traitsOf } from '../agents/registry.ts';
import { answerLine } from '../agents/support/answer-line.ts';
import {
  type AgentRequest,
  choicesFor,
  questionsOf,
  readRequest,
  requestText,
} from '../agents/support/request.ts';
import { acceptAnswer, whyClosed } from '../alerts/accept-answer.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { HubPerson } from '../core/hub/directory.ts';
import type { MachineQuestions, OpenMachineQuestion } from '../core/hub/machine-questions.ts';
import type { AnswerResult, OfferedAnswer, Questions, ShownQuestion } from '../core/question.ts';
import { timeOrderedId } from '../platform/crypto.ts';
import type { Log } from '../platform/log.ts';
import { type Clock, idleTimer, type StartTimer } from '../platform/time.ts';
import type { HubDirectory } from './directory.ts';

/** Timeout after which an unfetched answer is withdrawn, ms. */
export const ANSWER_PATIENCE_MS = 30_000;
/** How long a person who answered waits for the outcome, ms. */
const OUTCOME_MS = ANSWER_PATIENCE_MS + 10_000;
/** Interval for rereading the questions, because a notification may be lost, ms. */
const EVERY_MS = 1_000;
/** They are not read more often than this, ms: each notification of the database reaches each process of the hub. */
const REST_MS = 150;

export interface RemoteQuestionsOptions {
  readonly store: Omit<MachineQuestions, 'take' | 'handOver' | 'expecting'>;
  readonly directory: Pick<HubDirectory, 'personOf'>;
  /** The person who answered, from the channel and the account; null: not a person of this hub. */
  readonly personBehind: (offered: OfferedAnswer) => Promise<HubPerson | null>;
  readonly mayAnswer: (person: HubPerson, owner: HubPerson) => boolean;
  /** Open questions have changed. */
  readonly onChange: () => void;
  readonly now: Clock;
  readonly startTimer?: StartTimer;
  readonly log: Log;
}

/** The requests that machines of a hub hold, as they were within the last second. */
export interface RemoteQuestions extends Questions {
  shown(): readonly (ShownQuestion & Pick<HookEvent, 'subject'>)[];
  /** Why a question is closed; null: it is unknown. */
  whyOver(id: string): Promise<string | null>;
  /** Whether its machine has reported it and its end. */
  hasEnded(id: string): Promise<boolean>;
  /** Rereads them. */
  wake(): void;
  /** Called after each reading. */
  onRead(listener: () => void): void;
  start(): void;
  stop(): Promise<void>;
}

interface Known extends OpenMachineQuestion {
  readonly event: HookEvent;
  /** Null if it cannot be shown as the hook received it. */
  readonly request: AgentRequest | null;
}

export function createRemoteQuestions(options: RemoteQuestionsOptions): RemoteQuestions {
  const { store, directory, personBehind, now, startTimer = idleTimer, log } = options;
  let known: ReadonlyMap<string, Known> = new Map();
  let reading: Promise<void> | null = null;
  /** Ends the rest after a reading began; null: it is over. */
  let endRest: (() => void) | null = null;
  let openCount = 0;
  let isStale = false;
  let hasFailed = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const listeners: (() => void)[] = [];
  /** Callers that wait for the next read. */
  let waiting: (() => void)[] = [];

  async function read(): Promise<void> {
    const open = await store.open();
    openCount = open.length;
    const fresh = open.filter(({ question }) => !known.has(question.id));
    const records =
      fresh.length === 0 ? [] : await store.records(fresh.map(({ question }) => question.id));
    const added = new Map(records.map((record) => [record.event.id, record]));
    const before = known;
    known = new Map(
      open.flatMap((one): [string, Known][] => {
        const { id, requestHash } = one.question;
        const former = before.get(id);
        if (former !== undefined) return [[id, { ...former, ...one }]];
        const record = added.get(id);
        if (record === undefined) return [];
        const { event, payload } = record;
        return [[id, { ...one, event, request: readRequest(payload, requestHash) }]];
      }),
    );
    if (statesOf(before) !== statesOf(known)) options.onChange();
  }

  /** One read at a time, immediately if the last one was long ago, and one more for changes in the meantime. */
  function refresh(): void {
    if (isStopped) return;
    if (reading !== null || endRest !== null) {
      isStale = true;
      return;
    }
    isStale = false;
    endRest = startTimer(REST_MS, () => {
      endRest = null;
      if (isStale) refresh();
    });
    const woken = waiting;
    waiting = [];
    reading = readFor(woken).finally(() => {
      reading = null;
      if (isStale) refresh();
    });
  }

  async function readFor(woken: readonly (() => void)[]): Promise<void> {
    try {
      await read();
      hasFailed = false;
      for (const wake of [...woken, ...listeners]) wake();
    } catch (error) {
      waiting.push(...woken);
      if (!hasFailed) log.warn({ err: error }, 'Cannot read the requests of machines: retrying');
      hasFailed = true;
    }
  }

  const nextReading = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
    });

  async function tidy(): Promise<void> {
    const expired = openCount > 0 ? store.expire(ANSWER_PATIENCE_MS) : Promise.resolve();
    await expired.catch((error: unknown) => {
      log.debug({ err: error }, 'Cannot withdraw answers that no machine fetched');
    });
    refresh();
  }

  async function answer(id: string, offered: OfferedAnswer): Promise<AnswerResult> {
    const person = await personBehind(offered);
    const result = await answerBy(person, id, offered);
    return result.ok || person === null ? result : { ...result, person: person.email };
  }

  async function answerBy(
    person: HubPerson | null,
    id: string,
    offered: OfferedAnswer,
  ): Promise<AnswerResult> {
    const one = known.get(id);
    if (one === undefined) return { ok: false, reason: (await whyOver(id)) ?? NOT_THERE };
    const owner = directory.personOf(one.machine);
    const isAllowed = person !== null && owner !== null && options.mayAnswer(person, owner);
    const party =
      person === null
        ? ({ type: 'hub' } as const)
        : ({ type: 'person', email: person.email } as const);
    const target = { type: 'machine', name: one.machine } as const;
    const detail = { question: id, choice: offered.choice, via: offered.via };
    if (!isAllowed) {
      log.warn({ question: id, by: offered.by, via: offered.via }, 'Refused an answer');
      await store.refuse({ actor: party, action: 'refuse', target, detail });
      return { ok: false, reason: person === null ? UNKNOWN_PERSON : NOT_YOURS };
    }
    if (answerLine(one.request, offered) === null) {
      return { ok: false, reason: 'The agent does not accept such an answer' };
    }
    const { choice, via, requestHash, words, answers } = offered;
    const by = person.name ?? person.email;
    const answerId = timeOrderedId(now(), randomBytes(10));
    const given = { choice, by, via, requestHash, words, answers, question: id, answer: answerId };
    const decided = await store.give(
      given,
      ({ question }) => acceptAnswer({ ...question, choices: offeredFor(one) }, given, now()),
      { actor: party, action: 'answer', target, detail },
    );
    if (decided === null) return { ok: false, reason: NOT_THERE };
    return decided.ok ? outcomeOf(id, decided.question.answer?.at ?? 0) : decided;
  }

  /** Waits until the machine reports whether the agent got the answer. */
  async function outcomeOf(id: string, at: number): Promise<AnswerResult> {
    const until = performance.now() + OUTCOME_MS;
    refresh();
    while (performance.now() < until) {
      await nextReading();
      if (isStopped) break;
      const question = known.get(id)?.question ?? (await store.find(id));
      if (question === null) return { ok: false, reason: NOT_THERE };
      const isOwn = question.answer?.at === at;
      if (question.state === 'held') return { ok: false, reason: question.reason ?? NOT_THERE };
      const isOver = question.closedAt !== null || !(await store.isUnderWay(id));
      if (!isOver) continue;
      const isOk = isOwn && question.state !== 'overtaken' && question.state !== 'released';
      return isOk ? { ok: true } : { ok: false, reason: whyClosed(question) };
    }
    return {
      ok: false,
      reason: 'The machine has not yet reported whether the agent got your answer',
    };
  }

  async function whyOver(id: string): Promise<string | null> {
    const question = await store.find(id);
    return question === null ? null : whyClosed(question);
  }

  return {
    shown: () => [...known.values()].map(shownOf),
    answer,
    whyOver,
    async hasEnded(id) {
      const question = await store.find(id);
      return question !== null && question.closedAt !== null;
    },
    wake: refresh,
    onRead: (listener) => void listeners.push(listener),
    start() {
      refresh();
      timer = setInterval(() => void tidy(), EVERY_MS);
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      endRest?.();
      for (const resolve of waiting.splice(0)) resolve();
      await reading;
    },
  };
}

const NOT_THERE = 'It is no longer waiting for an answer';
const NOT_YOURS = 'Only the owner of the machine may answer this request';
const UNKNOWN_PERSON = 'This hub cannot identify you: answer at the machine';

/** What its machine offers, as far as this process can show the request. */
function offeredFor({ question, request }: Known): ShownQuestion['question']['choices'] {
  const possible = choicesFor(request, traitsOf(question.agent).answers);
  return question.choices.filter((choice) => possible.includes(choice));
}

function shownOf(one: Known): ShownQuestion & Pick<HookEvent, 'subject'> {
  const { event, request, question } = one;
  const { sessionId, project, cwd, subject } = event;
  return {
    question: { ...question, choices: offeredFor(one) },
    sessionId,
    project,
    cwd,
    text: request === null ? null : requestText(request),
    asks: request === null ? [] : (questionsOf(request) ?? []),
    agentPid: null,
    subject,
  };
}

function statesOf(known: ReadonlyMap<string, Known>): string {
  return [...known].map(([id, { question }]) => `${id} ${question.state}`).join('\n');
}
