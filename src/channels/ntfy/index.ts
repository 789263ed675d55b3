import { z } from 'zod';

import {
  type Channel,
  type ChannelCheck,
  type ChannelDependencies,
  defineChannel,
} from '../../core/channel.ts';
import { isWaiting } from '../../core/hook-event.ts';
import type { Notification } from '../../core/notification.ts';
import { delivered, failed, type Outcome, retry } from '../../core/outcome.ts';
import { sha256 } from '../../platform/crypto.ts';
import { parseJson } from '../../platform/json.ts';
import { boundedText } from '../../platform/read-within.ts';
import { idleTimer } from '../../platform/time.ts';
import type { Secret } from '../../text/secret.ts';
import {
  abandonedOutcome,
  configCheck,
  networkOutcome,
  statusOutcome,
} from '../support/http-outcome.ts';
import { type ButtonAct, createButtonSigner, openAnswerStream, type Press } from './answers.ts';
import { answeredMessage, messageOf, type NtfyAction, type NtfyMessage } from './message.ts';
import { ntfyOptions, type NtfyTarget, readTarget } from './options.ts';

/** How long "Snooze" silences an alert, ms. */
const SNOOZE_MS = 30 * 60_000;

const labels: Readonly<Record<ButtonAct, string>> = { seen: 'Seen', snooze: 'Snooze 30 min' };

/** What was sent: the messages of its session, and its title if the server cannot withdraw them. */
const reference = z.object({ sequence: z.string(), title: z.string().optional() });

const published = z.object({ sequence_id: z.string().optional() });

/**
 * Publishes to a topic of ntfy, whose apps show it on a phone. A newer message of a session replaces the older one, and
 * an answer elsewhere withdraws it; servers before 2.16 can do neither and get a silent message instead. Buttons
 * publish to a second topic that hookbell reads, so that nothing here has to be reachable from outside.
 */
export default defineChannel({
  type: 'ntfy',
  summary: 'Publishes to an ntfy topic, which the app shows on a phone',
  audience: 'person',
  reach: 'far',
  options: ntfyOptions,
  // The server takes 60 requests at once and one more every 5 s (https://docs.ntfy.sh/config/#rate-limiting).
  limits: { timeoutMs: 10_000, concurrency: 2, burst: 20, refillMs: 2_500, maxAttempts: 12 },
  create: async (options, dependencies) => {
    const target = await readTarget(options, dependencies);
    // An unusable proxy is found now, not with the first message.
    dependencies.outbound.isProxied(new URL(target.server));
    return createNtfyChannel(target, dependencies, () => readTarget(options, dependencies));
  },
});

