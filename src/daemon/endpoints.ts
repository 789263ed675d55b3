import type { Config } from '../config/config.ts';
import type { Log } from '../core/log.ts';
import type { MetricFamily } from '../core/metrics.ts';
import { createEndpointHolder } from './endpoint-holder.ts';
import type { MetricsSources } from './metrics/read-metrics.ts';
import type { Warnings } from './warnings.ts';

/** What the daemon answers over TCP, on this machine alone; nothing unless the configuration says so. */
export interface Endpoints {
  readMetrics(): Promise<readonly MetricFamily[]>;
  /** Never rejects. */
  reconfigure(config: Config): Promise<void>;
  stop(): Promise<void>;
}

export interface EndpointsOptions {
  readonly metrics: MetricsSources;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly log: Log;
}

export function createEndpoints(options: EndpointsOptions): Endpoints {
  const readMetrics: Endpoints['readMetrics'] = async () => {
    const metrics = await import('./metrics/read-metrics.ts');
    return metrics.readMetrics(options.metrics);
  };
  const metrics = createEndpointHolder({
    ...options,
    title: 'The endpoint for Prometheus',
    open: async (listen) => {
      const { serveMetrics } = await import('./metrics/metrics-endpoint.ts');
      return serveMetrics(listen, { read: readMetrics, log: options.log });
    },
  });
  return {
    readMetrics,
    reconfigure: (config) => metrics.reconfigure(config.metrics?.listen ?? null),
    stop: () => metrics.stop(),
  };
}
