import type { Config } from '../config/config.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { BodyDetail } from '../core/notification.ts';
import { redactRecord } from '../intake/redact-record.ts';
import { createRedactor, type Redact } from '../text/redact.ts';

/** The configured redaction, ready to use. */
export interface Redaction {
  /** For a channel; null: for the command line. */
  readonly textFor: (channel: string | null) => Redact;
  /** For a request to be decided: a channel that shows less than all of a text shows nothing of it. */
  readonly requestFor: (channel: string) => Redact;
  /** How much of an agent's text a channel shows; null: the command line. */
  readonly detailOf: (channel: string | null) => BodyDetail;
  /** For an event on its way into the store. */
  readonly record: (record: HookRecord) => HookRecord;
}

const keep: Redact = (text) => text;
const nothing: Redact = () => '';

export function createRedaction({
  redact: policy,
  channels,
}: Pick<Config, 'redact' | 'channels'>): Redaction {
  const redactor = createRedactor(policy);
  const own = new Map(channels.map((channel) => [channel.name, channel]));

  const configured = (channel: string | null) => (channel === null ? undefined : own.get(channel));
  const detailOf = (channel: string | null): BodyDetail => configured(channel)?.body ?? 'full';
  const textFor = (channel: string | null): Redact =>
    (configured(channel)?.redact ?? policy.notifications) ? redactor.text : keep;

  return {
    textFor,
    requestFor: (channel) => (detailOf(channel) === 'full' ? textFor(channel) : nothing),
    detailOf,
    record: (record) => (policy.history ? redactRecord(record, redactor) : record),
  };
}
