import type { Config } from '../config/config.ts';
import { METRICS_PORT, PAGE_PORT, REPLY_PORT } from '../config/endpoint-schema.ts';
import type { EndpointView } from '../control/contract-views.ts';
import type { PageControl } from '../control/page-routes.ts';
import type { MetricFamily } from '../core/metrics.ts';
import type { ReplyLink } from '../core/notification.ts';
import type { Warnings } from '../delivery/warnings.ts';
import type { PageAddress } from '../page/page-host.ts';
import type { Log } from '../platform/log.ts';
import type { AnswerByLink } from '../reply/answer-by-link.ts';
import type { ReplyLinks } from '../reply/reply-links.ts';
import type { ReplyPageOptions } from '../reply/reply-endpoint.ts';
import { createEndpointHolder } from './endpoint-holder.ts';
import type { MetricsSources } from './metrics/read-metrics.ts';
import { createPageEndpoint, type PageEndpointOptions } from './page-endpoint.ts';

/** The TCP endpoints of the daemon, on this machine only; none unless configured. */
export interface Endpoints {
  readMetrics(): Promise<readonly MetricFamily[]>;
  /** Sends an answer to a session by such a link, once, without its page. */
  answerLink(url: string, text: string): Promise<AnswerByLink>;
  /** Notifies a listener whenever the page of a link is opened. */
  onLook(notify: (link: ReplyLink) => void): void;
  /** Links to the page, which is served from the first link on, even if it is not configured. */
  readonly page: PageControl;
  /** The endpoints that are configured or served. */
  view(): readonly EndpointView[];
  /** Never rejects. */
  reconfigure(config: Config): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface EndpointsOptions {
  readonly config: () => Config;
  readonly metrics: MetricsSources;
  readonly replies: Omit<ReplyPageOptions, 'onLook' | 'log'>;
  readonly replyLinks: Pick<ReplyLinks, 'servedAt'>;
  readonly page: Omit<PageEndpointOptions, 'config' | 'log' | 'serve'>;
  /** The file that keeps ports; see `createEndpointHolder`. */
  readonly ports: string;
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
    name: 'metrics',
    title: 'The Prometheus endpoint',
    defaultPort: METRICS_PORT,
    open: async (listen) => {
      const { serveMetrics } = await import('./metrics/metrics-endpoint.ts');
      return serveMetrics(listen, { read: readMetrics, log: options.log });
    },
  });
  let notifyLook: ((link: ReplyLink) => void) | null = null;
  const replyPage = createEndpointHolder({
    ...options,
    name: 'reply_page',
    title: 'The reply page',
    defaultPort: REPLY_PORT,
    open: async (listen) => {
      const { openReplyPage } = await import('../reply/reply-endpoint.ts');
      return openReplyPage(listen, {
        ...options.replies,
        onLook: (link) => notifyLook?.(link),
        log: options.log,
      });
    },
    onOrigin: (origin) => options.replyLinks.servedAt(origin),
  });
  const pageEndpoint = createPageEndpoint({
    ...options.page,
    config: options.config,
    log: options.log,
    serve: (open) =>
      createEndpointHolder<PageAddress>({
        ...options,
        name: 'page',
        title: 'The page',
        defaultPort: PAGE_PORT,
        open,
      }),
  });
  async function reconfigure(config: Config): Promise<void> {
    await metrics.reconfigure(config.metrics?.listen ?? null);
    await replyPage.reconfigure(config.replyPage?.listen ?? null);
    await pageEndpoint.reconfigure();
  }
  return {
    readMetrics,
    async answerLink(url, text) {
      const { answerLink } = await import('../reply/reply-endpoint.ts');
      return answerLink(url, text, options.replies);
    },
    onLook(notify) {
      notifyLook = notify;
    },
    page: pageEndpoint.pageControl,
    view: () => [...metrics.view(), ...replyPage.view(), ...pageEndpoint.view()],
    reconfigure,
    start: () => reconfigure(options.config()),
    async stop() {
      await Promise.all([metrics.stop(), replyPage.stop(), pageEndpoint.stop()]);
    },
  };
}
