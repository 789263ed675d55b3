import type { EnrolRequest, HubStore } from '../../../core/hub/hub-store.ts';
import type { Database, Method, Work } from '../../database.ts';
import { gathering } from '../gathering.ts';
import { admitAll, forgetNonces, ping } from './admission.ts';
import { listAudit, verifyAudit } from './audit.ts';
import { enrol, forgetEnrolments, invite, mayEnrol } from './enrolment.ts';
import { forgetPersonOn, toForget } from './forget-person.ts';
import type { KeySeal } from './key-seal.ts';
import { machineQuestionsOn } from './machine-questions-on.ts';
import { importPeople, missingPeople, prunePeople } from './import-people.ts';
import { changeSettings, personWith, removePerson, revokeMachine } from './people.ts';
import { readPolicy, setPolicy } from './policy.ts';
import { shareConfig } from './process-configs.ts';
import { listMachines, listPeople, readState } from './records.ts';
import { readRoll } from './roll.ts';

/**
 * What a hub stores besides the events.
 *
 * @param alone makes a method of one statement, without a transaction around it
 */
export function hubStoreOn(
  database: Database,
  alone: Database['writes'],
  keySeal: KeySeal,
): HubStore {
  const { reads, writesBeside, now } = database;
  /** Writes that take the time as their first argument. */
  const writesAt = <Args extends readonly unknown[], Result>(
    work: Work<[now: number, ...Args], Result>,
  ): Method<Args, Result> =>
    writesBeside((connection, ...args: Args) => work(connection, now(), ...args));
  const decide = alone(admitAll);
  return {
    admit: gathering((calls) => decide(calls.map(([claim]) => claim))),
    ping: alone(ping),
    forgetNonces: alone(forgetNonces),
    roll: reads((connection, known: number | null) => readRoll(connection, known, keySeal)),
    person: reads(personWith),
    invite: writesAt(invite),
    mayEnrol: writesAt(mayEnrol),
    enrol: writesAt((connection, at, { key, ...request }: EnrolRequest) =>
      enrol(connection, at, { ...request, key: keySeal.seal(request.machine, key) }),
    ),
    forgetEnrolments: writesAt(forgetEnrolments),
    changeSettings: writesAt(changeSettings),
    importPeople: writesAt(importPeople),
    missingPeople: reads(missingPeople),
    prunePeople: writesAt(prunePeople),
    revokeMachine: writesAt(revokeMachine),
    removePerson: writesAt(removePerson),
    toForget: reads(toForget),
    forgetPerson: forgetPersonOn(database),
    setPolicy: writesAt(setPolicy),
    policy: reads(readPolicy),
    people: reads(listPeople),
    machines: reads(listMachines),
    state: reads((connection) => readState(connection, now())),
    shareConfig: writesBeside(shareConfig),
    audit: reads(listAudit),
    verifyAudit: reads(verifyAudit),
    requests: machineQuestionsOn(database),
  };
}
