import type { Agent } from 'undici';

import type { JsonObject } from '../../platform/json.ts';
import type { Outbound } from '../../platform/outbound/outbound-port.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { type Connected, keepConnected } from '../../platform/rounds.ts';
import { pause, type StartTimer } from '../../platform/time.ts';
import type { Secret } from '../../text/secret.ts';
import { quietLogger } from './web-api.ts';

const MAX_WAIT_MS = 15_000;
const REOPEN_MS = 100;
/** How long the other side may take to confirm the end of a connection, ms. */
const CLOSE_MS = 1_000;
/** Envelopes are delivered again if their acknowledgement was lost. */
const MOST_ENVELOPES = 1_000;

interface Envelope {
  readonly ack: (response?: JsonObject) => Promise<void>;
  readonly envelope_id: string;
  readonly type: string;
  readonly body: unknown;
}

export interface SocketOptions {
  readonly server: string;
  readonly appToken: Secret;
  readonly outbound: Pick<Outbound, 'fetch' | 'agent'>;
  readonly onInteractive: (body: unknown) => void;
  readonly onEvent: (body: unknown) => void;
  /** Takes the body of a `slash_commands` envelope; the result is its response, within 3 s. Never rejects. */
  readonly onCommand: (body: unknown) => Promise<JsonObject>;
  readonly onConnected: () => void;
  readonly startTimer: StartTimer;
}

/** Slack ends each after hours (https://docs.slack.dev/apis/events-api/using-socket-mode). Envelopes have 3 s. */
export function openSocket(options: SocketOptions) {
  const { server, appToken, outbound, startTimer } = options;
  const closing = new AbortController();
  const seen = new RecentMap<string, true>(MOST_ENVELOPES);
  let trouble: string | null = 'Not connected to Slack yet';
  let disconnect: (() => Promise<unknown>) | null = null;

  async function take({ envelope_id: id, type, body, ack }: Envelope): Promise<void> {
    let response: JsonObject | undefined;
    if (!seen.has(id)) {
      seen.set(id, true);
      if (type === 'interactive') options.onInteractive(body);
      else if (type === 'events_api') options.onEvent(body);
      else if (type === 'slash_commands') response = await options.onCommand(body);
    }
    // Slack delivers it again if this is lost.
    await ack(response).catch(() => undefined);
  }

  async function connect(agent: Agent): Promise<Connected> {
    const { LogLevel, SocketModeClient } = await import('./sdk-app.ts');
    const client = new SocketModeClient({
      appToken: appToken.reveal(),
      autoReconnectEnabled: false,
      dispatcher: agent,
      logger: quietLogger(LogLevel.ERROR),
      clientOptions: {
        slackApiUrl: server,
        fetch: (url, init = {}) =>
          outbound.fetch(url, {
            method: init.method ?? 'POST',
            headers: new Headers(init.headers),
            ...(typeof init.body === 'string' && { body: init.body }),
            redirect: 'manual',
            signal: AbortSignal.any([closing.signal, AbortSignal.timeout(10_000)]),
          }),
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
      },
    });
    const over = new Promise<void>((resolve) => client.once('disconnected', () => resolve()));
    client.on('slack_event', (envelope: Envelope) => void take(envelope));
    client.on('error', () => undefined);
    const starting = client.start();
    disconnect = () => end(client, starting, startTimer);
    try {
      await starting;
    } catch (error) {
      trouble = troubleOf(error);
      return { wasOpen: false, afterMs: null };
    }
    trouble = null;
    options.onConnected();
    if (closing.signal.aborted) await disconnect();
    await over;
    trouble = 'The connection to Slack was closed';
    return { wasOpen: true, afterMs: REOPEN_MS };
  }

  async function run(): Promise<void> {
    const agent = await outbound.agent();
    const { signal } = closing;
    await keepConnected(() => connect(agent), { longestMs: MAX_WAIT_MS, startTimer, signal });
  }

  const running = run().catch(() => undefined);
  return {
    /** Why nothing is received; null: the connection is open. */
    trouble: (): string | null => trouble,
    async close(): Promise<void> {
      closing.abort();
      await disconnect?.().catch(() => undefined);
      await running;
    },
  };
}

/** Slack's client waits half a minute for the other side unless called twice, and leaves such a timer if ended while it opens. */
async function end(
  client: { disconnect(): Promise<void> },
  starting: Promise<unknown>,
  startTimer: StartTimer,
): Promise<void> {
  const opened = new AbortController();
  void starting.catch(() => undefined).then(() => opened.abort());
  await pause(CLOSE_MS, startTimer, opened.signal);
  const cancel = startTimer(CLOSE_MS, () => void client.disconnect());
  await client.disconnect();
  cancel();
}

/** In words; Slack's own texts are not repeated. */
function troubleOf(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  if (/invalid_auth|not_authed|token_revoked|account_inactive/.test(text)) {
    return 'Slack refuses "app_token"';
  }
  if (text.includes('not_allowed_token_type')) return '"app_token" is not an app-level token';
  return 'Cannot connect to Slack';
}
