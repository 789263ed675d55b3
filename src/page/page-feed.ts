import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import type { Log } from '../platform/log.ts';
import type { Clock, StartTimer } from '../platform/time.ts';
import type { PageRegion } from './html-parts.ts';

/** The current content of a live page. */
export interface LiveContent {
  readonly regions: readonly PageRegion[];
  /** Numbers in headings, by name. */
  readonly counts: Readonly<Record<string, number>>;
}

/** `LiveContent` with its version, which browsers send back. */
export interface LiveState extends LiveContent {
  readonly version: string;
}

/** A browser that follows a view. */
export interface Follower {
  readonly response: ServerResponse;
  /** The version it shows. */
  readonly version: string;
  /** Fills the placeholders of the HTML for this browser. */
  readonly finish: (html: string) => string;
  readonly isSignedIn: () => boolean;
  /** Begins the response. */
  readonly start: () => void;
}

/** Pushes changes to browsers, by Server-Sent Events. */
export interface PageFeed {
  /** What a view shows now. Rejects as the store does. */
  current(view: string): Promise<LiveState>;
  /** Sends changes of the view until the connection ends. False: too many connections are open. */
  follow(view: string, follower: Follower): Promise<boolean>;
  /** Something may have changed. */
  changed(): void;
  /** Closes connections of browsers that are no longer signed in. */
  checkSignedIn(): void;
  stop(): void;
}

/** Changes within this time are sent together, ms. */
const BETWEEN_PUSHES_MS = 200;
/** The first change waits this long for others that belong to it, ms. */
const FIRST_PUSH_MS = 10;
/** Poll interval for changes without a notification, such as the end of a mute, ms. */
const LOOK_MS = 5_000;
/** Shorter than the time after which proxies close a silent connection, ms. */
const SIGN_OF_LIFE_MS = 25_000;
const MOST_STREAMS = 24;

interface View {
  content: LiveContent;
  number: number;
  loading: Promise<void>;
  readonly streams: Set<Stream>;
}

interface Stream extends Omit<Follower, 'version' | 'start'> {
  /** Its buffer is full. */
  isBehind: boolean;
  /** Missed a change, so it gets the whole state once its buffer drains. */
  hasMissed: boolean;
}

export interface PageFeedOptions {
  /** Renders a view; called at most every 200 ms while browsers follow it. */
  readonly load: (view: string) => Promise<LiveContent>;
  readonly now: Clock;
  readonly startTimer: StartTimer;
  readonly log: Log;
}

