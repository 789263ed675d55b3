import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { HookRecord } from '../../src/core/hook-event.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import {
  createLink,
  type HubLink,
  type RelayLink,
  type RelayLinkOptions,
} from '../../src/relay/link.ts';
import { makeToken, readToken, type RelayToken } from '../../src/relay/token.ts';
import type { HubHomes } from './hub-homes.ts';
import { sampleRecord } from './store.ts';

export type MachineLink = RelayLink & HubLink;

/** Straight into the tables: thousands of enrolments are not what is measured. */
export async function enrolMany(
  { postgres }: HubHomes,
  count: number,
): Promise<readonly RelayToken[]> {
  const tokens = Array.from({ length: count }, (_, index) =>
    readToken(makeToken(`m${index}`, randomBytes(32))),
  ).filter((token) => token !== null);
  await postgres.run(
    `INSERT INTO people (email, source, added_at) SELECT 'p' || i || '@example.com', 'invite', 0 FROM generate_series(0, ${count - 1}) AS i`,
  );
  await postgres.run(
    `INSERT INTO machines (name, person, key, enrolled_at) VALUES ${tokens
      .map(({ machine, key }) => `('${machine}', 'p${machine.slice(1)}@example.com', '${key}', 0)`)
      .join(', ')}`,
  );
  // Each process reads them within a second.
  await delay(2_000);
  return tokens;
}

/** The ports on which the processes of the hub listen for machines. */
export async function portsOf({ hubs }: HubHomes): Promise<readonly number[]> {
  return Promise.all(
    hubs.map(async ({ paths }) =>
      Number(/ port: (\d+)/.exec(await readFile(paths.config, 'utf8'))?.[1]),
    ),
  );
}

/**
 * A link of each machine, each to the next port.
 *
 * @param options.held whether the request of an event is held for an answer
 */
export function linksTo(
  ports: readonly number[],
  tokens: readonly RelayToken[],
  options: Pick<RelayLinkOptions, 'held' | 'timeoutMs'> = {},
): readonly MachineLink[] {
  const outbound = createOutbound({ env: {} });
  return tokens.map((token, index) =>
    createLink({
      address: {
        type: 'url',
        secure: false,
        host: '127.0.0.1',
        port: ports[index % ports.length] ?? 0,
      },
      certificate: null,
      token,
      outbound,
      ...options,
      connections: 2,
      now: Date.now,
    }),
  );
}

/** A request of an agent; its session has the name of the event unless it is given. */
export function requestEvent(id: string, session = id): HookRecord {
  return sampleRecord(
    { id, at: Date.now(), facts: { agent: 'claude' } },
    JSON.stringify({
      hook_event_name: 'Notification',
      session_id: session,
      message: 'Claude needs your permission',
      cwd: '/home/dev/shop',
    }),
  );
}

const { signal } = new AbortController();
setMaxListeners(0, signal);

/**
 * Hands events in until all are committed, as the sender of a machine does; returns how often it had to try again.
 *
 * @param pauseMs before the next try after a failure that names no pause
 */
export async function insist(
  link: RelayLink,
  records: readonly HookRecord[],
  pauseMs = 1_000,
): Promise<number> {
  for (let failures = 0; ; failures += 1) {
    const sent = await link.send(records, signal);
    if (sent.type === 'ok') {
      const bad = sent.results.find(({ verdict }) => verdict === 'refused');
      if (bad !== undefined) throw new Error(`Not taken: ${JSON.stringify(bad)}`);
      return failures;
    }
    await delay(sent.type === 'later' ? Math.min(pauseMs, sent.afterMs) : pauseMs);
  }
}
