import type { HubStore } from '../../src/core/hub/hub-store.ts';
import { sha256 } from '../../src/platform/crypto.ts';
import { openServerStore } from '../../src/store/postgres/open-server-store.ts';
import { type Postgres, startPostgres } from './postgres.ts';

export interface HubScene extends AsyncDisposable {
  readonly postgres: Postgres;
  /** The stores of processes of one hub. */
  readonly hubs: readonly HubStore[];
  /** Enrols a machine with a key. */
  enrol(email: string, machine: string, key: string): Promise<void>;
}

/** A hub of two processes, as far as the database is concerned. */
export async function hubScene(): Promise<HubScene> {
  const postgres = await startPostgres();
  const opened = [
    await openServerStore({ url: postgres.url }),
    await openServerStore({ url: postgres.url }),
  ];
  let codes = 0;
  const hubs = opened.map(({ hub }) => hub);
  return {
    postgres,
    hubs,
    async enrol(email, machine, key) {
      const codeHash = sha256(`enrol ${(codes += 1)}`);
      await hubs[0]?.invite(sampleInvitation({ email, codeHash }));
      const enrolled = await hubs[0]?.enrol({ codeHash, machine, key });
      if (enrolled?.type !== 'enrolled') throw new Error(`Not enrolled: ${enrolled?.type}`);
    },
    async [Symbol.asyncDispose]() {
      for (const { store } of opened) await store.close();
      await postgres[Symbol.asyncDispose]();
    },
  };
}

export function sampleInvitation(
  fields: Partial<Parameters<HubStore['invite']>[0]> = {},
): Parameters<HubStore['invite']>[0] {
  return {
    email: 'ada@example.com',
    name: null,
    team: null,
    codeHash: sha256('code'),
    expireAfterMs: 900_000,
    actor: { type: 'admin', name: 'root@hub-1' },
    ...fields,
  };
}
