import type {
  BudgetPolicy,
  ComputerWatchPolicy,
  ControlsWatchPolicy,
  DigestPolicy,
  ReadinessWatchPolicy,
  SessionPollPolicy,
} from '../core/vendor-policy.ts';
import type { SecretReference } from '../core/channel.ts';
import type { Kind } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { OwnSecrets } from '../text/redact.ts';
import type { RelayAddress } from '../core/relay.ts';
import type { ConfiguredChannel } from './channel-schema.ts';

/** Defaults, written as in the file. */
export const defaultChannels = { desktop: { type: 'desktop' } };
export const defaultHistory = { keep: '90d', max_size: '500MB' };

/** Names of the built-in routes in `explain`, in the order of `defaultRoutes`. */
export const defaultRouteNames = ['default: waiting and failures', 'default: long turns'] as const;

/** Requests to a person, failures, and finished turns longer than 20 s; every other event is silent. */
export function defaultRoutes(channels: readonly string[]) {
  const notify = channels.length === 0 ? ['inbox'] : channels;
  return [
    { match: { severity: ['warning', 'critical'] }, notify },
    { match: { kind: 'turn.done', longer_than: '20s' }, notify },
  ];
}

/** Texts by kind; "default" applies to all other kinds. */
export type TemplateTexts = Readonly<Partial<Record<Kind | 'default', string>>>;

export interface Templates {
  readonly title: TemplateTexts;
  readonly body: TemplateTexts;
}

/** Where secrets are removed from texts, and custom secret patterns. */
export interface RedactPolicy extends OwnSecrets {
  /** In texts that are shown or sent; a channel may override it. */
  readonly notifications: boolean;
  /** Before an event is stored. */
  readonly history: boolean;
}

/** A loopback address. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Target of relaying, and its credentials. */
export interface RelayConfig {
  readonly address: RelayAddress;
  /** The address as written in the file. */
  readonly to: string;
  readonly token: SecretReference;
  /** A file; relative paths start at the configuration. */
  readonly certificate: string | null;
}

/** Where to receive events from other machines. */
export interface ListenConfig {
  /** Null: the default path. */
  readonly socket: string | null;
  readonly tcp: { readonly host: string; readonly port: number } | null;
  /** Files; relative paths start at the configuration. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
}

/** The validated configuration: every name it mentions exists. */
export interface Config {
  readonly path: string;
  /** False if the file is missing and the defaults are in force. */
  readonly exists: boolean;
  /** In the order of the file; always ends with the inbox. */
  readonly channels: readonly ConfiguredChannel[];
  readonly policy: Policy;
  readonly templates: Templates;
  readonly history: { readonly keepMs: number; readonly maxBytes: number };
  readonly redact: RedactPolicy;
  /** Null if unset. */
  readonly heartbeat: { readonly url: SecretReference; readonly everyMs: number } | null;
  /** PEM file of certificates to trust besides Node's; relative paths start at the configuration. */
  readonly caFile: string | null;
  /** Content of `caFile`. */
  readonly authorities: string | null;
  /** Endpoint for Prometheus; null: off. */
  readonly metrics: { readonly listen: ListenAddress } | null;
  /** Null if unset. */
  readonly relay: RelayConfig | null;
  /** Null if unset. */
  readonly listen: ListenConfig | null;
  /** Null if unset. */
  readonly api: {
    readonly baseUrl: string | null;
    readonly appUrl: string | null;
    readonly key: SecretReference | null;
    /** Used for `/api/v0` instead of the key. */
    readonly jwt: SecretReference | null;
    readonly readinessPath: string | null;
    readonly maxMessageBytes: number | null;
    /** Allows plain http to another machine. */
    readonly allowHttp: boolean;
  } | null;
  /** Address of the page for answering agents, and lifetime of its links; null: off. */
  readonly replyPage: { readonly listen: ListenAddress; readonly expireAfterMs: number } | null;
  /** Null if unset. */
  readonly budget: BudgetPolicy | null;
  readonly digest: DigestPolicy | null;
  /** A poller that is null is off. */
  readonly watch: {
    readonly sessions: SessionPollPolicy | null;
    readonly computers: ComputerWatchPolicy | null;
    readonly readiness: ReadinessWatchPolicy | null;
    readonly controls: ControlsWatchPolicy | null;
  };
  /** The configuration in force as in the file, with defaults filled in and plain secrets masked: for `config show`. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** Paths of plain-text secrets in the file; `doctor` warns about them. */
  readonly plainSecrets: readonly string[];
}
