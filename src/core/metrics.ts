/** One sample of a family; `name` is that of the family, for histograms followed by `_bucket`, `_sum` or `_count`. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric family, as Prometheus defines it: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export interface MetricFamily {
  /** Ends in its unit, and in `_total` where it only grows. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly MetricSample[];
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The families in Prometheus' text format, version 0.0.4. */
export function expositionText(families: readonly MetricFamily[]): string {
  return families.map(familyText).join('');
}

function familyText({ name, help, type, samples }: MetricFamily): string {
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  return head + samples.map(sampleText).join('');
}

function sampleText({ name, labels, value }: MetricSample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}\n`;
}

/** Go's names for non-finite numbers, as the format requires. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`);
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', String.raw`\"`);
}

/** Activity of hookbell in a period, from its history, for digests. */
export interface UsageCounters {
  readonly events: number;
  /** Sent messages by channel, without the inbox. */
  readonly sent: Readonly<Record<string, number>>;
  /** Requests for a permission or an input that were sent to a person. */
  readonly questions: number;
  /** Of these, the answered or acknowledged ones. */
  readonly answered: number;
  /** From question to answer, ms; unordered. */
  readonly waitsMs: readonly number[];
}
