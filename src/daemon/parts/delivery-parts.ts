import type { HookEvent } from '../../core/hook-event.ts';
import type { Config } from '../../config/config.ts';
import type { ReadSecret } from '../../config/secrets.ts';
import type { ChannelDependencies, Reaction } from '../../core/channel.ts';
import type { HistoryEntry } from '../../core/history.ts';
import type { People } from '../../core/hub/people.ts';
import type { Environment } from '../../core/launch-environment.ts';
import type { Log } from '../../platform/log.ts';
import type { DecidableRequest, Notification } from '../../core/notification.ts';
import type { Paths } from '../../core/paths.ts';
import type { Redact } from '../../text/redact.ts';
import type { WholeDelivery } from '../../core/outbox.ts';
import type { Session } from '../../core/session.ts';
import type { Store } from '../../core/store.ts';
import type { OnCircuitChange } from '../../delivery/channel-health.ts';
import { entryTexts } from '../../delivery/entry-texts.ts';
import { createEnricher, type EnricherOptions } from '../../delivery/enrich.ts';
import {
  createRenderer,
  type Renderer,
  type RendererOptions,
  type Texts,
} from '../../delivery/render.ts';
import { createReactionSubscriber } from '../../delivery/reaction-subscriber.ts';
import { createRecipients } from '../../delivery/recipients.ts';
import type { RunningChannel, RunningChannels } from '../../delivery/running-channel.ts';
import { createTimekeeper, type TimekeeperOptions } from '../../delivery/timekeeper.ts';
import { type Clock, systemTimer } from '../../platform/time.ts';
import { createWithdrawer, resubscribe } from '../../delivery/withdrawer.ts';
import { createWorker } from '../../delivery/worker.ts';
import type { ApiClient } from '../../vendor/api-client.ts';
import { pageOf } from '../../vendor/event-payload.ts';
import type { MakeReplyLink } from '../../reply/reply-links.ts';
import { createRedaction, type Redaction } from '../redaction.ts';
import { channelDependencies, startChannels, stopChannels } from '../running-channels.ts';
import { originHere } from '../../delivery/warnings.ts';

export interface DeliveryParts {
  start(): Promise<void>;
  /** A delivery may be due. */
  wake(): void;
  /** Takes the channels and texts of a new configuration; the old channels finish their sends. */
  reconfigure(config: Config): Promise<void>;
  /** Sends to every channel that people read, bypassing the outbox: once and without a record. */
  sendNow(notification: Notification): void;
  channels(): RunningChannels;
  delivered(channel: string): Promise<void>;
  /** Takes reactions to notifications that other processes have sent about these events. */
  subscribeReactions(eventIds: readonly string[]): Promise<void>;
  /** True while a channel cannot be set up, or rejects its configuration. */
  hasBroken(): boolean;
  texts(entry: HistoryEntry, session?: Session): Texts;
  /** Redaction by the configuration in force. */
  redaction(): Redaction;
  /** Sends in flight get four seconds to finish. */
  stop(): Promise<void>;
}

/** Sends in flight get this long to finish when the daemon stops, ms. */
const SEND_GRACE_MS = 4_000;

export interface DeliveryOptions extends Pick<
  RendererOptions & ChannelDependencies,
  'labelOf' | 'isScreenLocked' | 'outbound' | 'files'
> {
  readonly config: Config;
  readonly store: Pick<Store, 'outbox' | 'held' | 'alerts' | 'sessions' | 'shown' | 'history'>;
  /** Asked for the people a message concerns. */
  readonly api: ApiClient;
  readonly paths: Paths;
  readonly env: Environment;
  readonly readSecret: ReadSecret;
  readonly now: Clock;
  readonly log: Log;
  readonly onCircuitChange: OnCircuitChange;
  /** Called when deliveries wait for a channel missing from the configuration, and when that ends. */
  readonly onMissing: (channel: string, isWaitedFor: boolean) => void;
  /** Decides about held deliveries, by the policy in force. */
  readonly decideDue: TimekeeperOptions['decideDue'];
  readonly look: NonNullable<TimekeeperOptions['look']>;
  readonly askRunning: NonNullable<TimekeeperOptions['askRunning']>;
  readonly lookForAnswers: NonNullable<TimekeeperOptions['lookForAnswers']>;
  /** The people of a hub; absent: there is none. */
  readonly people?: People | undefined;
  readonly lookUp: EnricherOptions['lookUp'];
  readonly readTranscriptTitle: EnricherOptions['readTranscriptTitle'];
  readonly makeReplyLink: MakeReplyLink;
  /** Whether a person can still decide the request of an event where it notified them. */
  readonly isHeld: (event: HookEvent) => boolean;
  /** Waits a moment for a request whose machine reports it after its event. */
  readonly awaitRequest: (event: HookEvent) => Promise<void> | undefined;
  /** What can be decided about the request of a notification; null: nothing. */
  readonly decidableOf: (
    delivery: WholeDelivery,
    where: 'here' | 'anywhere',
    redact: Redact,
  ) => DecidableRequest | null;
  /** A person reacted to a shown notification. Never throws. */
  readonly onReaction: (channel: string, reaction: Reaction) => void;
}

