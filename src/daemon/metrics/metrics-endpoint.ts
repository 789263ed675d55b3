import type { Log } from '../../platform/log.ts';
import type { MetricFamily } from '../../core/metrics.ts';
import { EXPOSITION_TYPE, expositionText } from '../../core/metrics.ts';
import type { LoopbackAddress } from '../../platform/loopback-address.ts';
import type { RequestHandler, LoopbackServer } from '../../platform/http/http-server.ts';
import { listenOnLoopback } from '../../platform/http/http-server.ts';

/**
 * Serves "GET /metrics" for a Prometheus on this machine. Any program here can read it, also another user's, so it
 * holds only numbers.
 *
 * @throws as `listenOnLoopback` does
 */
export function serveMetrics(
  address: LoopbackAddress,
  { read, log }: { readonly read: () => Promise<readonly MetricFamily[]>; readonly log: Log },
): Promise<LoopbackServer> {
  const answer: RequestHandler = (request, response) => {
    const path = (request.url ?? '').split('?')[0];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    // Scrapers are not browsers: requests from web pages, of any site, are refused.
    const isPage =
      request.headers['sec-fetch-site'] !== undefined &&
      request.headers['sec-fetch-site'] !== 'none';
    const end = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, {
        'content-type': type,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      });
      response.end(request.method === 'HEAD' ? undefined : text);
    };
    if (path !== '/metrics') return end(404, 'Not found; only /metrics is served\n');
    if (!isRead) return end(405, 'Method not allowed; use GET\n');
    if (isPage) return end(403, 'Requests from web pages are refused\n');
    read().then(
      (families) => end(200, expositionText(families), EXPOSITION_TYPE),
      (error: unknown) => {
        log.warn({ err: error }, 'Cannot read the metrics');
        end(503, 'Cannot read the metrics; see "hookbell logs"\n');
      },
    );
  };
  return listenOnLoopback(address, () => answer);
}
