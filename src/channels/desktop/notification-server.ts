import { type BusAddress, busAddress } from '../../platform/dbus/bus-address.ts';
import { BUS, type BusConnection } from '../../platform/dbus/bus-connection.ts';
import type { BusMessage } from '../../platform/dbus/bus-message.ts';
import { createKnownPopUps } from './known-pop-ups.ts';
import type { BackendDependencies, PopUp, Programs, ShowResult, Urgency } from './backend.ts';
import { createDoNotDisturb } from './do-not-disturb.ts';
import {
  isGone,
  NOTIFIER,
  notifyBody,
  openLink,
  openMonitor,
  serverCall,
  type ServerLink,
  serverOf,
} from './server-link.ts';

/** A connection lost while pop-ups stand is reopened after this delay, doubled each time up to the longest, ms. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Over one connection to the session bus. Ids belong to one server: they are dropped when the name has another owner. */
export function createNotificationServer(
  programs: Programs,
  { onReaction, now, onWorksAgain }: BackendDependencies,
) {
  const closing = new AbortController();
  const known = createKnownPopUps({ now, onReaction, onForgotten });
  const doNotDisturb = createDoNotDisturb(programs, closing.signal, onWorksAgain);
  let link: ServerLink | null = null;
  let opening: Promise<ServerLink | string> | null = null;
  let idsOf: string | null = null;
  let monitor: Promise<BusConnection | null> | null = null;
  let again: NodeJS.Timeout | undefined;
  let latestCapabilities: readonly string[] = [];

  /** Each pop-up has one connection to listen on, so that nothing is reported twice: older ones use the monitor, if any. */
  function onSignal(from: ServerLink, message: BusMessage, byMonitor: boolean): void {
    const { interface: face, member = '', sender } = message;
    const [first, second, third] = message.body;
    if (face === BUS && member === 'NameOwnerChanged' && sender === BUS && first === NOTIFIER) {
      if (byMonitor) return;
      from.owner = typeof third === 'string' && third !== '' ? third : null;
      from.capabilities = null;
      idsOf = serverOf(from);
      // Another server restarts its count: text typed into pop-ups of other programs must reach no agent.
      return known.forgetAll();
    }
    if (face !== NOTIFIER) return byMonitor ? undefined : doNotDisturb.onSignal(from, message);
    if (sender === undefined || sender !== from.owner) return;
    const entry = typeof first === 'number' ? known.get(first) : undefined;
    if (typeof first !== 'number' || entry === undefined) return;
    const isForMonitor = entry.isOlder && monitor !== null;
    if (isForMonitor === byMonitor) known.handleSignal(first, member, second);
  }

  async function linked(signal: AbortSignal): Promise<ServerLink | string> {
    // Read before each use: the bus may appear after the daemon, or elsewhere.
    const wanted = busAddress(programs.env);
    if (!wanted.ok) return wanted.reason;
    if (link !== null && link.address.address !== wanted.address) link.connection.close();
    else if (link?.connection.isOpen()) return link;
    opening ??= open(wanted).finally(() => {
      opening = null;
    });
    return orStopped(opening, signal);
  }

  function optionsFor(byMonitor: boolean) {
    return {
      signal: closing.signal,
      connectMs: programs.runMs,
      askMs: programs.askMs,
      onSignal: (from: ServerLink, message: BusMessage) => onSignal(from, message, byMonitor),
    };
  }

  async function open(wanted: BusAddress & { readonly ok: true }): Promise<ServerLink | string> {
    clearTimeout(again);
    const opened = await openLink(wanted, optionsFor(false));
    if (typeof opened === 'string') return opened;
    if (serverOf(opened) !== idsOf) known.forgetAll();
    idsOf = serverOf(opened);
    endMonitor();
    link = opened;
    void opened.connection.closed.then(() => onLost(opened));
    known.makeOlder();
    void startMonitor(opened);
    return opened;
  }

  /** Pop-ups outlive a connection, such as one that the bus closed: while some stand, it is reopened. */
  function onLost(lost: ServerLink): undefined {
    if (link !== lost) return;
    link = null;
    endMonitor();
    reopen(FIRST_PAUSE_MS);
  }

  function reopen(pauseMs: number): void {
    known.forgetExpired();
    if (closing.signal.aborted || known.size() === 0 || link !== null) return;
    clearTimeout(again);
    again = setTimeout(() => void tryAgain(pauseMs), pauseMs).unref();
  }

  async function tryAgain(pausedMs: number): Promise<void> {
    const opened = await linked(closing.signal);
    if (typeof opened === 'string') reopen(Math.min(pausedMs * 2, LONGEST_PAUSE_MS));
  }

  /** If the bus allows no monitor, older pop-ups get only the server's broadcasts. */
  async function startMonitor(watched: ServerLink): Promise<void> {
    if (monitor !== null || !known.hasOlder()) return;
    const started = openMonitor(watched, optionsFor(true));
    monitor = started;
    const connection = await started;
    await connection?.closed;
    if (monitor === started) monitor = null;
  }

  function endMonitor(): void {
    const ended = monitor;
    monitor = null;
    void ended?.then((connection) => connection?.close());
  }

  function onForgotten(): void {
    if (monitor !== null && !known.hasOlder()) endMonitor();
  }

  /** Queries the server's capabilities; returns the link, or why no server is available. */
  async function askedLink(signal: AbortSignal): Promise<ServerLink | string> {
    const opened = await linked(signal);
    if (typeof opened === 'string') return opened;
    const { connection } = opened;
    const call = serverCall('GetCapabilities');
    const answer = await connection.call(call, { timeoutMs: programs.askMs, signal });
    if (answer.type === 'error') return 'no notification server on the session bus';
    if (answer.type === 'none') return `the notification server ${answer.reason}`;
    const [names] = answer.body;
    const list = Array.isArray(names) ? names : [];
    latestCapabilities = list.filter((name) => typeof name === 'string');
    opened.capabilities = latestCapabilities;
    return opened;
  }

  /** Closes a pop-up; returns null, or why it could not. @param server who gave the id, where that is known */
  async function withdraw(id: number, signal: AbortSignal, server?: string) {
    const opened = await linked(signal);
    if (typeof opened === 'string') return opened;
    // Another server's pop-ups disappeared with it, and here the id belongs to another program.
    if (server !== undefined && server !== serverOf(opened)) return null;
    known.close(id);
    const answer = await opened.connection.call(
      { ...serverCall('CloseNotification', 'u', [id]), noAutoStart: true },
      { timeoutMs: programs.runMs, signal },
    );
    if (answer.type === 'answer') return null;
    if (answer.type === 'none') return `the notification server ${answer.reason}`;
    // The specification requires an error for a closed pop-up; errors of the bus itself are different.
    const isTrouble = answer.errorName.startsWith(`${BUS}.Error.`) && !isGone(answer.errorName);
    return isTrouble ? `the notification server answered "${answer.errorName}"` : null;
  }

  return {
    /** Queries the server's capabilities; returns null, or why it is unavailable. */
    async probe(signal: AbortSignal): Promise<string | null> {
      const opened = await askedLink(signal);
      return typeof opened === 'string' ? opened : null;
    },

    /** Such as "actions" and "body-markup", as of the last query. */
    capabilities: () => latestCapabilities,

    /** As `DoNotDisturb.hides`; null without a desktop as well. */
    async hides(urgency: Urgency | null, signal: AbortSignal): Promise<string | null> {
      const opened = await linked(signal);
      return typeof opened === 'string' ? null : doNotDisturb.hides(opened, urgency, signal);
    },

    /** @param opensPages whether a button can open the page of a `replyUrl` */
    async show(popUp: PopUp, opensPages: boolean, signal: AbortSignal): Promise<ShowResult> {
      let opened = await linked(signal);
      if (typeof opened !== 'string' && opened.capabilities === null) {
        opened = await askedLink(signal);
      }
      if (typeof opened === 'string') return { type: 'failed', reason: opened, maybeShown: false };
      const { connection, busId } = opened;
      const capabilities = opened.capabilities ?? [];
      const entry = known.entry(popUp, false);
      const former = known.latest(popUp.key);
      const replaces = known.mayReplace(former, popUp) ? former : 0;
      const before = known.get(replaces);
      // People can react before the server returned its id, and mean the question that they see.
      if (replaces !== 0) known.put(replaces, entry);
      const body = notifyBody({ popUp, replaces, capabilities, opensPages });
      const answer = await connection.call(serverCall('Notify', 'susssasa{sv}i', body), {
        timeoutMs: programs.runMs,
        signal,
        // Immediately: the next message may be a click on it.
        onAnswer({ sender, body: [id] }) {
          if (typeof id !== 'number' || id === 0) return;
          if (replaces !== 0 && replaces !== id) known.forget(replaces);
          if (former !== 0 && replaces === 0) void withdraw(former, signal);
          // Another object: the former entry's state must not remove this one.
          known.remember(id, { ...entry });
          idsOf = `${busId} ${sender}`;
        },
      });
      if (answer.type === 'answer') {
        const [id] = answer.body;
        if (typeof id !== 'number' || id === 0) return { type: 'shown', id: null };
        return { type: 'shown', id: String(id), server: `${busId} ${answer.sender}` };
      }
      const maybeShown = answer.type === 'none' && answer.wasSent;
      if (!maybeShown && before !== undefined && known.get(replaces) === entry) {
        known.put(replaces, before);
      }
      const reason = answer.type === 'none' ? answer.reason : 'refused it';
      return { type: 'failed', reason: `the notification server ${reason}`, maybeShown };
    },

    withdraw,

    /** Listens again for a pop-up of an earlier daemon, if `server`, which issued the id, is still running. */
    async resubscribe(popUp: PopUp, { id, server }: { id: number; server: string }): Promise<void> {
      const opened = link;
      if (opened === null || server !== serverOf(opened) || known.latest(popUp.key) !== 0) return;
      known.remember(id, known.entry(popUp, true));
      idsOf = server;
      void startMonitor(opened);
      await monitor;
    },

    close(): void {
      closing.abort();
      clearTimeout(again);
      known.forgetAll();
      endMonitor();
      link?.connection.close();
    },
  };
}

function orStopped<Result>(promise: Promise<Result>, signal: AbortSignal) {
  const over = new AbortController();
  const stopped = new Promise<string>((resolve) => {
    if (signal.aborted) resolve('stopped');
    const options = { once: true, signal: over.signal };
    signal.addEventListener('abort', () => resolve('stopped'), options);
  });
  return Promise.race([promise, stopped]).finally(() => over.abort());
}
