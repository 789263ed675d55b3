import { z } from 'zod';

import { emailAddress } from '../core/hub/directory.ts';
import { secretReference } from '../core/secret-reference.ts';
import { parseNetwork } from '../platform/http/client-address.ts';
import { isLocalHost } from '../platform/loopback-address.ts';
import { isJsonObject, type JsonObject } from '../platform/json.ts';
import type { Finding } from './problem.ts';
import { listenAddress, originOf, proxyUrl } from './endpoint-schema.ts';
import { duration, orNull, textAs } from './units.ts';

const hubUrl = originOf('https://hub.example.com', ({ protocol, hostname }) => {
  return protocol === 'http:' && isLocalHost(hostname) && hostname !== 'localhost';
});

const email = textAs(emailAddress, (text) => `is not an email address: ${text}`).meta({
  title: 'email address',
});

const group = z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, {
  error: 'is not a name: use letters, digits, "_", "-" and ".", starting with a letter or digit',
});

/** The page for people, which a proxy that signs them in serves. */
const teamPage = z
  .strictObject({
    listen: listenAddress.describe('Loopback address that serves the page to the proxy'),
    url: orNull(proxyUrl).describe('Address at which the proxy serves it'),
    person_header: z
      .string()
      .regex(/^[A-Za-z][\w-]{0,63}$/, { error: 'is not the name of a header' })
      .default('X-Forwarded-Email')
      .describe('Header in which the proxy sends the email address of the signed-in person'),
    secret: secretReference.describe(
      'Secret that the proxy sends in the header X-Hookbell-Proxy, because other programs can reach the address too',
    ),
    shows: z
      .enum(['counts', 'people'])
      .default('counts')
      .describe(
        'What to show about colleagues: "counts" shows how many of the team\'s sessions wait, "people" also whose and in which project',
      ),
  })
  .transform(({ person_header: personHeader, ...page }) => ({ ...page, personHeader }));

const proxyAddress = z
  .string()
  .refine((text) => parseNetwork(text) !== null, {
    error: ({ input }) =>
      `is not an IP address or network: ${JSON.stringify(input)}, expected one such as 10.0.0.7 or 10.0.0.0/24`,
  })
  .meta({ title: 'IP address or network' });

const channelName = z.string().min(1);

/** A person, or those of a team or a group. */
const scope = z
  .strictObject({
    person: email.exactOptional(),
    team: z.string().min(1).exactOptional(),
    group: group.exactOptional(),
  })
  .refine((one) => Object.keys(one).length === 1, {
    error: 'is not one of "person", "team" and "group"',
  });

/** Who may answer. */
const hubAnswersSchema = z
  .strictObject({
    allow: z
      .array(
        z.strictObject({
          by: scope.describe('Who may answer: `person`, `team` or `group`'),
          for: scope.describe('Whose requests: `person`, `team` or `group`'),
        }),
      )
      .default([])
      .describe(
        "Who may answer other people's requests; without a rule, only the owner of the machine may answer",
      ),
    channels: z
      .record(channelName, email)
      .default({})
      .describe(
        "Email addresses by the name of a channel that only this person uses, such as a private ntfy topic: presses there count as that person's answers",
      ),
  })
  .prefault({});

/** The section of a hub. */
export const hubSchema = z
  .strictObject({
    url: hubUrl.describe(
      'Address that machines use: the one in "listen", or of a proxy in front of it',
    ),
    secret: orNull(secretReference).describe(
      'Seals the keys of machines in the database: the same for each process, with at least 32 characters',
    ),
    previous_secret: orNull(secretReference).describe(
      'The previous secret, while the processes are restarted one by one with a new one',
    ),
    invitations: z
      .strictObject({
        expire_after: duration({ min: '1m', max: '7d' })
          .prefault('15m')
          .describe('An unused code expires after this long'),
      })
      .prefault({})
      .transform(({ expire_after: expireAfterMs }) => ({ expireAfterMs }))
      .describe('Codes of "hookbell hub invite"'),
    groups: z
      .record(group, z.array(email).min(1))
      .default({})
      .describe('Email addresses by the name of the group, in the order of escalation'),
    drain: duration({ min: '0s', max: '4s' })
      .prefault('3s')
      .describe(
        'How long "/readyz" returns 503 before the process stops, so that proxies switch to another process',
      ),
    page: orNull(teamPage).describe(
      'Page on which people see their sessions and the waiting sessions of their team; off if unset',
    ),
    behind_proxy: z
      .array(proxyAddress)
      .default([])
      .describe(
        'Addresses of your proxies: enrolment attempts are limited by the address that they append to X-Forwarded-For, which is otherwise ignored',
      ),
    answers: hubAnswersSchema.describe('Who may answer requests of machines through the hub'),
  })
  .transform(({ drain: drainMs, behind_proxy: behindProxy, previous_secret, ...others }) => ({
    ...others,
    drainMs,
    behindProxy,
    previousSecret: previous_secret,
  }));

/** A hub cannot work without a shared database and a port. Reads the unparsed document. */
export function checkHub({ hub, store, listen }: JsonObject): Finding[] {
  if (!isJsonObject(hub)) return [];
  const faults: readonly (readonly [isThere: boolean, message: string])[] = [
    [!isJsonObject(store), 'needs PostgreSQL: add "store: { postgres: { url: { file: PATH } } }"'],
    [
      !isJsonObject(listen) || listen['port'] === undefined,
      'needs a port for machines: add "listen: { host: 0.0.0.0, port: 8443, certificate: PATH, key: PATH }"',
    ],
    [
      (hub['previous_secret'] ?? null) !== null && (hub['secret'] ?? null) === null,
      'has "previous_secret", but no "secret" to replace it',
    ],
  ];
  return faults.flatMap(([isThere, message]): Finding[] =>
    isThere ? [{ path: ['hub'], at: 'key', message }] : [],
  );
}
