/*
 * Events on their way between machines: pairing, signatures, sending until accepted, receiving once. Where they arrive
 * they are decided like any other; that decision, and who is in a team, never enters.
 */
import { dirname } from 'node:path';

import type { Config } from '../config/config.ts';
import type { RelayConfig } from '../config/endpoint-schema.ts';
import type { RelayView } from '../control/contract-views.ts';
import type { SecretReference } from '../core/channel.ts';
import { durationText } from '../text/duration.ts';
import { ConfigError, errorCode } from '../platform/errors.ts';
import { resolvePath } from '../platform/find-program.ts';
import { type FarFiles, HungPathError } from '../core/far-files.ts';
import type { Log } from '../platform/log.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import type { Paths } from '../core/paths.ts';
import type { RelayAddress } from '../core/relay.ts';
import type { Store } from '../core/store.ts';
import { MISSING_GRACE_MS } from '../delivery/giving-up.ts';
import { type Clock, isoTime } from '../platform/time.ts';
import type { Exchanger, HeldRequests } from './exchanger.ts';
import type { AskingLink, HubLink, HubReply, RelayLink, RelayLinkOptions } from './link.ts';
import type { PolicyOfHub } from './policy-of-hub.ts';
import type { Sender } from './sender.ts';
import { sessionTitles, type SessionTitlesOptions } from './session-titles.ts';
import { socketAddress } from '../platform/http/unix-socket.ts';
import type { Warnings } from '../delivery/warnings.ts';

export interface RelayingOptions extends SessionTitlesOptions {
  readonly files: FarFiles;
  readonly config: () => Config;
  readonly paths: Pick<Paths, 'config'>;
  readonly readSecret: (reference: SecretReference) => Promise<string>;
  readonly outbound: Outbound;
  /** The requests that are held here, which people may answer through a hub. */
  readonly questions: HeldRequests;
  readonly store: Pick<Store, 'relay'>;
  readonly policyOfHub: Pick<PolicyOfHub, 'learnVersion' | 'view'>;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly now: Clock;
  readonly log: Log;
}

const WARNING = 'relay';
/** A person waits for the answer. */
const ASK_TIMEOUT_MS = 10_000;

