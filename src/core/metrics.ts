/** One number of a family; `name` is that of the family, for histograms with `_bucket`, `_sum` or `_count` behind it. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Numbers of one meaning, as Prometheus takes them: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export interface MetricFamily {
  /** Ends in its unit, and in `_total` where it only grows. */
  readonly name: string;
  /** One sentence without a full stop. */
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly MetricSample[];
}

/** What the text format is to be called over HTTP. */
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

/** Go's words for what is no number, which the format takes. */
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

/** What hookbell did in a time, from its history: for digests. */
export interface UsageCounters {
  /** Events that came in. */
  readonly events: number;
  /** Messages that arrived, by channel; the inbox is none. */
  readonly sent: Readonly<Record<string, number>>;
  /** How often an agent asked for a permission or an input, and somebody was told. */
  readonly questions: number;
  /** How many of these were answered or acknowledged. */
  readonly answered: number;
  /** From question to answer, ms; in no order. */
  readonly waitsMs: readonly number[];
}
