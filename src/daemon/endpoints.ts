import { hostname } from 'node:os';

import type { Config } from '../config/config.ts';
import { METRICS_PORT } from '../config/metrics-schema.ts';
import { REPLY_PORT } from '../config/reply-page-schema.ts';
import type { EndpointView } from '../core/control.ts';
import type { AnswerByLink } from '../reply-page/answer-by-link.ts';
import type { ReplyLink } from '../core/reply-link.ts';
import { displayLine } from '../core/sanitize.ts';
import type { Log } from '../core/log.ts';
import type { MetricFamily } from '../core/metrics.ts';
import { createEndpointHolder } from './endpoint-holder.ts';
import type { MetricsSources } from './metrics/read-metrics.ts';
import type { MakeReplyLink } from './reply-links.ts';
import type { ReplyPageOptions } from './reply-page.ts';
import type { Warnings } from './warnings.ts';

/** What the daemon answers over TCP, on this machine alone; nothing unless the configuration says so. */
export interface Endpoints {
  readMetrics(): Promise<readonly MetricFamily[]>;
  /** Makes a link to the page on which people answer; null while none is served. */
  readonly makeReplyLink: MakeReplyLink;
  /** Answers a session by such a link, once, without its page. */
  answerLink(url: string, text: string): Promise<AnswerByLink>;
  /** Tells whenever somebody looks at the page of a link. */
  onLook(told: (link: ReplyLink) => void): void;
  /** Those that the configuration wants. */
  view(): readonly EndpointView[];
  /** Never rejects. */
  reconfigure(config: Config): Promise<void>;
  stop(): Promise<void>;
}

export interface EndpointsOptions {
  readonly config: () => Config;
  readonly metrics: MetricsSources;
  readonly replies: Omit<ReplyPageOptions, 'onLook' | 'log'>;
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
    title: 'The endpoint for Prometheus',
    defaultPort: METRICS_PORT,
    open: async (listen) => {
      const { serveMetrics } = await import('./metrics/metrics-endpoint.ts');
      return serveMetrics(listen, { read: readMetrics, log: options.log });
    },
  });
  let tellLook: ((link: ReplyLink) => void) | null = null;
  const replyPage = createEndpointHolder({
    ...options,
    name: 'reply_page',
    title: 'The page for replies',
    defaultPort: REPLY_PORT,
    open: async (listen) => {
      const { openReplyPage } = await import('./reply-page.ts');
      return openReplyPage(listen, {
        ...options.replies,
        onLook: (link) => tellLook?.(link),
        log: options.log,
      });
    },
  });
  const makeReplyLink: MakeReplyLink = async (claimed) => {
    const origin = replyPage.origin();
    const settings = options.config().replyPage;
    if (origin === null || settings === null) return null;
    const { createReplyLink } = await import('./reply-links.ts');
    return createReplyLink(claimed, {
      origin,
      links: options.replies.store,
      machine: displayLine(hostname()),
      forMs: settings.expireAfterMs,
      now: options.replies.now,
    });
  };
  return {
    readMetrics,
    makeReplyLink,
    async answerLink(url, text) {
      const { answerLink } = await import('./reply-page.ts');
      return answerLink(url, text, options.replies);
    },
    onLook(told) {
      tellLook = told;
    },
    view: () => [...metrics.view(), ...replyPage.view()],
    async reconfigure(config) {
      await metrics.reconfigure(config.metrics?.listen ?? null);
      await replyPage.reconfigure(config.replyPage?.listen ?? null);
    },
    async stop() {
      await Promise.all([metrics.stop(), replyPage.stop()]);
    },
  };
}