/** Sets up the channels, and the worker that serves them once it is started. */
export async function createDelivery(options: DeliveryOptions): Promise<DeliveryParts> {
  const { store, log, now } = options;
  const start = (config: Config): Promise<RunningChannels> =>
    startChannels(
      config.channels,
      (name) => channelDependencies(name, { ...options, onWorksAgain: (one) => worksAgain(one) }),
      log,
    );

  let channels = await start(options.config);
  let redaction = createRedaction(options.config);
  let renderer = rendererOf(options.config);
  const recipientOf = createRecipients({
    channels: () => channels,
    people: options.people,
    // Loaded when the first channel asks: most configurations need none.
    loadDirectory: async () => {
      const { createDirectoryRecipients } = await import('../../vendor/directory-recipients.ts');
      return createDirectoryRecipients({ api: options.api, history: store.history, now, log });
    },
  });
  const enricher = createEnricher({
    lookUp: options.lookUp,
    readTranscriptTitle: options.readTranscriptTitle,
    sessions: store.sessions,
    now,
    startTimer: systemTimer,
    log,
  });
  const worker = createWorker({
    outbox: store.outbox,
    channels,
    prepare: (claimed) => enricher.prepare(claimed),
    render: async (claimed) => {
      const page = await pageOf(claimed, store.history);
      const recipient = await recipientOf(claimed);
      return {
        ...(await notificationOf(claimed)),
        ...(page !== null && { page }),
        ...(recipient !== null && { recipient }),
      };
    },
    now,
    log,
    onChange: options.onCircuitChange,
    onMissing: options.onMissing,
    onAttemptEnded: () => look(),
  });
  const withdrawer = createWithdrawer({
    shown: store.shown,
    channels: () => channels,
    isHeld: options.isHeld,
    original: (withdrawal) => renderer.notification({ ...withdrawal, also: [] }),
    render: (withdrawal) => renderer.over(withdrawal),
    log,
  });
  const timekeeper = createTimekeeper({
    held: store.held,
    alerts: store.alerts,
    decideDue: options.decideDue,
    look: options.look,
    askRunning: options.askRunning,
    lookForAnswers: options.lookForAnswers,
    programChannels: () => programChannelsOf(channels),
    now,
    log,
    onReleased: wake,
  });
  let subscribed = Promise.resolve();
  const reactions = { shown: store.shown, notificationOf, log };
  const subscribeReactions = createReactionSubscriber({ ...reactions, channels: () => channels });

  async function notificationOf(whole: WholeDelivery): Promise<Notification> {
    const { channel } = whole.delivery;
    const { can = {}, reach } = channels.get(channel) ?? {};
    const replyLink = can.reply === undefined ? null : await options.makeReplyLink(whole);
    const place = reach === 'near' ? 'here' : 'anywhere';
    if (can.decide !== undefined) await options.awaitRequest(whole.event);
    const decidable =
      can.decide === undefined
        ? null
        : options.decidableOf(whole, place, redaction.requestFor(channel));
    return {
      ...renderer.notification(whole),
      ...(replyLink !== null && { replyLink }),
      ...(decidable !== null && { decidable }),
    };
  }

  function rendererOf({ templates }: Config): Renderer {
    const { labelOf } = options;
    return createRenderer({
      templates,
      redactFor: redaction.textFor,
      detailOf: redaction.detailOf,
      labelOf,
      origin: originHere(),
    });
  }

  async function decideHeldAgain(): Promise<void> {
    try {
      for (const by of ['quiet', 'budget', 'hidden'] as const) await store.held.reevaluateHeld(by);
    } catch (error) {
      log.warn({ err: error }, 'Cannot reevaluate held deliveries');
    }
  }

  /** The worker is made after the channels, which probe some time after their start. */
  function worksAgain(channel: string): void {
    worker.worksAgain(channel);
  }

  function wake(): void {
    worker.wake();
    look();
  }

  function look(): void {
    timekeeper.wake();
    withdrawer.wake();
  }

  function subscribe(): void {
    subscribed = subscribed.then(() => resubscribe(channels, reactions));
  }

  return {
    async start() {
      // Quiet hours and channels may have changed after something was held because of them.
      await decideHeldAgain();
      worker.start();
      timekeeper.start();
      // An earlier daemon may not have finished its withdrawals.
      withdrawer.wake();
      subscribe();
    },
    wake,
    async reconfigure(config) {
      const former = channels;
      channels = await start(config);
      redaction = createRedaction(config);
      renderer = rendererOf(config);
      await worker.replaceChannels(channels);
      await stopChannels(former, log);
      subscribe();
      await decideHeldAgain();
      wake();
    },
    sendNow(notification) {
      for (const running of channels.values()) {
        if (running.audience !== 'person' || running.isPersonal === true) continue;
        void sendWarning(running, notification, log);
      }
    },
    channels: () => channels,
    delivered: (channel) => worker.delivered(channel),
    subscribeReactions,
    hasBroken: () =>
      [...channels.values()].some(({ problem }) => problem !== null) ||
      worker.state().some(({ circuit, openUntil }) => circuit === 'open' && openUntil === null),
    texts: (entry, session) => entryTexts(renderer, entry, session),
    redaction: () => redaction,
    async stop() {
      await Promise.all([
        timekeeper.stop(),
        withdrawer.stop(),
        worker.stop({ graceMs: SEND_GRACE_MS }),
        enricher.stop(),
      ]);
      await stopChannels(channels, log);
      await subscribed;
    },
  };
}

/** Their pending messages are sent even when the alert is answered meanwhile. */
function programChannelsOf(channels: RunningChannels): readonly string[] {
  return [...channels.values()]
    .filter(({ audience }) => audience === 'program')
    .map(({ name }) => name);
}

async function sendWarning(
  { name, channel, limits }: RunningChannel,
  notification: Notification,
  log: Log,
): Promise<void> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    const outcome = await channel.send(notification, { signal, carry: null, attempt: 1 });
    if (outcome.type === 'delivered') return;
    log.warn({ channel: name, reason: outcome.reason }, 'Cannot send a warning');
  } catch (error) {
    log.error({ channel: name, err: error }, 'A channel failed to send a warning');
  }
}
