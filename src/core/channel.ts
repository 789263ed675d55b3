import type { z } from 'zod';
import type { Ability, DeclaredAbilities } from './ability.ts';
import type { FarFiles } from './far-files.ts';
import type { Notification, TerminalLocation } from './notification.ts';
import type { DecisionChoice } from './question.ts';
import { ConfigError } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import { type Outcome, retry } from './outcome.ts';
import type { GuidedAnswer, SetUpGuide } from './prompts.ts';

/** What a person did with a notification where it was shown. Closing it without a click is not a reaction. */
export type Reaction = {
  /** The delivery that was shown there. */
  readonly deliveryId: string;
  /** Who reacted, as the service names the account, such as "Slack member T0123:U0123"; absent: the user of this machine. */
  readonly by?: string;
} & (
  | {
      /** Clicked it. */
      readonly type: 'acknowledged';
      /** Where the session runs, if it should be brought forward. */
      readonly opens: TerminalLocation | null;
    }
  | {
      /** Silenced its alert, which notifies again if it is still open then. */
      readonly type: 'snoozed';
      /** Ms. */
      readonly forMs: number;
    }
  | {
      /** Muted the session: its notifications wait until then. */
      readonly type: 'muted';
      /** `groupKey` of the notification. */
      readonly groupKey: string;
      /** Ms. */
      readonly forMs: number;
    }
  | {
      /** Wants to answer the session. */
      readonly type: 'reply-requested';
      /** The page of its `replyLink`. */
      readonly url: string;
    }
  | {
      /** Answered the session in the notification. */
      readonly type: 'replied';
      /** Token of the `replyLink`, with which the answer may be sent once. */
      readonly url: string;
      /** Verbatim, as typed. */
      readonly text: string;
    }
  | ({
      /** Decided the request of its `decidable`. */
      readonly type: 'decided';
    } & GivenDecision)
);

/** A decision as a person gave it where the request was shown. */
export interface GivenDecision {
  /** The id of the question. */
  readonly question: string;
  /** The hash of the request that was shown there. */
  readonly requestHash: string;
  readonly choice: DecisionChoice;
  /** The chosen option of the only question, from 0; null: none was chosen. */
  readonly option: number | null;
  /** What was typed, verbatim; null: nothing. */
  readonly words: string | null;
  /** Who decided, as the service names the account, such as "Slack member T0123:U0123"; absent: the user of this machine. */
  readonly by?: string;
}

export interface SendContext {
  /** Aborts at the delivery's deadline or at shutdown; the channel stops and returns `retry`. */
  readonly signal: AbortSignal;
  /** The `carry` that a `retry` outcome of this delivery brought last. */
  readonly carry: string | null;
  /** Counts from 1. */
  readonly attempt: number;
}

/**
 * One destination of notifications. It only sends, without retry, queue, rate limit or deduplication: the delivery
 * worker does these, in rows that survive a crash.
 */
export interface Channel {
  /** Abilities that its type declares and it lacks at present: an option, a server or a program is missing. Absent: none. */
  readonly lacks?: readonly Ability[];
  /** Needs to know whom a notification is about (`Notification.recipient`). */
  readonly needsRecipient?: boolean;
  send(notification: Notification, context: SendContext): Promise<Outcome>;
  /** Changes what was sent under `ref`. Present if and only if it has this ability. */
  update?(ref: string, notification: Notification, context: SendContext): Promise<Outcome>;
  /** Takes back what was sent under `ref`. Present if and only if it has this ability. */
  withdraw?(ref: string, context: SendContext): Promise<Outcome>;
  /**
   * The email address that the service has verified of an account, as in `Reaction.by`; null: it knows none. Absent: the
   * service knows no addresses.
   */
  emailOf?(account: string, signal: AbortSignal): Promise<string | null>;
  /**
   * Shows the alert of what was sent under `ref` as acknowledged. Present if and only if it has this ability; without it,
   * an acknowledged alert is withdrawn.
   */
  markAcknowledged?(
    ref: string,
    notification: Notification,
    context: SendContext,
  ): Promise<Outcome>;
  /**
   * Finds what an attempt without a confirmation may have sent: `delivered` with its reference, or without one if there is
   * nothing. Absent if a message cannot be found without its reference.
   */
  find?(notification: Notification, context: SendContext): Promise<Outcome>;
  /**
   * Subscribes to reactions to the notification `ref` of an earlier channel, such as that of an earlier daemon; has no
   * effect if that is not possible. Absent if it never is.
   */
  resubscribe?(ref: string, notification: Notification): Promise<void>;
  /** Takes a click on what it has shown, which another program of this machine reports; returns false for one that it does not know. */
  takeClick?(link: string): boolean;
  /**
   * What the service has asked to wait with besides sending, such as changing messages, until when (Unix ms); for `status`. Absent
   * if it never does.
   */
  readonly paused?: () => readonly { readonly what: string; readonly until: number }[];
  /** For `doctor`: checks whether sending would work, without sending. */
  check(signal: AbortSignal): Promise<ChannelCheck>;
  /** Closes connections and ends child processes; called once. */
  close(): Promise<void>;
}

export interface ChannelCheck {
  readonly ok: boolean;
  /** One line for people, such as "dbus, replaces and withdraws" or "SMTP login refused". */
  readonly summary: string;
  /** What to do when it is not ok. */
  readonly hint?: string;
}

