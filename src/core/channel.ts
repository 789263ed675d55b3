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
} &
  /** `opens`: where the session runs, if it should be brought forward. */
  (
    | { readonly type: 'acknowledged'; readonly opens: TerminalLocation | null }
    /** Silenced its alert, which notifies again if it is still open then. */
    | { readonly type: 'snoozed'; readonly forMs: number }
    /** Muted the session with this `groupKey`: its notifications wait until then. */
    | { readonly type: 'muted'; readonly groupKey: string; readonly forMs: number }
    /** Wants to answer the session on the page of its `replyLink`. */
    | { readonly type: 'reply-requested'; readonly url: string }
    /** Answered the session in the notification, as its `replyLink` allows once; `text` is verbatim. */
    | { readonly type: 'replied'; readonly url: string; readonly text: string }
    | ({ readonly type: 'decided' } & GivenDecision)
  );

/** A decision as a person gave it where the request was shown. */
export interface GivenDecision {
  readonly question: string;
  readonly requestHash: string;
  readonly choice: DecisionChoice;
  /** The chosen option of the only question, from 0; null: none was chosen. */
  readonly option: number | null;
  /** What was typed, verbatim; null: nothing. */
  readonly words: string | null;
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
  /** The verified address of an account, as in `Reaction.by`; null: none. Absent: never known. */
  emailOf?(account: string, signal: AbortSignal): Promise<string | null>;
  /** Shows the alert of `ref` as acknowledged; without this ability it is withdrawn. */
  markAcknowledged?(
    ref: string,
    notification: Notification,
    context: SendContext,
  ): Promise<Outcome>;
  /** Finds what an unconfirmed attempt sent: `delivered`, without a reference if nothing. */
  find?(notification: Notification, context: SendContext): Promise<Outcome>;
  /** Subscribes to reactions to `ref` of an earlier daemon, if it can. Absent: never. */
  resubscribe?(ref: string, notification: Notification): Promise<void>;
  /** Takes a click on what it has shown, which another program of this machine reports; returns false for one that it does not know. */
  takeClick?(link: string): boolean;
  /** For `status`: what the service has asked to wait with besides sending, until when, Unix ms. */
  readonly paused?: () => readonly { readonly what: string; readonly until: number }[];
  /** For `doctor`: checks whether sending would work, without sending. */
  check(signal: AbortSignal): Promise<ChannelCheck>;
  close(): Promise<void>;
}

export interface ChannelCheck {
  readonly ok: boolean;
  readonly summary: string;
  /** What to do when it is not ok. */
  readonly hint?: string;
}

/** Dependencies of a channel besides its options. Every effect is injected. */
export interface ChannelDependencies {
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly now: () => number;
  /** Base of relative paths in options: the directory of the configuration file. */
  readonly baseDir: string;
  readonly stateDir: string;
  readonly outbound: Outbound;
  readonly resolveSecret: (reference: SecretReference) => Promise<string>;
  /** For files that options name: their file system may hang. */
  readonly files: FarFiles;
  /** Receives what people do with a notification, possibly long after `send` returned. Never throws. */
  readonly onReaction: (reaction: Reaction) => void;
  /** Called when it can send, at its start or after an outage: waiting deliveries are sent then. */
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

export interface ChannelLimits {
  readonly timeoutMs: number;
  readonly concurrency: number;
  /** Token bucket: capacity in messages … */
  readonly burst: number;
  /** … and the interval in which one is refilled, ms. 0: unlimited. */
  readonly refillMs: number;
  /** A delivery becomes a dead letter after this many failures while others were sent. */
  readonly maxAttempts: number;
  /** Deliveries per claim, including several of a session; unset: one per free attempt. */
  readonly batch?: number;
  /** Messages sent in parallel arrive in order, and none after one that failed. */
  readonly pipelined?: boolean;
}

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
  readonly summary: string;
  /** A person does not get what was answered before it was sent; a program gets everything. */
  readonly audience: 'person' | 'program';
  /** Where it notifies, such as "your phone (ntfy)"; for the table of channels and the summary of `init`. */
  readonly recipient: string;
  /** `near`: on this machine. `far`: elsewhere. `record`: not actively. Requests settle by it. */
  readonly reach: 'near' | 'far' | 'record';
  /** What it can do at best: `reply` needs a `replyLink`, `decide` a `decidable`. */
  readonly can: DeclaredAbilities;
  /** The channel's own keys, without `type` and without the keys every channel has. */
  readonly options: Schema;
  /** Questions of `init` and `channel add`, by option. A required one is asked for in any case. */
  readonly questions?: Readonly<Record<string, OptionQuestion>>;
  /** Sets it up with a person at a terminal, and tries it. Absent: the questions alone. */
  readonly guide?: (use: SetUpGuide) => Promise<GuidedAnswer>;
  /** Options that are well-formed but cannot work: a key, and a message that follows its path. */
  doubts?(options: z.output<Schema>): readonly { readonly key: string; readonly message: string }[];
  /** Whether these options make it write to one person, the recipient of each delivery. Absent: never. */
  isPersonal?(options: z.output<Schema>): boolean;
  readonly limits: ChannelLimits;
  /** Loads its packages only here. @throws ConfigError if a secret or an option cannot be used */
  create(options: z.output<Schema>, dependencies: ChannelDependencies): Promise<Channel>;
}

/** Sends nothing once its signal has fired, and makes a ConfigError a finding of its check. */
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
