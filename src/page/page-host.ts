import { rmSync } from 'node:fs';

import type { Config } from '../config/config.ts';
import type { ListenAddress } from '../config/endpoint-schema.ts';
import type { Signal } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import type { LoopbackServer } from '../platform/loopback-server.ts';
import { type Clock, idleTimer } from '../platform/time.ts';
import type { Decisions } from '../reply/decisions.ts';
import { writePageFile } from '../reply/pop-up-replies.ts';
import { frameHtml, type PageName } from './frame-html.ts';
import { openPageAccess, type PageAccess, type PageSession } from './page-access.ts';
import { createPageFeed, type LiveContent } from './page-feed.ts';
import {
  type PageViewParts,
  rightsBanner,
  sessionsContent,
  sessionsHtml,
  timelineContent,
  timelineHtml,
} from './page-views.ts';
import { servePage } from './serve-page.ts';
import { eventHtml } from './timeline-html.ts';

/** Where the page is served. */
export interface PageAddress extends ListenAddress {
  /** Where a proxy of this user serves it as well; null: nowhere. */
  readonly url: string | null;
}

export interface PageHostOptions extends Omit<PageViewParts, 'quietHours'> {
  readonly config: () => Pick<Config, 'page' | 'policy'>;
  readonly decisions: Pick<Decisions, 'find' | 'answer'>;
  /** File that keeps who is signed in. */
  readonly sessionsFile: string;
  /** Directory that only this user can read. */
  readonly runtime: string;
  /** Notifies whenever something that the page shows may have changed. */
  readonly changed: Pick<Signal, 'on'>;
  readonly now: Clock;
  readonly log: Log;
}

/** The page with those who may see it; it outlives its server, which a new configuration may replace. */
export interface PageHost {
  readonly access: PageAccess;
  /** @throws as `listenOnLoopback` does */
  serve(address: PageAddress): Promise<LoopbackServer>;
  /** Writes a private file that redirects a browser to a link, and removes it a minute later. Returns its path. */
  linkFile(url: string): string;
}

/** Without a section `page`, a browser stays signed in for this long, ms. */
export const PAGE_EXPIRES_MS = 30 * 86_400_000;

/** The name under which a browser with these rights follows a view. */
function viewOf(name: string, { rights }: PageSession): string | null {
  if (name === 'sessions') return `sessions ${rights}`;
  return name === 'timeline' ? name : null;
}

/** Loaded when the page is first needed: most daemons serve none. */
export async function createPageHost(options: PageHostOptions): Promise<PageHost> {
  const { config, ask, now, log } = options;
  const views = { ...options, quietHours: () => config().policy.quietHours };
  const access = await openPageAccess({
    path: options.sessionsFile,
    expireAfterMs: () => config().page?.expireAfterMs ?? PAGE_EXPIRES_MS,
    now,
    log,
  });
  const feed = createPageFeed({ load, now, startTimer: idleTimer, log });
  access.onEnd(() => feed.checkSignedIn());
  options.changed.on(() => feed.changed());

  function load(view: string): Promise<LiveContent> {
    if (view === 'timeline') return timelineContent(views, null);
    return sessionsContent(views, view === 'sessions decide' ? 'decide' : 'look');
  }

  async function render(
    path: string,
    query: URLSearchParams,
    session: PageSession,
  ): Promise<string | null> {
    const pages: readonly PageName[] = ['sessions', 'timeline'];
    const notice = rightsBanner(session.rights, access.takesCode(session));
    if (path === '') {
      const view = `sessions ${session.rights}`;
      const content = await feed.current(view);
      const html = sessionsHtml(content, await projectNames());
      return frameHtml({
        title: 'Sessions',
        current: 'sessions',
        pages,
        live: { view: 'sessions', version: content.version },
        notice,
        content: html,
      });
    }
    if (path === 'timeline') {
      const of = query.get('session');
      const followed = of === null ? await feed.current('timeline') : null;
      const content = followed ?? (await timelineContent(views, of));
      return frameHtml({
        title: 'Timeline',
        current: 'timeline',
        pages,
        live: followed === null ? null : { view: 'timeline', version: followed.version },
        notice: '',
        content: timelineHtml(content, of),
      });
    }
    const id = /^events\/([\w.-]+)$/.exec(path)?.[1];
    if (id === undefined) return null;
    const event = await ask('GET /v1/events', { part: id });
    const frame = {
      title: event.title,
      current: 'timeline' as const,
      pages,
      live: null,
      notice: '',
    };
    return frameHtml({ ...frame, content: eventHtml(event) });
  }

  async function projectNames(): Promise<readonly string[]> {
    const sessions = await ask('GET /v1/sessions', { query: { limit: '50' } });
    return [...new Set(sessions.flatMap(({ project }) => project ?? []))].slice(0, 20);
  }

  return {
    access,
    linkFile(url) {
      const file = writePageFile(options.runtime, url);
      // By then a browser has read it.
      idleTimer(60_000, () => rmSync(file, { force: true }));
      return file;
    },
    async serve({ url, ...listen }) {
      const parts = { ...options, access, feed, render, viewOf, url };
      const server = await servePage(listen, parts);
      return {
        origin: server.origin,
        async close() {
          feed.stop();
          await server.close();
        },
      };
    },
  };
}
