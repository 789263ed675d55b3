import { existsSync } from 'node:fs';

import { decodePayload } from '../agents/decode.ts';
import { traitsOf } from '../agents/registry.ts';
import type { Config } from '../config/config.ts';
import { PAGE_PORT } from '../config/endpoint-schema.ts';
import type { EventView } from '../control/contract.ts';
import type { PageControl } from '../control/page-routes.ts';
import { type WhatDiffers, whatDiffers } from '../control/what-differs.ts';
import type { PageAddress, PageHost, PageHostOptions } from '../page/page-host.ts';
import { FailedError } from '../platform/errors.ts';
import { createEndpointHolder, type EndpointBase } from './endpoint-holder.ts';

export interface PageEndpointOptions
  extends Omit<PageHostOptions, 'config' | 'explain'>, EndpointBase {
  readonly config: () => Config;
}

/** Where the page is served if the configuration does not mention it. */
const DEFAULT_ADDRESS = { host: '127.0.0.1', port: PAGE_PORT };

/**
 * The page: served if it is configured, or while a browser is signed in to it. Its modules are loaded when they are first
 * needed.
 */
export function createPageEndpoint(options: PageEndpointOptions) {
  const { config, sessionsFile } = options;
  let loading: Promise<PageHost> | null = null;
  /** A link was made since the start of this daemon. */
  let isOpened = false;

  function host(): Promise<PageHost> {
    loading ??= import('../page/page-host.ts').then(({ createPageHost }) =>
      createPageHost({ ...options, explain }),
    );
    return loading;
  }

  function explain(event: EventView): WhatDiffers | null {
    const decoded = decodePayload({ payload: Buffer.from(event.payload), facts: event.facts });
    const { policy } = config();
    const again = decoded.ok ? { event: decoded.event, policy, agents: traitsOf } : null;
    return whatDiffers(event, again);
  }

  const holder = createEndpointHolder<PageAddress>({
    ...options,
    name: 'page',
    title: 'The page',
    defaultPort: PAGE_PORT,
    open: async (address) => (await host()).serve(address),
  });

  async function isWanted(): Promise<boolean> {
    if (config().page !== null || isOpened) return true;
    return existsSync(sessionsFile) && (await host()).access.hasSessions();
  }

  async function reconfigure(): Promise<void> {
    const listen = config().page?.listen ?? DEFAULT_ADDRESS;
    const url = config().page?.url ?? null;
    await holder.reconfigure((await isWanted()) ? { ...listen, url } : null);
  }

  const pageControl: PageControl = {
    async makeLink(wanted) {
      isOpened = true;
      await reconfigure();
      const origin = holder.view()[0]?.origin ?? null;
      if (origin === null) {
        throw new FailedError('Cannot serve the page: its address cannot be used', {
          hint: 'Run "hookbell status": a warning names the reason',
        });
      }
      const { access, ...page } = await host();
      const { token, code, expiresAt } = access.makeLink(wanted);
      const url = `${wanted.isForFile ? origin : (config().page?.url ?? origin)}/open/${token}`;
      return { url, code, expiresAt, file: wanted.isForFile ? page.linkFile(url) : null };
    },
    async signOut() {
      const { access } = await host();
      const count = access.endAll();
      isOpened = false;
      await reconfigure();
      return count;
    },
  };

  return { pageControl, reconfigure, view: () => holder.view(), stop: () => holder.stop() };
}
