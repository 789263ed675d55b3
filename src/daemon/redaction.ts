import type { Config } from '../config/config.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { Redact } from '../core/redact.ts';
import { createRedactor } from '../core/redact.ts';
import { redactRecord } from '../intake/redact-record.ts';

/** What the configuration says of secrets in texts, ready to be used. */
export interface Redaction {
  /** For a channel; null: for what the command line shows. */
  readonly textFor: (channel: string | null) => Redact;
  /** For an event on its way into the store. */
  readonly record: (record: HookRecord) => HookRecord;
}

const keep: Redact = (text) => text;

export function createRedaction({
  redact: policy,
  channels,
}: Pick<Config, 'redact' | 'channels'>): Redaction {
  const redactor = createRedactor(policy);
  const own = new Map(channels.map(({ name, redact }) => [name, redact]));
  return {
    textFor(channel) {
      const asked = channel === null ? null : (own.get(channel) ?? null);
      return (asked ?? policy.notifications) ? redactor.text : keep;
    },
    record: (record) => (policy.history ? redactRecord(record, redactor) : record),
  };
}
