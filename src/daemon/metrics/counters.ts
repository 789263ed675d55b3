import type { Middleware } from '../../vendor/client/index.ts';
import type { MetricFamily, MetricSample } from '../../core/metrics.ts';

type Labels = Readonly<Record<string, string>>;

/** Counts by labels; from 0 at each start of the daemon, as Prometheus expects of a counter. */
export interface Counter {
  add(labels: Labels): void;
  samples(): readonly MetricSample[];
}

export function createCounter(name: string): Counter {
  const counts = new Map<string, { readonly labels: Labels; count: number }>();
  return {
    add(labels) {
      const key = JSON.stringify(labels);
      const counted = counts.get(key) ?? { labels, count: 0 };
      counted.count += 1;
      counts.set(key, counted);
    },
    samples: () =>
      [...counts.values()].map(({ labels, count }) => ({ name, labels, value: count })),
  };
}

/** A histogram of durations, by labels. */
export interface Histogram {
  observe(labels: Labels, ms: number): void;
  samples(): readonly MetricSample[];
}

interface Observed {
  readonly labels: Labels;
  /** Of each bucket alone, without those below; the last is for values above all bounds. */
  readonly counts: number[];
  sumMs: number;
}

/** @param boundsSeconds upper bounds of the buckets, growing */
export function createHistogram(name: string, boundsSeconds: readonly number[]): Histogram {
  const all = new Map<string, Observed>();
  return {
    observe(labels, ms) {
      const key = JSON.stringify(labels);
      const observed = all.get(key) ?? {
        labels,
        counts: [...boundsSeconds.map(() => 0), 0],
        sumMs: 0,
      };
      const fits = boundsSeconds.findIndex((bound) => ms <= bound * 1_000);
      const bucket = fits === -1 ? boundsSeconds.length : fits;
      observed.counts[bucket] = (observed.counts[bucket] ?? 0) + 1;
      observed.sumMs += ms;
      all.set(key, observed);
    },
    samples: () =>
      [...all.values()].flatMap((observed) => histogramSamples(name, boundsSeconds, observed)),
  };
}

function histogramSamples(
  name: string,
  boundsSeconds: readonly number[],
  { labels, counts, sumMs }: Observed,
): readonly MetricSample[] {
  let below = 0;
  const buckets = [...boundsSeconds.map(String), '+Inf'].map((le, index) => {
    below += counts[index] ?? 0;
    return { name: `${name}_bucket`, labels: { ...labels, le }, value: below };
  });
  return [
    ...buckets,
    { name: `${name}_sum`, labels, value: sumMs / 1_000 },
    { name: `${name}_count`, labels, value: below },
  ];
}

/**
 * Counts requests to the vendor's service: how much of the allowance is used, and how often it returns "too many
 * requests".
 */
interface RequestCount {
  readonly middleware: Middleware;
  readonly families: () => readonly MetricFamily[];
}

export function countRequests(): RequestCount {
  const requests = createCounter('hookbell_api_requests_total');
  return {
    async middleware(url, init, next) {
      let code = 'none';
      try {
        const response = await next(url, init);
        code = codeOf(response.status);
        return response;
      } finally {
        requests.add({ code });
      }
    },
    families: () => [
      {
        name: 'hookbell_api_requests_total',
        help: "Requests to the vendor's service since the daemon started, by status; none: no response",
        type: 'counter',
        samples: requests.samples(),
      },
    ],
  };
}

/** One label for each class, and one for the status that means "too many requests". */
function codeOf(status: number): string {
  return status === 429 ? '429' : `${Math.floor(status / 100)}xx`;
}

interface Counted {
  readonly families: () => readonly MetricFamily[] | Promise<readonly MetricFamily[]>;
}

/** The families of several parts; null stands for one that is not configured. */
export async function familiesOf(
  parts: readonly (Counted | null)[],
): Promise<readonly MetricFamily[]> {
  return (await Promise.all(parts.map(async (part) => part?.families() ?? []))).flat();
}
