import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { z } from 'zod';

import type { Channel, ChannelCheck, ChannelDependencies } from '../../core/channel.ts';
import { isWaiting } from '../../core/hook-event.ts';
import type { DecidableRequest, Notification } from '../../core/notification.ts';
import { delivered, failed } from '../../core/outcome.ts';
import { sha256 } from '../../platform/crypto.ts';
import { parseJson } from '../../platform/json.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { idleTimer } from '../../platform/time.ts';
import { notFrom } from '../support/json-request.ts';
import { openAnswerStream } from './answer-stream.ts';
import {
  type Button,
  createButtonSigner,
  type DecisionButtons,
  decisionButtons,
  decisionOf,
  isDecision,
  SEEN,
  SNOOZE,
  SNOOZE_MS,
} from '../support/signed-buttons.ts';
import {
  actionOf,
  answeredMessage,
  fitsNtfyMessage,
  MAX_ACTIONS,
  type NtfyAction,
  ntfyMessage,
  sequenceOf,
} from './message.ts';
import { authorization, type NtfyTarget } from './options.ts';
import { checkTarget, ntfyServer } from './server.ts';

/** Of the three buttons, one is Deny; the app cuts labels that are longer. */
const ROOM = { fits: fitsNtfyMessage, mostOptions: 2, longestOption: 30 };

/** Whether others can read the topic is checked again after this time, ms. */
const CLOSED_FOR_MS = 300_000;
const MOST_REQUESTS = 500;

/** What was sent: the messages of its session, and its title if the server cannot withdraw them. */
const reference = z.object({ sequence: z.string(), title: z.string().optional() });

const published = z.object({ sequence_id: z.string().optional() });

/** @param readAgain reads the options and their secrets anew */
export function createNtfyChannel(
  target: NtfyTarget,
  { outbound, now, onReaction, onWorksAgain, stateDir }: ChannelDependencies,
  readAgain: () => Promise<NtfyTarget>,
): Channel {
  const { server, topic, token, answers } = target;
  const calls = ntfyServer(target, { outbound, now });
  const decisionKey = randomBytes(32).toString('hex');
  const signer = createButtonSigner(digestOf(target, 'buttons'), decisionKey, now);
  /** Sent with buttons that decide, by delivery, oldest first. */
  const requests = new RecentMap<string, DecidableRequest>(MOST_REQUESTS);
  let closedUntil = 0;

  const stream =
    answers === null
      ? null
      : openAnswerStream({
          url: `${server}/${answers.topic.reveal()}`,
          headers: authorization(token),
          fetch: (url, request) => outbound.fetch(url, request),
          onMessage: (body) => {
            const press = signer.take(body);
            if (press !== null) onPress(press.deliveryId, press.act);
          },
          onConnected: onWorksAgain,
          memory: join(stateDir, `ntfy-${digestOf(target, 'answers read').slice(0, 16)}`),
          startTimer: idleTimer,
          now,
        });

  function onPress(deliveryId: string, act: string): void {
    const request = requests.get(deliveryId);
    if (!isDecision(act)) {
      const snooze = { deliveryId, type: 'snoozed', forMs: SNOOZE_MS } as const;
      const seen = { deliveryId, type: 'acknowledged', opens: null } as const;
      onReaction(act === 'snooze' ? snooze : seen);
    } else if (request !== undefined) {
      onReaction({ deliveryId, type: 'decided', ...decisionOf(request, act) });
    }
  }

  /** Whether neither everyone nor the token of the configuration, which the user's programs can read, can read the topic. */
  async function isClosed(signal: AbortSignal): Promise<boolean> {
    if (now() < closedUntil) return true;
    const path = `/${topic.reveal()}/auth`;
    for (const using of [null, token]) {
      const { status } = await calls.call(path, { method: 'GET', signal }, using);
      if (status !== 401 && status !== 403) return false;
    }
    closedUntil = now() + CLOSED_FOR_MS;
    return true;
  }

  /** What can be decided in the message; null: nothing, because it has no buttons or everyone could press them. */
  async function decisionIn(
    { deliveryId, decidable }: Notification,
    signal: AbortSignal,
  ): Promise<DecisionButtons | null> {
    if (answers === null || decidable === undefined || !(await isClosed(signal))) return null;
    requests.set(deliveryId, decidable);
    return decisionButtons(decidable, ROOM);
  }

  function actionsOf(
    { deliveryId, kind, sessionId }: Notification,
    deciding: readonly Button[],
  ): readonly NtfyAction[] {
    if (answers === null || sessionId === null || kind === 'test') return [];
    const others = isWaiting(kind) ? [SNOOZE, SEEN] : [SEEN];
    const place = { server, ...answers };
    return [...deciding, ...others]
      .slice(0, MAX_ACTIONS)
      .map(({ label, act }) => actionOf(label, place, signer.sign({ deliveryId, act })));
  }

  return {
    lacks: answers === null ? ['acknowledge', 'snooze', 'decide'] : [],

    async send(notification, { signal }) {
      const decision = await decisionIn(notification, signal);
      const message = ntfyMessage(notification, topic.reveal(), {
        request: decision?.text ?? null,
        actions: actionsOf(notification, decision?.buttons ?? []),
      });
      const { outcome, text } = await calls.publish(message, signal);
      if (outcome.type !== 'delivered') return outcome;
      const { data } = published.safeParse(parseJson(text));
      if (data === undefined) return notFrom('ntfy', 'an ntfy server');
      const canWithdraw = data.sequence_id === message.sequence_id;
      const title = canWithdraw ? {} : { title: message.title };
      return delivered({ ref: JSON.stringify({ sequence: message.sequence_id, ...title }) });
    },

    find: ({ groupKey }) =>
      Promise.resolve(delivered({ ref: JSON.stringify({ sequence: sequenceOf(groupKey) }) })),

    async withdraw(ref, { signal }) {
      const { data: sent } = reference.safeParse(parseJson(ref));
      if (sent === undefined) return failed('Cannot withdraw from ntfy: the reference is damaged');
      if (sent.title === undefined) {
        const path = `/${topic.reveal()}/${sent.sequence}/clear`;
        return (await calls.call(path, { method: 'PUT', signal })).outcome;
      }
      const message = answeredMessage(sent.title, topic.reveal(), sent.sequence);
      return (await calls.publish(message, signal)).outcome;
    },

    async check(signal): Promise<ChannelCheck> {
      return await checkTarget(await readAgain(), {
        fetch: (url, request) => outbound.fetch(url, request),
        trouble: stream?.trouble() ?? null,
        signal,
      });
    },

    close: () => stream?.close() ?? Promise.resolve(),
  };
}

/** Made from secrets of the configuration, so that it is the same after a restart. */
function digestOf({ server, topic, token, answers }: NtfyTarget, purpose: string): string {
  const parts = [server, topic.reveal(), token?.reveal(), answers?.topic.reveal()];
  return sha256(JSON.stringify([`hookbell ntfy ${purpose}`, ...parts]));
}
