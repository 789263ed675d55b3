import type { Config } from '../config/config.ts';
import { METRICS_PORT, REPLY_PORT } from '../config/endpoint-schema.ts';
import type { MetricFamily } from '../core/metrics.ts';
import type { ReplyLink } from '../core/notification.ts';
import type { ReplyLinks } from '../reply/reply-links.ts';
import type { ReplyPageOptions } from '../reply/serve-reply-page.ts';
import { createEndpointHolder, type EndpointBase } from './endpoint-holder.ts';
import type { MetricsSources } from './metrics/read-metrics.ts';
import { createPageEndpoint, type PageEndpointOptions } from './page-endpoint.ts';

interface EndpointsOptions extends EndpointBase {
  readonly config: () => Config;
  readonly metrics: MetricsSources;
  readonly replies: Omit<ReplyPageOptions, 'onLook' | 'log'>;
  readonly replyLinks: Pick<ReplyLinks, 'servedAt'>;
  readonly page: Omit<PageEndpointOptions, 'config' | keyof EndpointBase>;
}

/** The TCP endpoints of the daemon, on this machine only; none unless configured. */
export function createEndpoints(options: EndpointsOptions) {
  const readMetrics = async (): Promise<readonly MetricFamily[]> => {
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
      const { openReplyPage } = await import('../reply/serve-reply-page.ts');
      return openReplyPage(listen, {
        ...options.replies,
        onLook: (link) => notifyLook?.(link),
        log: options.log,
      });
    },
    onOrigin: (origin) => options.replyLinks.servedAt(origin),
  });
  const pageEndpoint = createPageEndpoint({ ...options, ...options.page });

  /** Never rejects. */
  async function reconfigure(config: Config): Promise<void> {
    await metrics.reconfigure(config.metrics?.listen ?? null);
    await replyPage.reconfigure(config.replyPage?.listen ?? null);
    await pageEndpoint.reconfigure();
  }
  return {
    readMetrics,
    /** Sends an answer to a session by such a link, once, without its page. */
    async answerLink(url: string, text: string) {
      const { answerLink } = await import('../reply/serve-reply-page.ts');
      return answerLink(url, text, options.replies);
    },
    /** Notifies a listener whenever the page of a link is opened. */
    onLook(notify: (link: ReplyLink) => void) {
      notifyLook = notify;
    },
    /** Links to the page, which is served from the first link on, even if it is not configured. */
    page: pageEndpoint.pageControl,
    /** The endpoints that are configured or served. */
    view: () => [...metrics.view(), ...replyPage.view(), ...pageEndpoint.view()],
    reconfigure,
    start: () => reconfigure(options.config()),
    async stop() {
      await Promise.all([metrics.stop(), replyPage.stop(), pageEndpoint.stop()]);
    },
  };
}
