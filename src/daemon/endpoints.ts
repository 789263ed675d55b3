import { z } from 'zod';

import { writeAtomically } from '../platform/replace-file.ts';
import { readJsonFile } from '../platform/json.ts';
import type { Config } from '../config/config.ts';
import { type ListenAddress, METRICS_PORT, REPLY_PORT } from '../config/endpoint-schema.ts';
import type { EndpointView } from '../control/contract.ts';
import { errorCode } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { MetricFamily } from '../core/metrics.ts';
import type { ReplyLink } from '../core/reply-link.ts';
import { addressText } from '../platform/loopback-address.ts';
import type { LoopbackServer } from '../platform/loopback-server.ts';
import type { AnswerByLink } from '../reply/answer-by-link.ts';
import type { MetricsSources } from './metrics/read-metrics.ts';
import type { ReplyLinks } from '../reply/reply-links.ts';
import type { ReplyPageOptions } from '../reply/reply-endpoint.ts';
import type { Warnings } from '../delivery/warnings.ts';

/** A TCP endpoint of the daemon on this machine, if configured. */
interface EndpointHolder {
  /** Takes a new address, or none. Never rejects. */
  reconfigure(listen: ListenAddress | null): Promise<void>;
  /** One entry if configured, else none. */
  view(): readonly EndpointView[];
  stop(): Promise<void>;
}

interface EndpointHolderOptions {
  /** The section of the configuration. */
  readonly name: EndpointView['name'];
  /** For people, such as "The metrics". */
  readonly title: string;
  /**
   * This port is the default, and another user of the machine may have it: then a free port is chosen, written to
   * `ports`, and tried first from then on, since links and scrapers name it.
   */
  readonly defaultPort: number;
  /** The file that keeps such ports, of all endpoints. */
  readonly ports: string;
  /** Loads the modules and listens; modules of an unconfigured endpoint are not loaded. */
  readonly open: (listen: ListenAddress) => Promise<LoopbackServer>;
  /** Called with its origin, and with null when it is no longer served. */
  readonly onOrigin?: (origin: string | null) => void;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly log: Log;
}

function createEndpointHolder({
  name,
  title,
  defaultPort,
  ports,
  open,
  onOrigin = () => {},
  warnings,
  log,
}: EndpointHolderOptions): EndpointHolder {
  let configured: ListenAddress | null = null;
  let server: LoopbackServer | null = null;
  let changing: Promise<void> = Promise.resolve();

  async function change(listen: ListenAddress | null): Promise<void> {
    const isSame = JSON.stringify(listen) === JSON.stringify(configured);
    // An endpoint that could not listen tries again with every configuration.
    if (isSame && (listen === null || server !== null)) return;
    configured = listen;
    onOrigin(null);
    await server?.close();
    server = null;
    warnings.clear(title);
    if (listen === null) return;
    try {
      server = await (listen.port === defaultPort ? openSomewhere(listen) : open(listen));
      onOrigin(server.origin);
      log.info({ title, origin: server.origin }, 'Listening on this machine');
    } catch (error) {
      const reason =
        errorCode(error) === 'EADDRINUSE'
          ? `another program has port ${listen.port}, set "${name}.listen" to an address with a free one`
          : 'see "hookbell logs"';
      log.error({ title, err: error }, 'Cannot listen on this machine');
      warnings.raise(title, `${title} cannot be served on ${addressText(listen)}: ${reason}`);
    }
  }

  async function openSomewhere(listen: ListenAddress): Promise<LoopbackServer> {
    const stored = await readPorts(ports);
    const wanted = [stored[name], defaultPort].filter((port) => port !== undefined);
    for (const port of wanted) {
      try {
        return await open({ ...listen, port });
      } catch (error) {
        if (errorCode(error) !== 'EADDRINUSE') throw error;
      }
    }
    const opened = await open({ ...listen, port: 0 });
    const port = Number(new URL(opened.origin).port);
    try {
      await writeAtomically(ports, `${JSON.stringify({ ...stored, [name]: port })}\n`);
    } catch (error) {
      log.warn({ title, err: error }, 'Cannot save the port: the next start may use another one');
    }
    return opened;
  }

  function reconfigure(listen: ListenAddress | null): Promise<void> {
    changing = changing.then(() => change(listen));
    return changing;
  }

  return {
    reconfigure,
    view: () => (configured === null ? [] : [{ name, origin: server?.origin ?? null }]),
    stop: () => reconfigure(null),
  };
}

const portsSchema = z.record(z.string(), z.int().min(1).max(65_535)).catch({});

/** Empty if no port was saved, or the file cannot be read. */
async function readPorts(path: string): Promise<Readonly<Record<string, number>>> {
  return portsSchema.parse(await readJsonFile(path));
}

/** The TCP endpoints of the daemon, on this machine only; none unless configured. */
export interface Endpoints {
  readMetrics(): Promise<readonly MetricFamily[]>;
  /** Sends an answer to a session by such a link, once, without its page. */
  answerLink(url: string, text: string): Promise<AnswerByLink>;
  /** Notifies a listener whenever the page of a link is opened. */
  onLook(notify: (link: ReplyLink) => void): void;
  /** The configured endpoints. */
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
  async function reconfigure(config: Config): Promise<void> {
    await metrics.reconfigure(config.metrics?.listen ?? null);
    await replyPage.reconfigure(config.replyPage?.listen ?? null);
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
    view: () => [...metrics.view(), ...replyPage.view()],
    reconfigure,
    start: () => reconfigure(options.config()),
    async stop() {
      await Promise.all([metrics.stop(), replyPage.stop()]);
    },
  };
}