export function createPageFeed({ load, now, startTimer, log }: PageFeedOptions): PageFeed {
  // Versions of an earlier daemon must not look like ours.
  const start = randomBytes(6).toString('base64url');
  const views = new Map<string, View>();
  let cancelPush: (() => void) | null = null;
  let cancelLook: (() => void) | null = null;
  let cancelSign: (() => void) | null = null;
  let pushedAt = 0;

  const streams = (): Stream[] => [...views.values()].flatMap((view) => [...view.streams]);
  const versionOf = ({ number }: View): string => `${start}.${number}`;

  function viewOf(name: string): View {
    const known = views.get(name);
    if (known !== undefined) return known;
    const content = { regions: [], counts: {} };
    const view: View = { content, number: 0, loading: Promise.resolve(), streams: new Set() };
    views.set(name, view);
    return view;
  }

  /** Renders a view again, and sends what differs to those that follow it. */
  function refresh(name: string): Promise<void> {
    const view = viewOf(name);
    const former = view.loading;
    const next = (async () => {
      await former.catch(() => undefined);
      const content = await load(name);
      const changes = differences(view.content, content);
      if (changes === null) return;
      view.content = content;
      view.number += 1;
      for (const stream of view.streams) {
        if (stream.isBehind) stream.hasMissed = true;
        else send(stream, view, changes);
      }
    })();
    view.loading = next;
    return next;
  }

  function send(stream: Stream, view: View, { regions, counts }: Changes): void {
    const { response, finish } = stream;
    const finished = regions.map((region) => ({
      ...region,
      rows: region.rows.map(([id, html]) => [id, finish(html)]),
    }));
    const data = JSON.stringify({ counts, regions: finished });
    if (response.write(`id: ${versionOf(view)}\ndata: ${data}\n\n`)) return;
    stream.isBehind = true;
    response.once('drain', () => {
      stream.isBehind = false;
      if (!stream.hasMissed) return;
      stream.hasMissed = false;
      send(stream, view, everything(view.content));
    });
  }

  function push(): void {
    cancelPush = null;
    pushedAt = now();
    for (const [name, view] of views) {
      if (view.streams.size === 0) continue;
      refresh(name).catch((error: unknown) => {
        log.warn({ err: error }, 'Cannot read what the page shows');
      });
    }
  }

  function changed(): void {
    if (cancelPush !== null || streams().length === 0) return;
    const wait = Math.max(FIRST_PUSH_MS, pushedAt + BETWEEN_PUSHES_MS - now());
    cancelPush = startTimer(Math.min(wait, BETWEEN_PUSHES_MS), push);
  }

  function look(): void {
    cancelLook = startTimer(LOOK_MS, look);
    changed();
  }

  function checkSignedIn(): void {
    for (const { isSignedIn, response } of streams()) if (!isSignedIn()) response.end();
  }

  function signOfLife(): void {
    cancelSign = startTimer(SIGN_OF_LIFE_MS, signOfLife);
    checkSignedIn();
    for (const { response } of streams()) response.write(':\n\n');
  }

  function leave(view: View, stream: Stream): void {
    view.streams.delete(stream);
    if (streams().length > 0) return;
    for (const cancel of [cancelPush, cancelLook, cancelSign]) cancel?.();
    cancelPush = cancelLook = cancelSign = null;
  }

  return {
    async current(name) {
      await refresh(name);
      const view = viewOf(name);
      return { ...view.content, version: versionOf(view) };
    },

    async follow(name, { version, start: begin, ...follower }) {
      if (streams().length >= MOST_STREAMS) return false;
      begin();
      const { response } = follower;
      const view = viewOf(name);
      const stream: Stream = { ...follower, isBehind: false, hasMissed: false };
      // Added first, so that no change falls between the state and the changes that follow.
      view.streams.add(stream);
      response.once('close', () => leave(view, stream));
      cancelLook ??= startTimer(LOOK_MS, look);
      cancelSign ??= startTimer(SIGN_OF_LIFE_MS, signOfLife);
      response.write('retry: 1000\n\n');
      const before = versionOf(view);
      await refresh(name);
      // A change since then was sent to it as to all others.
      if (version !== before && !response.destroyed) send(stream, view, everything(view.content));
      return true;
    },

    changed,
    checkSignedIn,

    stop() {
      for (const { response } of streams()) response.end();
    },
  };
}

/** Changed regions: the order of all rows, and the HTML of those that changed. */
type Changes = ReturnType<typeof everything>;

function everything({ regions, counts }: LiveContent) {
  return { counts, regions: regions.map((region) => changesOf(region)) };
}

function changesOf({ id, rows }: PageRegion, changed = rows) {
  const order = rows.map((row) => row.id);
  return { id, order, rows: changed.map((row) => [row.id, row.html] as const) };
}

/** Null if nothing changed. */
function differences(before: LiveContent, after: LiveContent): Changes | null {
  const former = new Map(before.regions.map((region) => [region.id, region]));
  const regions = after.regions.flatMap((region) => {
    const { id, rows } = region;
    const old = former.get(id)?.rows ?? [];
    const htmlOf = new Map(old.map((row) => [row.id, row.html]));
    const changed = rows.filter((row) => htmlOf.get(row.id) !== row.html);
    const isSameOrder =
      old.length === rows.length && rows.every((row, index) => row.id === old[index]?.id);
    return changed.length === 0 && isSameOrder ? [] : [changesOf(region, changed)];
  });
  const isSameCount = JSON.stringify(before.counts) === JSON.stringify(after.counts);
  return regions.length === 0 && isSameCount ? null : { regions, counts: after.counts };
}
