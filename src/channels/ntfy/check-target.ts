import type { ChannelCheck } from '../../core/channel.ts';
import type { Outbound } from '../../platform/outbound/outbound-port.ts';
import type { Secret } from '../../text/secret.ts';
import { authorization, type NtfyTarget } from './options.ts';

/**
 * Whether the server can be reached, takes the tokens, and who can read the topics, without publishing.
 *
 * @param trouble why the answers cannot be read; null: they can
 */
export async function checkTarget(
  { server, hostname, topic, token, answers }: NtfyTarget,
  {
    fetch,
    trouble,
    signal,
  }: {
    readonly fetch: Outbound['fetch'];
    readonly trouble: string | null;
    readonly signal: AbortSignal;
  },
): Promise<ChannelCheck> {
  /** The status of asking to read a topic; null: the server does not respond. */
  async function askToRead(of: Secret, using: Secret | null): Promise<number | null> {
    const url = `${server}/${of.reveal()}/auth`;
    const request = { headers: authorization(using), redirect: 'manual', signal } as const;
    const response = await fetch(url, request).catch(() => null);
    await response?.body?.cancel();
    return response?.status ?? null;
  }

  const status = await askToRead(topic, token);
  if (status === null) return { ok: false, summary: `Cannot reach "${hostname}"` };
  if (status === 401) {
    return {
      ok: false,
      summary: `"${hostname}" refuses the token`,
      hint: 'Create a token with "ntfy token add USER" or on the account page, and put it into "token"',
    };
  }
  // 403: a token that may write but not read is enough to publish.
  if (status !== 200 && status !== 403) {
    return { ok: false, summary: `"${hostname}" answered ${status}: not an ntfy server?` };
  }
  const readers =
    (await askToRead(topic, null)) === 200
      ? 'everyone who knows the topic can read it, so requests cannot be decided there'
      : status === 200
        ? '"token" can read the topic, and your programs can read "token": requests cannot be decided there'
        : 'requests can be decided there';
  if (answers === null) {
    return { ok: true, summary: `Publishes to ${hostname}, without buttons; ${readers}` };
  }
  if ((await askToRead(answers.topic, token)) !== 200) {
    return {
      ok: false,
      summary: `Cannot read "answer_topic" on ${hostname}: buttons have no effect`,
      hint: 'Allow the user of "token" to read it: ntfy access USER ANSWER_TOPIC read-only',
    };
  }
  return trouble === null
    ? { ok: true, summary: `Publishes to ${hostname}, with buttons; ${readers}` }
    : { ok: false, summary: `Buttons have no effect: ${trouble}` };
}
