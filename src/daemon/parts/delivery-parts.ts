import type { Config } from '../../config/config.ts';
import type { HistoryEntry } from '../../core/history.ts';
import type { Notification } from '../../core/notification.ts';
import type { WholeDelivery } from '../../core/outbox.ts';
import type { Session } from '../../core/session.ts';
import type { presenceHere } from '../../attention/presence-sources.ts';
import { createEnricher } from '../../delivery/enrich.ts';
import { createRenderer, type Renderer } from '../../delivery/render.ts';
import {
  createRecipients,
  type RunningChannel,
  type RunningChannels,
} from '../../delivery/running-channel.ts';
import { createTimekeeper } from '../../delivery/timekeeper.ts';
import type { Log } from '../../platform/log.ts';
import { systemTimer } from '../../platform/time.ts';
import {
  createReactionSubscriber,
  createWithdrawer,
  resubscribe,
} from '../../delivery/withdrawer.ts';
import { createWorker } from '../../delivery/worker.ts';
import type { ApiClient } from '../../vendor/api-client.ts';
import { pageOf } from '../../vendor/event-payload.ts';
import type { LookUps } from '../../vendor/look-ups.ts';
import { decidableIn } from '../../reply/decisions.ts';
import { createDecideDue } from '../decide-now.ts';
import type { Projects } from '../projects.ts';
import { createRedaction } from '../redaction.ts';
import { channelDependencies, startChannels, stopChannels } from '../running-channels.ts';
import { originHere } from '../../delivery/warnings.ts';
import { circuitWarnings, missingWarnings } from '../warning-texts.ts';
import type { Asking } from './asking-parts.ts';
import type { Base } from './base-parts.ts';

export type DeliveryParts = Awaited<ReturnType<typeof createDelivery>>;

/** Sends in flight get this long to finish when the daemon stops, ms. */
const SEND_GRACE_MS = 4_000;

interface DeliveryOptions {
  /** Asked for the people a message concerns. */
  readonly api: ApiClient;
  readonly lookUps: LookUps;
  readonly presence: ReturnType<typeof presenceHere>;
  readonly projects: Projects;
  readonly asking: Asking;
}

/** Sets up the channels, and the worker that serves them once it is started. */
export async function createDelivery(base: Base, options: DeliveryOptions) {
  const { store, log, now, signals, warnings } = base;
  const { api, lookUps, presence, projects } = options;
  const { decisions, hub, answers, replyLinks } = options.asking;
  const people = hub?.people;
  const decidableOf = decidableIn(decisions);
  const dependencies = {
    ...base,
    isScreenLocked: presence.isScreenLocked,
    onReaction: signals.reactions.emit,
    // The worker is made after the channels, which probe some time after their start.
    onWorksAgain: (channel: string): void => worker.worksAgain(channel),
  };
  const start = ({ channels: configured }: Config): Promise<RunningChannels> =>
    startChannels(configured, (name) => channelDependencies(name, dependencies), log);

  let channels = await start(base.config());
  let redaction = createRedaction(base.config());
  let renderer = rendererOf(base.config());
  const recipientOf = createRecipients({
    channels: () => channels,
    people,
    // Loaded when the first channel asks: most configurations need none.
    loadDirectory: async () => {
      const { createDirectoryRecipients } = await import('../../vendor/directory-recipients.ts');
      return createDirectoryRecipients({ api, history: store.history, now, log });
    },
  });
  const enricher = createEnricher({
    lookUp: () => lookUps.current(),
    readTranscriptTitle: base.readTranscriptTitle,
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
    onChange: circuitWarnings(warnings),
    onMissing: missingWarnings(warnings),
    onAttemptEnded: () => look(),
  });
  const withdrawer = createWithdrawer({
    shown: store.shown,
    channels: () => channels,
    isHeld: (event) => decisions.heldFor(event) !== null,
    original: (withdrawal) => renderer.notification({ ...withdrawal, also: [] }),
    render: (withdrawal) => renderer.over(withdrawal),
    log,
  });
  const timekeeper = createTimekeeper({
    held: store.held,
    alerts: store.alerts,
    ...createDecideDue({ ...base, presence, lookUps, people }),
    lookForAnswers: async (sessions) => void (await answers.look(sessions)),
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
    const replyLink = can.reply === undefined ? null : await replyLinks.make(whole);
    const place = reach === 'near' ? 'here' : 'anywhere';
    if (can.decide !== undefined) await hub?.answers.awaitRequest(whole.event);
    const decidable =
      can.decide === undefined ? null : decidableOf(whole, place, redaction.requestFor(channel));
    return {
      ...renderer.notification(whole),
      ...(replyLink !== null && { replyLink }),
      ...(decidable !== null && { decidable }),
    };
  }

  function rendererOf({ templates }: Config): Renderer {
    return createRenderer({
      templates,
      redactFor: redaction.textFor,
      detailOf: redaction.detailOf,
      labelOf: (directory) => projects.of(directory)?.label ?? null,
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
      // An earlier daemon may not have finished its withdrawals.
      withdrawer.wake();
      subscribe();
    },
    /** Begins to send, and to take further steps. */
    begin() {
      worker.start();
      timekeeper.start();
    },
    /** A delivery may be due. */
    wake,
    /** Takes the channels and texts of a new configuration; the old channels finish their sends. */
    async reconfigure(config: Config) {
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
    /** Sends to every channel that people read, bypassing the outbox: once and without a record. */
    sendNow(notification: Notification) {
      for (const running of channels.values()) {
        if (running.audience !== 'person' || running.isPersonal === true) continue;
        void sendWarning(running, notification, log);
      }
    },
    channels: () => channels,
    delivered: (channel: string) => worker.delivered(channel),
    /** Takes reactions to notifications that other processes have sent about these events. */
    subscribeReactions,
    /** True while a channel cannot be set up, or rejects its configuration. */
    hasBroken: () =>
      [...channels.values()].some(({ problem }) => problem !== null) ||
      worker.state().some(({ circuit, openUntil }) => circuit === 'open' && openUntil === null),
    texts: (entry: HistoryEntry, session?: Session) => renderer.entryTexts(entry, session),
    /** By the configuration in force. */
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