function createNtfyChannel(
  target: NtfyTarget,
  { outbound, now, onReaction, onWorksAgain }: ChannelDependencies,
  readAgain: () => Promise<NtfyTarget>,
): Channel {
  const { server, topic, token, answers } = target;
  const signer = createButtonSigner(keyOf(target), now);
  const stream =
    answers === null
      ? null
      : openAnswerStream({
          url: `${server}/${answers.topic.reveal()}`,
          headers: authorization(token),
          fetch: (url, request) => outbound.fetch(url, request),
          onMessage: (body) => {
            const press = signer.take(body);
            if (press !== null) onReaction(reactionOf(press));
          },
          onConnected: onWorksAgain,
          startTimer: idleTimer,
          now,
        });

  function actionsOf({ deliveryId, kind, sessionId }: Notification): readonly NtfyAction[] {
    if (answers === null || sessionId === null || kind === 'test') return [];
    const acts: readonly ButtonAct[] = isWaiting(kind) ? ['seen', 'snooze'] : ['seen'];
    return acts.map((act) => ({
      action: 'http',
      label: labels[act],
      url: `${server}/${answers.topic.reveal()}`,
      method: 'POST',
      headers: authorization(answers.token),
      body: signer.sign({ deliveryId, act }),
      clear: true,
    }));
  }

  async function callServer(
    path: string,
    { method, body, signal }: { method: string; body?: string; signal: AbortSignal },
  ): Promise<{ readonly outcome: Outcome; readonly status: number; readonly text: string }> {
    try {
      const response = await outbound.fetch(`${server}${path}`, {
        method,
        headers: { 'user-agent': 'hookbell', ...authorization(token) },
        ...(body !== undefined && { body }),
        redirect: 'manual',
        signal,
      });
      const { status, headers } = response;
      const text = await boundedText(response.body).catch(() => '');
      const retryAfter = headers.get('retry-after');
      return { outcome: outcomeOf(status, retryAfter, text, now()), status, text };
    } catch (error) {
      const outcome = signal.aborted ? abandonedOutcome('ntfy') : networkOutcome(error, 'ntfy');
      return { outcome, status: 0, text: '' };
    }
  }

  const publish = (message: NtfyMessage, signal: AbortSignal) =>
    callServer('/', { method: 'POST', body: JSON.stringify(message), signal });

  return {
    abilities: { replace: true, withdraw: true, update: false, react: answers !== null },

    async send(notification, { signal }) {
      if (signal.aborted) return retry('Stopped before the message was sent');
      const message = messageOf(notification, topic.reveal(), actionsOf(notification));
      const { outcome, text } = await publish(message, signal);
      if (outcome.type !== 'delivered') return outcome;
      const { data } = published.safeParse(parseJson(text));
      // Something in between, such as a page that requires a login, answers 200 as well.
      if (data === undefined) {
        return retry('Cannot deliver to ntfy: the answer is not from an ntfy server', {
          possibleDuplicate: true,
        });
      }
      const canWithdraw = data.sequence_id === message.sequence_id;
      const title = canWithdraw ? {} : { title: message.title };
      return delivered({ ref: JSON.stringify({ sequence: message.sequence_id, ...title }) });
    },

    async withdraw(ref, { signal }) {
      const { data: sent } = reference.safeParse(parseJson(ref));
      if (sent === undefined) return failed('Cannot withdraw from ntfy: the reference is damaged');
      if (sent.title === undefined) {
        const path = `/${topic.reveal()}/${sent.sequence}/clear`;
        return (await callServer(path, { method: 'PUT', signal })).outcome;
      }
      const message = answeredMessage(sent.title, topic.reveal(), sent.sequence);
      return (await publish(message, signal)).outcome;
    },

    async check(signal): Promise<ChannelCheck> {
      try {
        return await checkTarget(await readAgain());
      } catch (error) {
        return configCheck(error);
      }

      /** Whether the topic can be read with a token, by the status; null: the server does not respond. */
      async function mayRead(of: Secret, using: Secret | null): Promise<number | null> {
        const response = await outbound
          .fetch(`${server}/${of.reveal()}/auth`, {
            headers: authorization(using),
            redirect: 'manual',
            signal,
          })
          .catch(() => null);
        await response?.body?.cancel();
        return response?.status ?? null;
      }

      async function checkTarget(found: NtfyTarget): Promise<ChannelCheck> {
        const { hostname } = found;
        const status = await mayRead(found.topic, found.token);
        if (status === null) return { ok: false, summary: `Cannot reach "${hostname}"` };
        if (status === 401) {
          return {
            ok: false,
            summary: `"${hostname}" refuses the token`,
            hint: 'Make a token with "ntfy token add USER" or in the account page, and put it into "token"',
          };
        }
        // 403: a token that may write but not read is enough to publish.
        if (status !== 200 && status !== 403) {
          return { ok: false, summary: `"${hostname}" answered ${status}: not an ntfy server?` };
        }
        const isOpen = (await mayRead(found.topic, null)) === 200;
        const readers = isOpen
          ? 'everyone who knows the topic can read it'
          : 'the topic can be read only with a token';
        if (found.answers === null) {
          return { ok: true, summary: `Publishes to ${hostname}, without buttons; ${readers}` };
        }
        if ((await mayRead(found.answers.topic, found.token)) !== 200) {
          return {
            ok: false,
            summary: `Cannot read "answer_topic" on ${hostname}: buttons have no effect`,
            hint: 'Allow the user of "token" to read it: ntfy access USER ANSWER_TOPIC read-only',
          };
        }
        const trouble = stream?.trouble() ?? null;
        return trouble === null
          ? { ok: true, summary: `Publishes to ${hostname}, with buttons; ${readers}` }
          : { ok: false, summary: `Buttons have no effect: ${trouble}` };
      }
    },

    close: () => stream?.close() ?? Promise.resolve(),
  };
}

/** Signs buttons: from secrets of the configuration, so that it is the same after a restart. */
function keyOf({ server, topic, token, answers }: NtfyTarget): string {
  const parts = [server, topic.reveal(), token?.reveal(), answers?.topic.reveal()];
  return sha256(JSON.stringify(['hookbell ntfy buttons', ...parts]));
}

function reactionOf({ deliveryId, act }: Press) {
  return act === 'seen'
    ? { deliveryId, type: 'acknowledged' as const, opens: null }
    : { deliveryId, type: 'snoozed' as const, forMs: SNOOZE_MS };
}

function authorization(token: Secret | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token.reveal()}` };
}

const refusal = z.object({ code: z.int() });

/** Reasons by the server's error code (https://docs.ntfy.sh/publish/#limitations, server/errors.go of 2.27). */
const reasons: Readonly<Record<number, string>> = {
  40014: 'the message is longer than the server allows',
  40301: 'the token may not publish to the topic',
  41301: 'the message is longer than the server allows',
  42901: 'too many requests',
  42908: 'the daily number of messages is used up',
};

/** A 403 is about the topic or the token, so every further message would get it as well. */
function outcomeOf(status: number, retryAfter: string | null, text: string, now: number): Outcome {
  const outcome = statusOutcome({ status, retryAfter }, 'ntfy', now);
  if (outcome.type === 'delivered') return outcome;
  const known = reasons[refusal.safeParse(parseJson(text)).data?.code ?? 0];
  const reason = known === undefined ? outcome.reason : `${outcome.reason}: ${known}`;
  if (outcome.type === 'retry') return { ...outcome, reason };
  return status === 403 ? failed(reason, { channelBroken: true }) : { ...outcome, reason };
}
