import type { EnrolRequest, HubStore } from '../../../core/hub/hub-store.ts';
import type { ProcessConfig, SealState } from '../../../core/hub/hub-store.ts';
import type { Database, Method, Work } from '../../database.ts';
import {
  admit,
  forgetNonces,
  ping,
  enrol,
  forgetEnrolments,
  invite,
  mayEnrol,
} from './admission.ts';
import { listAudit, verifyAudit } from './audit.ts';
import { forgetPersonOn, toForget } from './forget-person.ts';
import type { SecretRing } from './secret-ring.ts';
import { machineQuestionsOn } from './machine-questions-on.ts';
import {
  importPeople,
  missingPeople,
  prunePeople,
  changeSettings,
  removePerson,
  revokeMachine,
} from './people.ts';
import { readPolicy, setPolicy, personWith, readRoll, readVersion } from './roll.ts';
import { listMachines, listPeople, readState } from './records.ts';
import { lookAtSeal, readKnown, resetSeal } from './seal-keys.ts';
import type { Connection, Query } from '../../query.ts';
import { field, stored } from '../../row.ts';

/** Stores the configuration of this process, and returns those of the others that are connected, oldest connection first. */
function* shareConfig(
  connection: Connection,
  { host, program, hashes }: ProcessConfig,
  proofs: string,
): Query<readonly ProcessConfig[]> {
  const sql = `INSERT INTO process_configs AS known (process, host, program, hashes, proofs)
    VALUES (current_setting('application_name'), ?, ?, ?, ?)
    ON CONFLICT (process) DO UPDATE SET host = excluded.host, program = excluded.program, hashes = excluded.hashes,
      proofs = excluded.proofs
    WHERE (known.host, known.program, known.hashes, known.proofs)
      IS DISTINCT FROM (excluded.host, excluded.program, excluded.hashes, excluded.proofs)`;
  const changed = yield* connection.run(sql, host, program, hashes, proofs);
  if (changed > 0) {
    yield* connection.run(
      `DELETE FROM process_configs WHERE process <> current_setting('application_name')
      AND NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = process)`,
    );
  }
  const rows = yield* connection.all(
    `SELECT host, program, hashes FROM process_configs
    WHERE process <> current_setting('application_name')
      AND EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = process)
    ORDER BY host, process`,
  );
  return rows.map(storedConfig.read);
}

const storedConfig = stored<ProcessConfig>({
  host: field.text,
  program: field.text,
  hashes: field.text,
});

/** What a hub stores besides the events. @param seal does `sealKeys`, with the lock of the whole store */
export function hubStoreOn(
  database: Database,
  ring: SecretRing,
  seal: () => Promise<SealState>,
): HubStore {
  const { reads, writes, writesBeside, now, alone } = database;
  const writesAt = <Args extends readonly unknown[], Result>(
    work: Work<[now: number, ...Args], Result>,
  ): Method<Args, Result> =>
    writesBeside((connection, ...args: Args) => work(connection, now(), ...args));
  const look = reads((connection) => lookAtSeal(connection, ring));
  const version = alone(readVersion);
  const roll = reads((connection) => readRoll(connection, ring));
  return {
    admit: alone(admit),
    ping: alone(ping),
    forgetNonces: alone(forgetNonces),
    roll: async (known) => ((await version()) === known ? null : roll()),
    person: alone(personWith),
    invite: writesAt(invite),
    mayEnrol: writesAt(mayEnrol),
    enrol: writesAt(function* sealed(connection, at, { key, ...request }: EnrolRequest) {
      // Another process may have replaced the seal.
      const current = ring.sealOf(yield* readKnown(connection));
      return yield* enrol(connection, at, { ...request, key: current.seal(request.machine, key) });
    }),
    async sealKeys() {
      const state = await look();
      return state.type === 'waiting' ? seal() : state;
    },
    resetSeal: writes((connection, request: Parameters<HubStore['resetSeal']>[0]) =>
      resetSeal(connection, now(), request),
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
    shareConfig: writesBeside((connection, config: ProcessConfig) =>
      shareConfig(connection, config, ring.proofs),
    ),
    audit: reads(listAudit),
    verifyAudit: reads(verifyAudit),
    requests: machineQuestionsOn(database),
  };
}
