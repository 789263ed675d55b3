import type { Middleware } from '../../vendor/client/index.ts';
import type { MetricFamily, MetricSample } from '../../core/metrics.ts';

type Labels = MetricSample['labels'];

/** Counts by labels; from 0 at each start of the daemon, as Prometheus expects of a counter. */
export function createCounter(name: string, help: string) {
  const counts = new Map<string, { readonly labels: Labels; value: number }>();
  return {
    add(labels: Labels) {
      const key = JSON.stringify(labels);
      const counted = counts.get(key) ?? { labels, value: 0 };
      counted.value += 1;
      counts.set(key, counted);
    },
    family(): MetricFamily {
      const samples = [...counts.values()].map((counted) => ({ name, ...counted }));
      return { name, help, type: 'counter', samples };
    },
  };
}

interface Observed {
  readonly labels: Labels;
  /** Of each bucket alone, without those below; the last is for values above all bounds. */
  readonly counts: number[];
  sumMs: number;
}

/**
 * A histogram of durations, by labels.
 *
 * @param boundsSeconds upper bounds of the buckets, growing
 */
export function createHistogram(name: string, help: string, boundsSeconds: readonly number[]) {
  const all = new Map<string, Observed>();

  function samplesOf({ labels, counts, sumMs }: Observed): readonly MetricSample[] {
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

  return {
    observe(labels: Labels, ms: number) {
      const key = JSON.stringify(labels);
      const counts = [...boundsSeconds.map(() => 0), 0];
      const observed = all.get(key) ?? { labels, counts, sumMs: 0 };
      const fits = boundsSeconds.findIndex((bound) => ms <= bound * 1_000);
      const bucket = fits === -1 ? boundsSeconds.length : fits;
      observed.counts[bucket] = (observed.counts[bucket] ?? 0) + 1;
      observed.sumMs += ms;
      all.set(key, observed);
    },
    family: (): MetricFamily => ({
      name,
      help,
      type: 'histogram',
      samples: [...all.values()].flatMap(samplesOf),
    }),
  };
}

type Entry = readonly [labels: Labels, value: number];

export function gauge(name: string, help: string, entries: readonly Entry[]): MetricFamily {
  const samples = entries.map(([labels, value]) => ({ name, labels, value }));
  return { name, help, type: 'gauge', samples };
}

/** Counts requests to the vendor's service: how much of the allowance is used, and how often it was too much. */
export function countRequests() {
  const requests = createCounter(
    'hookbell_api_requests_total',
    "Requests to the vendor's service since the daemon started, by status; none: no response",
  );
  const middleware: Middleware = async (url, init, next) => {
    let code = 'none';
    try {
      const response = await next(url, init);
      // One label for each class, and one for the status that means "too many requests".
      code = response.status === 429 ? '429' : `${Math.floor(response.status / 100)}xx`;
      return response;
    } finally {
      requests.add({ code });
    }
  };
  return { middleware, families: () => [requests.family()] };
}

/** The families of several parts; null stands for one that is not configured. */
export async function familiesOf(
  parts: readonly ({
    readonly families: () => readonly MetricFamily[] | Promise<readonly MetricFamily[]>;
  } | null)[],
): Promise<readonly MetricFamily[]> {
  return (await Promise.all(parts.map(async (part) => part?.families() ?? []))).flat();
}
