import { z } from 'zod';

import type { ChannelDependencies } from '../../core/channel.ts';
import { secretReference } from '../../core/secret-reference.ts';
import { ConfigError } from '../../platform/errors.ts';
import { Secret } from '../../text/secret.ts';
import { addressFault } from '../support/web-address.ts';

/** Labels that hookbell sets. */
export const ownLabels = [
  'alertname',
  'kind',
  'severity',
  'agent',
  'project',
  'user',
  'host',
  'session',
  'alert',
] as const;

/** https://prometheus.io/docs/concepts/data_model/#metric-names-and-labels */
const labelName = z
  .string()
  .regex(/^(?!__)[a-zA-Z_]\w*$/, 'is not the name of a label: letters, digits and "_"')
  .refine(
    (name) => !ownLabels.some((own) => own === name),
    `is a label that hookbell sets: ${ownLabels.join(', ')}`,
  );

/** The options of the Alertmanager channel as users write them. */
export const alertmanagerOptions = z
  .strictObject({
    url: z
      .string()
      .describe('Address of Alertmanager, such as https://alertmanager.example.com:9093'),
    allow_http: z
      .boolean()
      .default(false)
      .describe('Allow the address of another machine without TLS'),
    token: secretReference.optional().describe('Sent as a bearer token'),
    username: z.string().min(1).optional().describe('User name of basic authentication'),
    password: secretReference.optional().describe('Password of basic authentication'),
    labels: z
      .record(labelName, z.string().min(1).max(200))
      .default({})
      .describe('Additional labels for the routes of Alertmanager, such as { team: payments }'),
  })
  .superRefine(({ url, allow_http: allowHttp, token, username, password }, check) => {
    const refuse = (key: string, message: string): void =>
      check.addIssue({ code: 'custom', path: [key], message });
    const fault = addressFault(url, allowHttp);
    if (fault !== null) refuse('url', fault);
    else if (/[?#]/.test(url)) refuse('url', 'has a query or a fragment');
    if ((username === undefined) !== (password === undefined)) {
      refuse(username === undefined ? 'password' : 'username', 'needs both a name and a password');
    }
    if (token !== undefined && username !== undefined) {
      refuse('token', 'excludes "username": Alertmanager accepts only one of them');
    }
  });

type AlertmanagerOptions = z.output<typeof alertmanagerOptions>;

/** An Alertmanager, with all secrets read. */
export interface AlertmanagerTarget {
  /** Address of its API, without a final slash. */
  readonly api: string;
  /** The host; fit to be shown. */
  readonly hostname: string;
  /** The header `authorization`; null: none. */
  readonly authorization: Secret | null;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Reads the secrets of the options.
 *
 * @throws ConfigError that says what is wrong without showing a secret
 */
export async function readAlertmanager(
  { url, token, username, password, labels }: AlertmanagerOptions,
  { name, resolveSecret }: Pick<ChannelDependencies, 'name' | 'resolveSecret'>,
): Promise<AlertmanagerTarget> {
  async function readAuthorization(): Promise<Secret | null> {
    if (token !== undefined) {
      const value = await resolveSecret(token);
      if (/^[\u0021-\u007e]+$/.test(value)) return new Secret(`Bearer ${value}`);
      throw new ConfigError(`Cannot use channel "${name}": "token" is not a token`);
    }
    if (username === undefined || password === undefined) return null;
    const login = `${username}:${await resolveSecret(password)}`;
    return new Secret(`Basic ${Buffer.from(login).toString('base64')}`);
  }

  const { href, hostname } = new URL(url);
  return {
    api: `${href.replace(/\/+$/, '')}/api/v2`,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    authorization: await readAuthorization(),
    labels,
  };
}
