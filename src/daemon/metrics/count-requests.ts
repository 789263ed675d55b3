import type { Middleware } from '../../api/index.ts';
import type { MetricFamily } from '../../core/metrics.ts';
import { createCounter } from './tallies.ts';

/** Counts what is asked of the vendor's service: how much of what it allows is used up, and how often it says "enough". */
export interface RequestCount {
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
        help: "Requests of the daemon to the vendor's service since it started, by status; none: no answer came",
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
