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

/** The parts of a configuration that hold where the file says nothing, in the words of the file. */
export const defaultChannels = { desktop: { type: 'desktop' } };
export const defaultHistory = { keep: '90d', max_size: '500MB' };

/** How `explain` calls the built-in routes, in the order of `defaultRoutes`. */
export const defaultRouteNames = ['default: waiting and failures', 'default: long turns'] as const;

/** Everything that waits for a person, failures, and finished turns longer than 20 s; every other event is silent. */
export function defaultRoutes(channels: readonly string[]) {
  const notify = channels.length === 0 ? ['inbox'] : channels;
  return [
    { match: { severity: ['warning', 'critical'] }, notify },
    { match: { kind: 'turn.done', longer_than: '20s' }, notify },
  ];
}

/** Texts by kind; "default" stands for all kinds without one of their own. */
export type TemplateTexts = Readonly<Partial<Record<Kind | 'default', string>>>;

export interface Templates {
  readonly title: TemplateTexts;
  readonly body: TemplateTexts;
}

/** Where secrets are taken out of texts, and what counts as one besides the usual. */
export interface RedactPolicy extends OwnSecrets {
  /** In what is shown and sent; a channel may have it otherwise. */
  readonly notifications: boolean;
  /** Before an event is stored. */
  readonly history: boolean;
}

/** An address of this machine alone. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Where to relay to, and with what. */
export interface RelayConfig {
  readonly address: RelayAddress;
  /** As it is written. */
  readonly to: string;
  readonly token: SecretReference;
  /** A file; relative paths start at the configuration. */
  readonly certificate: string | null;
}

/** Where to take in what other machines relay. */
export interface ListenConfig {
  /** Null: the usual place. */
  readonly socket: string | null;
  readonly tcp: { readonly host: string; readonly port: number } | null;
  /** Files; relative paths start at the configuration. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
}

/** The validated configuration: every name it mentions exists. */
export interface Config {
  readonly path: string;
  /** False when there is no file and the defaults hold. */
  readonly exists: boolean;
  /** As the file orders them; the inbox is last and always there. */
  readonly channels: readonly ConfiguredChannel[];
  readonly policy: Policy;
  readonly templates: Templates;
  readonly history: { readonly keepMs: number; readonly maxBytes: number };
  readonly redact: RedactPolicy;
  /** Null where the file says nothing of it. */
  readonly heartbeat: { readonly url: SecretReference; readonly everyMs: number } | null;
  /** File of certificates in PEM that are trusted besides those Node knows; relative paths start at the configuration. */
  readonly caFile: string | null;
  /** What it holds. */
  readonly authorities: string | null;
  /** Where Prometheus is answered; null: nowhere. */
  readonly metrics: { readonly listen: ListenAddress } | null;
  /** Null where the file says nothing of it. */
  readonly relay: RelayConfig | null;
  /** Null where the file says nothing of it. */
  readonly listen: ListenConfig | null;
  /** Null where the file says nothing of it. */
  readonly api: {
    readonly baseUrl: string | null;
    readonly appUrl: string | null;
    readonly key: SecretReference | null;
    /** Goes to `/api/v0` instead of the key. */
    readonly jwt: SecretReference | null;
    readonly readinessPath: string | null;
    readonly maxMessageBytes: number | null;
    /** Plain http to another machine is meant. */
    readonly allowHttp: boolean;
  } | null;
  /** Where people answer agents on a page, and how long a link to it holds; null: nowhere. */
  readonly replyPage: { readonly listen: ListenAddress; readonly expireAfterMs: number } | null;
  /** Null where the file says nothing of it. */
  readonly budget: BudgetPolicy | null;
  readonly digest: DigestPolicy | null;
  /** What is null is not watched. */
  readonly watch: {
    readonly sessions: SessionPollPolicy | null;
    readonly computers: ComputerWatchPolicy | null;
    readonly readiness: ReadinessWatchPolicy | null;
    readonly controls: ControlsWatchPolicy | null;
  };
  /** What holds, in the words of the file, defaults filled in and plain secrets masked: for `config show`. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** Paths of secrets that stand in the file itself; `doctor` warns of them. */
  readonly plainSecrets: readonly string[];
}
