import type { z } from 'zod';
import type { FarFiles } from './far-files.ts';
import type { Notification, TerminalLocation } from './notification.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import type { Outcome } from './outcome.ts';

/** What a channel can do beyond sending; shown by `doctor` and asked by the delivery worker. */
export interface Abilities {
  /** A newer notification of the same group takes the place of the older one. */
  readonly replace: boolean;
  /** `withdraw` takes a sent notification back. */
  readonly withdraw: boolean;
  /** `update` changes a sent notification. */
  readonly update: boolean;
  /** `onReaction` is told what people do with a sent notification; where it is absent, nobody can tell. */
  readonly react?: boolean;
  /** It wants to know whom a notification concerns (`Notification.concerned`). */
  readonly concerned?: boolean;
}

/** What a person did with a notification where it was shown. To close it without a click says nothing. */
export type Reaction = {
  /** The delivery that was shown there. */
  readonly deliveryId: string;
} & (
  | {
      /** Clicked it. */
      readonly type: 'acknowledged';
      /** Where the session runs, if it is to be brought forward. */
      readonly opens: TerminalLocation | null;
    }
  | {
      /** Wants to answer the session. */
      readonly type: 'wants to reply';
      /** The page of its `replyLink`. */
      readonly url: string;
    }
  | {
      /** Has answered the session right there. */
      readonly type: 'replied';
      /** Of the `replyLink`, by which the answer may be sent once. */
      readonly url: string;
      /** As the person typed it. */
      readonly text: string;
    }
);

export interface SendContext {
  /** Fires at the delivery's deadline or at shutdown; the channel stops what it does and returns `retry`. */
  readonly signal: AbortSignal;
  /** The `carry` that a `retry` outcome of this delivery brought last. */
  readonly carry: string | null;
  /** Counts from 1. */
  readonly attempt: number;
}

/**
 * One place notifications go to. It only sends: no retry, queue, rate limit or deduplication inside, since
 * those live in the delivery worker, in rows that survive a crash.
 */
export interface Channel {
  readonly abilities: Abilities;
  send(notification: Notification, context: SendContext): Promise<Outcome>;
  /** Changes what was sent under `ref`. Present if and only if `abilities.update`. */
  update?(ref: string, notification: Notification, context: SendContext): Promise<Outcome>;
  /** Takes back what was sent under `ref`. Present if and only if `abilities.withdraw`. */
  withdraw?(ref: string, context: SendContext): Promise<Outcome>;
  /**
   * Hears again what people do with what was shown under `ref` by a channel that is gone, as that of an earlier daemon; where
   * that is not possible, nothing happens. Absent where it never is.
   */
  hearAgain?(ref: string, notification: Notification): Promise<void>;
  /** For `doctor`: looks whether sending would work, without sending. */
  check(signal: AbortSignal): Promise<ChannelCheck>;
  /** Lets go of connections and children; called once. */
  close(): Promise<void>;
}

export interface ChannelCheck {
  readonly ok: boolean;
  /** One line for people, such as "dbus, replaces and withdraws" or "SMTP login refused". */
  readonly summary: string;
  /** What to do when it is not ok. */
  readonly hint?: string;
}

/** What a channel is given besides its options. Everything that touches the world is injected. */
export interface ChannelDependencies {
  /** The name under which the configuration lists the channel. */
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `process.platform` of the machine, so that ladders can be tested. */
  readonly platform: NodeJS.Platform;
  readonly now: () => number;
  /** Relative paths of options start here: the directory of the configuration file. */
  readonly baseDir: string;
  /** hookbell's own state directory. */
  readonly stateDir: string;
  /** Every request to another machine goes this way. */
  readonly outbound: Outbound;
  readonly resolveSecret: (reference: SecretReference) => Promise<string>;
  /** For files that options name: their file system may not answer. */
  readonly files: FarFiles;
  /** Told what people do with what the channel has shown, long after `send` has answered. Never throws. */
  readonly onReaction: (reaction: Reaction) => void;
  /** Called when the channel finds that it can send, at its start or after it could not; what waits is sent at once then. */
  readonly onWorksAgain: () => void;
}

/** Where a secret is kept: never the secret itself, except as a plain string, which `doctor` warns of. */
export type SecretReference =
  | string
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] };

/** How the worker treats a channel unless the configuration says otherwise. */
export interface ChannelLimits {
  /** One attempt is aborted after so long, ms. */
  readonly timeoutMs: number;
  /** Attempts at the same time. */
  readonly concurrency: number;
  /** Token bucket: so many messages … */
  readonly burst: number;
  /** … refilled by one every so many ms. 0: no limit. */
  readonly refillMs: number;
  /** A delivery becomes a dead letter after so many failures while others got through. */
  readonly maxAttempts: number;
  /** So many deliveries are claimed at once, several of a session among them; left out: one for each free attempt. */
  readonly batch?: number;
  /**
   * True where messages sent at the same time arrive in the order of the calls, and none arrives behind one that failed:
   * those of a session follow without waiting for the outcome of the one before.
   */
  readonly pipelined?: boolean;
}

/** The default export of a file in `src/channels/`. */
export interface ChannelDefinition<Schema extends z.ZodType = z.ZodType> {
  /** What `type:` in the configuration says. */
  readonly type: string;
  /** One sentence for the reference table. */
  readonly summary: string;
  /**
   * Who reads it. A person is spared what was answered before it could be sent; a machine (a log file, a
   * webhook) gets every notification.
   */
  readonly audience: 'person' | 'program';
  /**
   * Where it reaches a person: `near`, on this machine, where a ring that was not needed costs a glance; `far`, anywhere else;
   * `record`, not by itself. Decides how long a request of an agent has to stay open before the channel gets it.
   */
  readonly reach: 'near' | 'far' | 'record';
  /** True where a notification's `replyLink` is shown or followed; elsewhere none is made. */
  readonly showsReplyLink?: true;
  /** The channel's own keys, without `type` and without the keys every channel has. */
  readonly options: Schema;
  /** What is well-formed and cannot work, as far as the options alone show it: a key, and a sentence that its path begins. */
  doubts?(options: z.output<Schema>): readonly { readonly key: string; readonly message: string }[];
  readonly limits: ChannelLimits;
  /**
   * Makes the channel; loads its packages only here, so that a daemon that does not use them starts fast.
   * @throws ConfigError when a secret cannot be read or an option cannot work on this machine
   */
  create(options: z.output<Schema>, dependencies: ChannelDependencies): Promise<Channel>;
}

/** Gives a channel definition its types. */
export function defineChannel<Schema extends z.ZodType>(
  definition: ChannelDefinition<Schema>,
): ChannelDefinition<Schema> {
  return definition;
}
