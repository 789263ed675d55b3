import type { Config } from '../config/config.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { BodyDetail } from '../core/notification.ts';
import { redactRecord } from '../intake/redact-record.ts';
import { createRedactor, type Redact } from '../text/redact.ts';

const keep: Redact = (text) => text;
const nothing: Redact = () => '';

/** The configured redaction, ready to use. */
export function createRedaction({ redact: policy, channels }: Pick<Config, 'redact' | 'channels'>) {
  const redactor = createRedactor(policy);
  const own = new Map(channels.map((channel) => [channel.name, channel]));

  const configured = (channel: string | null) => (channel === null ? undefined : own.get(channel));
  const detailOf = (channel: string | null): BodyDetail => configured(channel)?.body ?? 'full';
  const textFor = (channel: string | null): Redact =>
    (configured(channel)?.redact ?? policy.notifications) ? redactor.text : keep;

  return {
    /** For a channel; null: for the command line. */
    textFor,
    /** For a request to be decided: a channel that shows less than all of a text shows nothing of it. */
    requestFor: (channel: string): Redact =>
      detailOf(channel) === 'full' ? textFor(channel) : nothing,
    /** How much of an agent's text a channel shows; null: the command line. */
    detailOf,
    /** For an event on its way into the store. */
    record: (record: HookRecord): HookRecord =>
      policy.history ? redactRecord(record, redactor) : record,
  };
}