/** Dependencies of a channel besides its options. Every effect is injected. */
export interface ChannelDependencies {
  /** The name under which the configuration lists the channel. */
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `process.platform` of the machine, so that fallback chains can be tested. */
  readonly platform: NodeJS.Platform;
  readonly now: () => number;
  /** Base of relative paths in options: the directory of the configuration file. */
  readonly baseDir: string;
  /** hookbell's own state directory. */
  readonly stateDir: string;
  /** Sends every request to another machine. */
  readonly outbound: Outbound;
  readonly resolveSecret: (reference: SecretReference) => Promise<string>;
  /** For files that options name: their file system may hang. */
  readonly files: FarFiles;
  /** Receives what people do with a notification, possibly long after `send` returned. Never throws. */
  readonly onReaction: (reaction: Reaction) => void;
  /**
   * Called when the channel finds that it can send, at its start or after an outage; waiting deliveries are sent
   * immediately then.
   */
  readonly onWorksAgain: () => void;
  /** Null: unknown. */
  readonly isScreenLocked: () => Promise<boolean | null>;
  /** The right to be the only channel of this user's daemons that speaks; null: another has it. */
  readonly takeVoice: () => Promise<{ release(): void } | null>;
}

/** Reference to a secret: never the secret itself, except as a plain string, which `doctor` warns about. */
export type SecretReference =
  | string
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] };

/** Default limits of a channel, which the configuration can override. */
export interface ChannelLimits {
  /** Timeout of one attempt, ms. */
  readonly timeoutMs: number;
  /** Maximum attempts in parallel. */
  readonly concurrency: number;
  /** Token bucket: capacity in messages … */
  readonly burst: number;
  /** … and the interval in which one is refilled, ms. 0: unlimited. */
  readonly refillMs: number;
  /** A delivery becomes a dead letter after this many failures while others were sent. */
  readonly maxAttempts: number;
  /** Deliveries per claim, including several of a session; unset: one per free attempt. */
  readonly batch?: number;
  /**
   * True if messages sent in parallel arrive in the order of the calls, and none arrives after one that failed: then
   * those of a session are sent without waiting for the outcome of the one before.
   */
  readonly pipelined?: boolean;
}

/** How to ask a person for an option of a channel. */
export interface OptionQuestion {
  readonly message: string;
  readonly placeholder?: string;
  /** Default for an empty answer. */
  readonly initial?: string;
  /** For optional ones: whether to ask, given the other options as in the configuration. */
  readonly when?: (options: JsonObject) => boolean;
}

/** The channel types of the program, loaded when they are used. */
export interface ChannelCatalog {
  /** The values of `type:`. */
  readonly types: readonly string[];
  /** The definitions of these types that exist, or of all. */
  load(types?: readonly string[]): Promise<readonly ChannelDefinition[]>;
}

/** The default export of a file in `src/channels/`. */
export interface ChannelDefinition<Schema extends z.ZodType = z.ZodType> {
  /** The value of `type:` in the configuration. */
  readonly type: string;
  /** One sentence for the reference table. */
  readonly summary: string;
  /**
   * Its reader. A person does not get notifications that were answered before they were sent; a program (a log file, a
   * webhook) gets every notification.
   */
  readonly audience: 'person' | 'program';
  /** Where it notifies, such as "your phone (ntfy)"; for the table of channels and the summary of `init`. */
  readonly recipient: string;
  /**
   * Where it reaches a person: `near`, on this machine, where an unneeded notification costs a glance; `far`, anywhere
   * else; `record`, not actively. Decides how long an agent's request must stay open before the channel gets it.
   */
  readonly reach: 'near' | 'far' | 'record';
  /**
   * What it can do at best. With `reply` a notification has a `replyLink`, with `decide` a `decidable`; one decided `near`
   * releases requests that are held only while the person is away.
   */
  readonly can: DeclaredAbilities;
  /** The channel's own keys, without `type` and without the keys every channel has. */
  readonly options: Schema;
  /**
   * Questions of `init` and `channel add`, by option, such as "smtp.host". An unlisted required option is asked for with its
   * description; other unlisted options are not asked for.
   */
  readonly questions?: Readonly<Record<string, OptionQuestion>>;
  /** Sets it up with a person at a terminal, and tries it. Absent: the questions alone. */
  readonly guide?: (use: SetUpGuide) => Promise<GuidedAnswer>;
  /** Options that are well-formed but cannot work: a key, and a message that follows its path. */
  doubts?(options: z.output<Schema>): readonly { readonly key: string; readonly message: string }[];
  /** Whether these options make it write to one person, the recipient of each delivery. Absent: never. */
  isPersonal?(options: z.output<Schema>): boolean;
  readonly limits: ChannelLimits;
  /**
   * Creates the channel; loads its packages only here, so that a daemon that does not use them starts fast.
   * @throws ConfigError if a secret cannot be read or an option cannot work on this machine
   */
  create(options: z.output<Schema>, dependencies: ChannelDependencies): Promise<Channel>;
}

/**
 * Adds the types to a channel definition. It sends nothing whose signal has fired already, and a configuration that cannot
 * work is a finding of its check.
 */
export function defineChannel<Schema extends z.ZodType>(
  definition: ChannelDefinition<Schema>,
): ChannelDefinition<Schema> {
  return {
    ...definition,
    async create(options, dependencies) {
      const channel = await definition.create(options, dependencies);
      const send = channel.send.bind(channel);
      const check = channel.check.bind(channel);
      channel.send = (notification, context) =>
        context.signal.aborted
          ? Promise.resolve(retry('Stopped before the message was sent'))
          : send(notification, context);
      channel.check = (signal) => check(signal).catch(configCheck);
      return channel;
    },
  };
}

function configCheck(error: unknown): ChannelCheck {
  if (!(error instanceof ConfigError)) throw error;
  const { message: summary, hint } = error;
  return hint === null ? { ok: false, summary } : { ok: false, summary, hint };
}
