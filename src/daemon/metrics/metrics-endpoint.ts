import type { Log } from '../../platform/log.ts';
import type { MetricFamily } from '../../core/metrics.ts';
import { EXPOSITION_TYPE, expositionText } from '../../core/metrics.ts';
import type { LoopbackAddress } from '../../platform/loopback-address.ts';
import type { Answer, LoopbackServer } from '../../platform/loopback-server.ts';
import { listenOnLoopback } from '../../platform/loopback-server.ts';

/**
 * Serves "GET /metrics" for a Prometheus on this machine. Whoever runs a program here can read it, another user too:
 * so it holds numbers only.
 *
 * @throws as `listenOnLoopback` does
 */
export function serveMetrics(
  address: LoopbackAddress,
  { read, log }: { readonly read: () => Promise<readonly MetricFamily[]>; readonly log: Log },
): Promise<LoopbackServer> {
  const answer: Answer = (request, response) => {
    const path = (request.url ?? '').split('?')[0];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    // A scraper is no browser: what a page asks for, another site's or not, is none of its business.
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
    if (path !== '/metrics') return end(404, 'Only /metrics is here\n');
    if (!isRead) return end(405, 'Only GET is answered\n');
    if (isPage) return end(403, 'Web pages are not answered\n');
    read().then(
      (families) => end(200, expositionText(families), EXPOSITION_TYPE),
      (error: unknown) => {
        log.warn({ err: error }, 'Cannot read the metrics');
        end(503, 'The numbers cannot be read now\n');
      },
    );
  };
  return listenOnLoopback(address, () => answer);
}
