import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

import type { HookRecord } from '../../core/hook-event.ts';
import { createIntake } from '../../intake/intake.ts';
import { createRemote } from '../../relay/remote-links.ts';
import { createProgramAsks } from '../../reply/program-asks.ts';
import { createSeenAtHub } from '../../relay/seen-at-hub.ts';
import type { ApiClient } from '../../vendor/api-client.ts';
import { createPollers } from '../../vendor/pollers/run-pollers.ts';
import { createDecide } from '../decide-now.ts';
import { withHost } from '../find-host.ts';
import { createHousekeeping } from '../housekeeping.ts';
import type { Projects } from '../projects.ts';
import { completeEvents } from '../transcripts/complete-events.ts';
import { createTurnWatch } from '../transcripts/turn-watch.ts';
import { createWitnesses } from '../witness/witnesses.ts';
import { createTimeWatch } from '../time-watch.ts';
import { createWaitingLedger } from '../waiting-ledger.ts';
import { intakeWarnings } from '../warning-texts.ts';
import type { Asking } from './asking-parts.ts';
import { type Base, reconfigured } from './base-parts.ts';
import type { DeliveryParts } from './delivery-parts.ts';

/** This many events at a time are no longer the work of a few agents. */
const BACKLOG = 32;

interface IncomingOptions {
  readonly api: ApiClient;
  readonly projects: Projects;
  readonly asking: Asking;
  readonly delivery: DeliveryParts;
}

/** What brings events into the store: the spool, transcripts, other machines, the vendor's service, time itself. */
export function createIncoming(base: Base, { api, projects, asking, delivery }: IncomingOptions) {
  const { paths, store, log, now, warnings, signals, config, configHolder, readTail } = base;
  const { questions, words, hub } = asking;

  const housekeeping = reconfigured(configHolder, createHousekeeping(base), null);
  signals.committed.on(() => housekeeping.historyGrew());

  const events = {
    decide: createDecide({ ...base, projects, people: hub?.people }),
    prepare: (record: HookRecord) => delivery.redaction().record(record),
    onCommitted: signals.committed.emit,
  };
  const complete = completeEvents({ readTail, projects, prepare: events.prepare });
  const intake = createIntake({
    ...base,
    ...events,
    spool: paths.spool,
    quarantine: paths.quarantine,
    look: async (records) => complete(await Promise.all(records.map((record) => withHost(record)))),
    onRecords: (records) => {
      // A backlog is what the optimizing compiler is for, which the start does without (scripts/bundle.mjs).
      if (records.length >= BACKLOG) setFlagsFromString('--opt');
      questions.take(records);
      words.take(records);
    },
    onTrouble: intakeWarnings(warnings, () => void housekeeping.diskIsFull()),
  });
  signals.hasRoom.on(() => void intake.drain());
  const asks = createProgramAsks({
    ...base,
    ...events,
    questions,
    hooks: asking.programHooks,
    mostOpen: () => config().answers.mcpQuestions,
  });
  const turns = createTurnWatch({ ...events, store, readTail, now });
  const witnesses = createWitnesses({ ...base, ...events, isOn: () => config().witness });
  const times = createTimeWatch({
    ...base,
    ...events,
    personOf: (machine) => hub?.people.ownerOf(machine)?.person ?? null,
    isRelayed: () => config().policy.relay?.notifiesHere === false,
  });

  const remote = reconfigured(configHolder, createRemote({ ...base, ...events, hub, questions }));
  signals.questionsChanged.on(() => remote.questionsChanged());
  signals.committed.on(() => remote.wake());
  const seen = createSeenAtHub({ path: paths.seen, askHub: remote.askHub, now, log });

  const waiting = createWaitingLedger({
    ...base,
    waits: store.waits,
    mark: join(paths.state, 'alive'),
    hours: () => config().workingHours(),
    redact: (text) => delivery.redaction().textFor(null)(text),
  });
  const report = { api, waiting: waiting.report };
  const sources = reconfigured(configHolder, createPollers({ ...base, ...events, ...report }));

  return { housekeeping, intake, asks, turns, witnesses, times, remote, seen, waiting, sources };
}

export type Incoming = ReturnType<typeof createIncoming>;
