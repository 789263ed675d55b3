import { ConfigError } from '../../core/errors.ts';

const slackHosts: ReadonlySet<string> = new Set(['hooks.slack.com', 'hooks.slack-gov.com']);
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Checks the address of an incoming webhook; the SDK would notice a broken one only on the first message.
 *
 * @throws ConfigError that says what is wrong, without the address, which is a secret
 */
export function parseWebhookUrl(
  text: string,
  { channel, allowAnyHost }: { channel: string; allowAnyHost: boolean },
): URL {
  const fault = webhookFault(text, allowAnyHost);
  if (fault === null) return new URL(text);
  throw new ConfigError(`Cannot use channel "${channel}": the address in "webhook" ${fault}`, {
    hint: 'Give the address that Slack shows for an incoming webhook: https://hooks.slack.com/services/…',
  });
}

/** What is wrong with the address of an incoming webhook, as the rest of a sentence and without it; null for nothing. */
export function webhookFault(text: string, allowAnyHost: boolean): string | null {
  return URL.canParse(text) ? faultOf(new URL(text), allowAnyHost) : 'is not a URL';
}

function faultOf(url: URL, allowAnyHost: boolean): string | null {
  if (url.username !== '' || url.password !== '') return 'holds a user name or password';
  if (allowAnyHost) {
    if (url.protocol === 'https:') return null;
    const local = url.protocol === 'http:' && loopbackHosts.has(url.hostname);
    return local ? null : 'is not https (plain http goes to this machine only)';
  }
  if (url.protocol !== 'https:') return 'is not https';
  if (!slackHosts.has(url.host)) {
    return `is at "${url.host}", expected hooks.slack.com (or allow_any_host: true)`;
  }
  return url.pathname.startsWith('/services/') ? null : 'is not that of an incoming webhook';
}
