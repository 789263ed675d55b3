/*
 * The page in a browser: who is signed in, what it shows, its forms. It reads by the control views and acts by their
 * desks. A program of another origin, a decision or a second copy of the state never enters.
 */
import { rmSync } from 'node:fs';

import type { Config } from '../config/config.ts';
import type { ListenAddress } from '../config/endpoint-schema.ts';
import type { EventView, SessionView, WaitingView } from '../control/contract.ts';
import type { WhatDiffers } from '../control/what-differs.ts';
import { type WaitingDimension, waitingDimensions } from '../core/waiting.ts';
import type { Signal } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import type { LoopbackServer } from '../platform/http/http-server.ts';
import { type Clock, idleTimer, type StartTimer } from '../platform/time.ts';
import type { Decisions } from '../reply/decisions.ts';
import type { ApiClient } from '../vendor/api-client.ts';
import { writePageFile } from '../reply/pop-up-replies.ts';
import { frameHtml, type PageName } from './frame-html.ts';
import { quietForm } from './panel-html.ts';
import { openPageAccess, type PageAccess, type PageSession } from './page-access.ts';
import { createPageFeed, type LiveContent } from './page-feed.ts';
import {
  type PageViewParts,
  readTimelineFilter,
  countsContent,
  sessionsContent,
  sessionsHtml,
  timelineContent,
  timelineHtml,
} from './page-views.ts';
import { createUsageReader } from './read-usage.ts';
import { servePage } from './serve-page.ts';
import { eventHtml } from './timeline-html.ts';
import { type UsageContent, usageHtml } from './usage-html.ts';
import { WAITING_DAYS, waitingHtml, waitingToday } from './waiting-html.ts';

/** Where the page is served. */
export interface PageAddress extends ListenAddress {
  /** Where the user's proxy also serves it; null: unset. */
  readonly url: string | null;
}

export interface PageHostOptions extends Omit<PageViewParts, 'quietHours'> {
  readonly config: () => Pick<Config, 'page' | 'policy' | 'api' | 'budget'>;
  /** The client of the vendor's service, used if one is configured. */
  readonly api: Pick<ApiClient, 'get'>;
  readonly decisions: Pick<Decisions, 'find' | 'answer'>;
  /** What would have to change for an event to notify someone; null if it was not suppressed. */
  readonly explain: (event: EventView) => WhatDiffers | null;
  /** File that stores signed-in browsers. */
  readonly sessionsFile: string;
  /** Directory that only this user can read. */
  readonly runtime: string;
  /** Notifies whenever something that the page shows may have changed. */
  readonly changed: Pick<Signal, 'on'>;
  /** Timers that do not keep the process running. */
  readonly startTimer?: StartTimer;
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

const DAY_MS = 86_400_000;

/** Loaded when the page is first needed: most daemons serve none. */
export async function createPageHost(options: PageHostOptions): Promise<PageHost> {
  const { config, ask, now, log } = options;
  const views = { ...options, quietHours: () => config().policy.quietHours };
  const readUsage = createUsageReader(options);
  const access = await openPageAccess({
    path: options.sessionsFile,
    expireAfterMs: () => config().page?.expireAfterMs ?? PAGE_EXPIRES_MS,
    now,
    log,
  });
  const feed = createPageFeed({ load, now, startTimer: options.startTimer ?? idleTimer, log });
  access.onEnd(() => feed.checkSignedIn());
  options.changed.on(() => feed.changed());

  let knowsAnswers = false;

  /** The name under which a browser with these rights follows a view. */
  function viewOf(name: string, session: PageSession): string | null {
    if (name === 'sessions') {
      return `sessions ${session.rights}${access.takesCode(session) ? ' code' : ''}`;
    }
    return name === 'timeline' || name === 'counts' ? name : null;
  }

  function load(view: string): Promise<LiveContent> {
    if (view === 'timeline') return timelineContent(views, {});
    if (view === 'counts') return countsContent(views);
    const [, rights, code] = view.split(' ');
    knowsAnswers ||= views.questions.shown().length > 0;
    return sessionsContent(views, {
      rights: rights === 'decide' ? 'decide' : 'look',
      takesCode: code !== undefined,
      knowsAnswers,
    });
  }

  async function render(
    path: string,
    query: URLSearchParams,
    session: PageSession,
  ): Promise<string | null> {
    const { api, budget } = config();
    const always = ['sessions', 'timeline', 'waiting'] as const;
    const pages: readonly PageName[] = api === null ? always : [...always, 'usage'];
    const follow = async (view: string) => {
      const content = await feed.current(viewOf(view, session) ?? view);
      const { version, counts } = content;
      const shown = { pages, live: { view, version }, waiting: counts['waiting'] ?? 0 };
      return { content, shown };
    };
    const still = async () => (await follow('counts')).shown;
    if (path === '') {
      const { content, shown } = await follow('sessions');
      const midnight = new Date(now()).setHours(0, 0, 0, 0);
      const [figures, open] = await Promise.all([readWaiting('day', midnight), waitingSessions()]);
      const today = waitingToday(figures, open, now());
      const quiet = quietForm(config().policy.quietHours, session.rights);
      const side = { projects: await projectNames(), today, quiet };
      const html = sessionsHtml(content, side);
      return frameHtml({ ...shown, title: 'Sessions', current: 'sessions', content: html });
    }
    if (path === 'timeline') {
      const filter = readTimelineFilter(query);
      const isWhole = Object.keys(filter).length === 0;
      const { content, shown } = await follow(isWhole ? 'timeline' : 'counts');
      const found = isWhole ? content : await timelineContent(views, filter);
      const html = timelineHtml(found, filter);
      return frameHtml({ ...shown, title: 'Timeline', current: 'timeline', content: html });
    }
    if (path === 'waiting') {
      const days = WAITING_DAYS.find((count) => String(count) === query.get('days')) ?? 7;
      const by = waitingDimensions.find((name) => name === query.get('by')) ?? 'day';
      const since = now() - days * DAY_MS;
      const [report, byDay, open] = await Promise.all([
        readWaiting(by, since),
        readWaiting('day', since),
        waitingSessions(),
      ]);
      const content = waitingHtml(report, byDay, { days, open });
      return frameHtml({ ...(await still()), title: 'Waiting time', current: 'waiting', content });
    }
    if (path === 'usage' && api !== null) {
      const usage = await readUsage();
      const content = usageHtml({ usage, budget, digests: await latestDigests() });
      return frameHtml({ ...(await still()), title: 'Usage', current: 'usage', content });
    }
    const id = /^events\/([\w.-]+)$/.exec(path)?.[1];
    if (id === undefined) return null;
    const event = await ask('GET /v1/events', { part: id });
    const content = eventHtml(event, options.explain(event));
    return frameHtml({ ...(await still()), title: event.title, current: 'timeline', content });
  }

  function readWaiting(by: WaitingDimension, since: number): Promise<WaitingView> {
    return ask('GET /v1/waiting', { query: { by, since: String(since) } });
  }

  function waitingSessions(): Promise<readonly SessionView[]> {
    return ask('GET /v1/sessions', { query: { state: 'waiting', limit: '200' } });
  }

  async function latestDigests(): Promise<UsageContent['digests']> {
    const found = await ask('GET /v1/history', { query: { kind: 'digest', limit: '3' } });
    return Promise.all(found.map(({ eventId }) => ask('GET /v1/events', { part: eventId })));
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