/** Relays the events of this machine to another one, if configured. */
export function createRelaying(options: RelayingOptions) {
  const { config, store, warnings, now, log } = options;
  let sender: Promise<Sender> | null = null;
  let exchanger: Promise<Exchanger> | null = null;
  let giveUpTimer: NodeJS.Timeout | undefined;
  /** Changes follow one another: two at a time could start two senders. */
  let changed: Promise<void> = Promise.resolve();

  const isHeld = (eventId: string): boolean =>
    config().answers.throughHub &&
    options.questions.shown().some(({ question }) => question.id === eventId);

  async function begin(relay: RelayConfig): Promise<Sender> {
    const { createSender } = await import('./sender.ts');
    const started = createSender({
      outbox: store.relay,
      to: relay.to,
      complete: sessionTitles(options),
      open: () => openSending(relay),
      keepMs: () => config().history.keepMs,
      onTrouble(text) {
        if (text !== null) return warnings.raise(WARNING, text);
        warnings.clear(WARNING);
        void exchanger?.then((one) => one.works());
      },
      now,
      log,
    });
    started.start();
    return started;
  }

  /** Notes which policy the hub says it has. */
  async function openSending(relay: RelayConfig): Promise<RelayLink> {
    const link = await openLink(relay, options, { held: isHeld });
    return {
      ...link,
      async send(records, signal) {
        const sent = await link.send(records, signal);
        if (sent.type === 'ok') options.policyOfHub.learnVersion(sent.policy ?? null);
        return sent;
      },
    };
  }

  async function beginExchange(relay: RelayConfig): Promise<Exchanger> {
    const { createExchanger } = await import('./exchanger.ts');
    const { questions } = options;
    // One waits for answers while the other reports.
    const open = (): Promise<HubLink> => openLink(relay, options, { connections: 2 });
    const started = createExchanger({ questions, open, now, log });
    started.start();
    return started;
  }

  function start(): void {
    const { relay, answers } = config();
    if (relay !== null) {
      sender = begin(relay);
      if (answers.throughHub) exchanger = beginExchange(relay);
    } else giveUpTimer = setTimeout(() => void giveUpAll(), MISSING_GRACE_MS).unref();
  }

  /** Pending events have no other end once relaying is off, and the history keeps them until then. */
  async function giveUpAll(): Promise<void> {
    try {
      const grace = durationText(MISSING_GRACE_MS);
      const reason = `Not relayed: "relay" has been missing from the configuration for ${grace}`;
      const count = await store.relay.giveUp({ reason });
      if (count > 0) log.warn({ count }, 'Gave up relaying events');
    } catch (error) {
      log.warn({ err: error }, 'Cannot give up events that wait to be relayed');
    }
  }

  async function stop(): Promise<void> {
    clearTimeout(giveUpTimer);
    const stopped = [sender, exchanger] as const;
    sender = null;
    exchanger = null;
    await Promise.all(stopped.map(async (one) => (await one)?.stop()));
  }

  async function change(before: Promise<void>): Promise<void> {
    await before;
    await stop();
    warnings.clear(WARNING);
    start();
  }

  /** Asks the hub that this machine belongs to, with a signed request. Null if not configured. */
  const askHub = async (path: string, body: object): Promise<HubReply | null> => {
    const { relay } = config();
    if (relay === null) return null;
    const link = await openLink(relay, options);
    try {
      return await link.ask(path, body, AbortSignal.timeout(ASK_TIMEOUT_MS));
    } finally {
      link.close();
    }
  };

  return {
    start,
    /** Takes a new configuration. */
    reconfigure() {
      changed = change(changed);
      return changed;
    },
    /** Events may wait to be relayed. */
    wake() {
      void sender?.then((started) => started.wake());
    },
    /** A request is held, answered, or no longer held. */
    questionsChanged() {
      void exchanger?.then((started) => started.changed());
    },
    askHub,
    /** Null if not configured. */
    async view(): Promise<RelayView | null> {
      const { relay } = config();
      if (relay === null || sender === null) return null;
      const { state, reason, lastAt } = (await sender).state();
      const { count, since } = await store.relay.backlog();
      return {
        to: relay.to,
        state,
        reason,
        lastAt: lastAt === null ? null : isoTime(lastAt),
        waiting: count,
        waitingSince: since === null ? null : isoTime(since),
        policy: options.policyOfHub.view(),
      };
    },
    /** Checks whether the other machine responds. Null if not configured. */
    async check(): Promise<{ readonly ok: boolean; readonly summary: string } | null> {
      for (;;) {
        await changed;
        const asked = sender;
        const found = (await (await asked)?.check()) ?? null;
        // A sender that was stopped meanwhile was stopped in the middle of its check.
        if (asked === sender) return found;
      }
    },
    async stop() {
      await changed;
      await stop();
    },
  };
}

/** @throws ConfigError when the token or the certificate cannot be read */
async function openLink(
  { address, token: reference, certificate }: RelayConfig,
  { paths, readSecret, files, outbound, now }: RelayingOptions,
  more: Pick<RelayLinkOptions, 'connections' | 'held'> = {},
): Promise<RelayLink & HubLink & AskingLink> {
  const [{ createLink }, { readToken }] = await Promise.all([
    import('./link.ts'),
    import('./token.ts'),
  ]);
  const token = readToken(await readSecret(reference));
  if (token === null) {
    throw new ConfigError('the stored token is not one from "hookbell remote pair"');
  }
  const baseDir = dirname(paths.config);
  const pem =
    certificate === null ? null : await readPem(resolvePath(certificate, { baseDir }), files);
  return createLink({
    address: reachable(address),
    certificate: pem,
    token,
    outbound,
    now,
    ...more,
  });
}

/** The kernel has another name for sockets with long paths. */
function reachable(address: RelayAddress): RelayAddress {
  if (address.type === 'url') return address;
  return { type: 'socket', path: socketAddress(resolvePath(address.path, { baseDir: '/' })).path };
}

/** @throws ConfigError when the file cannot be read */
export async function readPem(path: string, files: FarFiles): Promise<string> {
  try {
    return await files.run('text', { path });
  } catch (error) {
    if (error instanceof HungPathError) throw error;
    throw new ConfigError(`Cannot read "${path}": ${errorCode(error) ?? 'it is not a file'}`, {
      cause: error,
    });
  }
}
