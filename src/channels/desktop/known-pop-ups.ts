import type { ChannelDependencies } from '../../core/channel.ts';
import type { PopUp } from './backend.ts';
import { decisionIn } from './decision.ts';

const MAX_POP_UPS = 500;

/** The alert of a pop-up has expired after this time: later clicks do not matter, ms. */
const STANDS_MS = 12 * 3_600_000;

/** A server may report a pop-up closed before the text typed into it, and a click may cross a withdrawal, ms. */
const GRACE_MS = 1_000;

interface KnownPopUp {
  readonly popUp: PopUp;
  readonly until: number;
  /** Shown over a closed connection. */
  readonly isOlder: boolean;
  hasActed: boolean;
  hasReplied: boolean;
}

/** The pop-ups of one server, by its ids. @param onForgotten called when something may have become superfluous */
export function createKnownPopUps({
  now,
  onReaction,
  onForgotten,
}: Pick<ChannelDependencies, 'now' | 'onReaction'> & { readonly onForgotten: () => void }) {
  const known = new Map<number, KnownPopUp>();
  const latest = new Map<string, number>();

  function forget(id: number): void {
    leave(id);
    known.delete(id);
    onForgotten();
  }

  /** The next pop-up of the group must be a new one, not an update of a closed one. */
  function leave(id: number): void {
    const key = known.get(id)?.popUp.key;
    if (key !== undefined && latest.get(key) === id) latest.delete(key);
  }

  function close(id: number): void {
    const entry = known.get(id);
    leave(id);
    setTimeout(() => {
      if (known.get(id) === entry) forget(id);
    }, GRACE_MS).unref();
  }

  function act(entry: KnownPopUp, action: string): void {
    // Typed text arrives by a separate signal; the buttons stay.
    const opensField = entry.popUp.decision !== null && action === 'inline-reply';
    if (entry.hasActed || opensField) return;
    entry.hasActed = true;
    const { reaction, replyUrl: url } = entry.popUp;
    // In the notification specification: a click on the pop-up itself, without a button.
    if (action === 'default') return onReaction(reaction);
    const decided = decisionIn(action);
    if (decided !== null) {
      return onReaction({ deliveryId: reaction.deliveryId, type: 'decided', ...decided });
    }
    if (url === null || (action !== 'reply' && action !== 'inline-reply')) return;
    onReaction({ deliveryId: reaction.deliveryId, type: 'reply-requested', url });
  }

  function reply(entry: KnownPopUp, text: string): void {
    const { reaction, replyUrl: url, decision } = entry.popUp;
    if (entry.hasReplied || (url === null && decision === null)) return;
    entry.hasReplied = true;
    const { deliveryId } = reaction;
    if (decision !== null) {
      const { question, requestHash, typed: choice } = decision;
      const given = { question, requestHash, choice, option: null, words: text };
      return onReaction({ deliveryId, type: 'decided', ...given });
    }
    if (url !== null) onReaction({ deliveryId, type: 'replied', url, text });
  }

  return {
    entry: (popUp: PopUp, isOlder: boolean): KnownPopUp => ({
      popUp,
      until: now() + (popUp.expireMs || STANDS_MS),
      isOlder,
      hasActed: false,
      hasReplied: false,
    }),
    get: (id: number) => known.get(id),
    /** The id of the latest pop-up of a group; 0 if none. */
    latest: (key: string) => latest.get(key) ?? 0,
    /** Whether a pop-up may take the place of another one: what is typed into it must not reach another request. */
    mayReplace: (id: number, { decision }: PopUp) =>
      known.get(id)?.popUp.decision?.question === decision?.question,
    /** Adds it without making it the latest of its group. */
    put: (id: number, entry: KnownPopUp) => void known.set(id, entry),
    remember(id: number, entry: KnownPopUp): void {
      known.delete(id);
      known.set(id, entry);
      latest.set(entry.popUp.key, id);
      const [oldest] = known.keys();
      if (known.size > MAX_POP_UPS && oldest !== undefined) forget(oldest);
    },
    forget,
    /** Closed, or about to be; an action just before that may still be reported. */
    close,
    forgetAll(): void {
      known.clear();
      latest.clear();
      onForgotten();
    },
    forgetExpired(): void {
      for (const [id, { until }] of known) if (until < now()) forget(id);
    },
    /** The connection that showed them is closed. */
    makeOlder(): void {
      for (const [id, entry] of known) known.set(id, { ...entry, isOlder: true });
    },
    hasOlder: () => [...known.values()].some(({ isOlder }) => isOlder),
    size: () => known.size,
    /** Reports a person's reaction to a pop-up, from a signal of the server. */
    handleSignal(id: number, member: string, word: unknown): void {
      const entry = known.get(id);
      if (entry === undefined) return;
      if (member === 'ActionInvoked' && typeof word === 'string') act(entry, word);
      else if (member === 'NotificationReplied' && typeof word === 'string') reply(entry, word);
      else if (member === 'NotificationClosed') close(id);
    },
  };
}
