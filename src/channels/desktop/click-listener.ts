import { setTimeout as delay } from 'node:timers/promises';

import type { ChannelDependencies } from '../../core/channel.ts';
import { idIn } from './bus-client.ts';
import type { Programs } from './programs.ts';
import { shownBy } from './programs.ts';
import type { Answering, Look, PopUp, Shown } from './rung.ts';
import { createPopUpListener } from './pop-up-listener.ts';
import type { SessionBus } from './session-bus.ts';
import { createWaitingPrograms } from './waiting-programs.ts';
import { within } from './within.ts';

/** The alert of a pop-up has expired after so long: nobody need hear of a click then, ms. */
const STANDS_MS = 12 * 3_600_000;

/** Where it cannot show a pop-up it ends at once after it has printed an id: who still runs after so long has shown it, ms. */
const SETTLE_MS = 250;

/** The action that the notification specification calls so is a click on the pop-up itself, without a button. */
const ACTION = 'default';

/** A button that leads to the page for replies, and the one of KDE that becomes a field to type into. */
const REPLY = 'reply';
const INLINE_REPLY = 'inline-reply';

/** A call of notify-send. */
export interface ListeningCall {
  readonly program: string;
  /** Without what makes it listen. */
  readonly arguments: readonly string[];
  /** The id of the pop-up whose place it takes, or null. */
  readonly replaces: string | null;
}

/**
 * Runs notify-send so that it stays until its pop-up is gone and then prints which action was chosen. A server may tell
 * it to nobody but the program that showed the pop-up (dunst does), so that no other program can listen instead.
 */
export interface ClickListener {
  /** Looks whether this machine has all it takes. */
  probe(notifySend: string, look: Look): Promise<boolean>;
  /** How a session can be answered, as far as the latest probe knows. */
  answers(): Answering;
  /** Answers as soon as it is shown. Called only after a probe that passed. */
  show(popUp: PopUp, call: ListeningCall, signal: AbortSignal): Promise<Shown>;
  /** Whether another server is there than this one, with which its pop-ups went. */
  isGone(server: string, look: Look): Promise<boolean>;
  /**
   * Listens again to a pop-up that was shown before this was created, as by a daemon that is gone. False where it is not
   * that one any more.
   */
  hearAgain(popUp: PopUp, shown: { readonly id: string; readonly server: string }): boolean;
  /** Listens no more to the pop-up of this group. */
  end(key: string): void;
  close(): Promise<void>;
}

export function createClickListener(
  programs: Programs,
  bus: Pick<SessionBus, 'takesReplies'>,
  onReaction: ChannelDependencies['onReaction'],
): ClickListener {
  const waiting = createWaitingPrograms();
  const listener = createPopUpListener(programs, (program, words) => [
    setpriv,
    launched(program, words),
  ]);
  let setpriv = '';
  let stdbuf = '';
  /** How a session can be answered, where it can be. */
  let replyAction: typeof REPLY | typeof INLINE_REPLY | null = null;
  let server: string | null = null;

  /** Both replace themselves by what they run, so this remains one process. */
  function launched(program: string, arguments_: readonly string[]): readonly string[] {
    // It ends with the daemon, even if that is killed; and it prints the id at once instead of at its end.
    return ['--pdeathsig', 'KILL', stdbuf, '-oL', program, ...arguments_];
  }

  function tellAction({ reaction, replyUrl: url }: PopUp, action: string): void {
    if (action === ACTION) return onReaction(reaction);
    if (url === null || (action !== REPLY && action !== INLINE_REPLY)) return;
    onReaction({ deliveryId: reaction.deliveryId, type: 'wants to reply', url });
  }

  function tellReply({ reaction, replyUrl: url }: PopUp, text: string): void {
    if (url === null) return;
    onReaction({ deliveryId: reaction.deliveryId, type: 'replied', url, text });
  }

  /** Hears of a pop-up whose notify-send is gone. */
  async function untilGone(popUp: PopUp, id: string, stopped: AbortSignal): Promise<void> {
    const over = new AbortController();
    let isTold = false;
    const ear = listener.ear({
      replied: (text) => tellReply(popUp, text),
      chosen(action) {
        if (!isTold) tellAction(popUp, action);
        isTold = true;
        over.abort();
      },
      closed: () => over.abort(),
    });
    ear.at(id);
    const end = AbortSignal.any([stopped, over.signal]);
    await delay(popUp.expireMs || STANDS_MS, undefined, { ref: false, signal: end }).catch(
      () => undefined,
    );
    ear.end();
  }

  return {
    async probe(notifySend, look) {
      setpriv = (await programs.find('setpriv')) ?? '';
      stdbuf = (await programs.find('stdbuf')) ?? '';
      if (setpriv === '' || stdbuf === '') return false;
      const opens = (await programs.find('xdg-open')) !== null;
      const listens = await listener.probe(look);
      server = listens ? await listener.server(look) : null;
      const takesReplies = listens && bus.takesReplies();
      replyAction = takesReplies ? INLINE_REPLY : opens ? REPLY : null;
      return (await programs.ask(setpriv, launched(notifySend, ['--version']), look)).ok;
    },

    answers() {
      if (replyAction === null) return 'not at all';
      return replyAction === INLINE_REPLY ? 'in it' : 'by a button';
    },

    async show(popUp, { program, arguments: arguments_, replaces }, signal) {
      const url = popUp.replyUrl;
      const button = url === null ? null : replyAction;
      const listening = ['--print-id', `--action=${ACTION}=Seen`, ...replyOptions(button)];
      const words = launched(program, [...listening, ...arguments_]);
      let told: ((id: string) => void) | undefined;
      const shownId = new Promise<string>((resolve) => {
        told = resolve;
      });
      const ear =
        button === INLINE_REPLY
          ? listener.ear({ replied: (text) => tellReply(popUp, text) })
          : null;
      // People can type into it before notify-send has told its id, and mean the question that they see.
      if (replaces !== null) ear?.at(replaces);
      const { ended, stop } = waiting.start(popUp.key, async (stopped) => {
        const result = await programs.run(setpriv, words, {
          signal: stopped,
          timeoutMs: (popUp.expireMs || STANDS_MS) + programs.runMs,
          onOutput(printed) {
            const id = printed.includes('\n') ? idIn(printed) : null;
            // Where it cannot show it, it prints 0, or the id it was to replace, and ends.
            if (id === null || id === '0' || stopped.aborted) return;
            ear?.at(id);
            setTimeout(() => told?.(id), id === replaces ? SETTLE_MS : 0).unref();
          },
        });
        ear?.end();
        const chosen = result.ok ? result.stdout.split('\n')[1] : undefined;
        if (chosen !== undefined) tellAction(popUp, chosen);
        return result;
      });

      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      const first = await within(Promise.race([shownId, ended]), programs.runMs);
      signal.removeEventListener('abort', stop);
      if (typeof first === 'string') {
        return { type: 'shown', id: first, ...(server !== null && { server }) };
      }
      if (first !== null) return shownBy(first, first.ok ? idIn(first.stdout) : null);
      stop();
      const reason = `did not show it within ${programs.runMs} ms`;
      return { type: 'failed', reason, maybeShown: (await ended).started };
    },

    async isGone(former, look) {
      const present = await listener.server(look);
      return present !== null && present !== former;
    },

    hearAgain(popUp, shown) {
      // Another server gives its ids to pop-ups of other programs; and a newer one of the group is heard already.
      if (shown.server !== server || waiting.has(popUp.key)) return false;
      waiting.start(popUp.key, (stopped) => untilGone(popUp, shown.id, stopped));
      return true;
    },
    end: (key) => waiting.end(key),
    async close() {
      await waiting.close();
      await listener.close();
    },
  };
}

function replyOptions(button: string | null): readonly string[] {
  if (button === null) return [];
  const action = `--action=${button}=Reply`;
  if (button === REPLY) return [action];
  // https://github.com/KDE/plasma-workspace, libnotificationmanager/notification.cpp
  const field = { 'placeholder-text': 'Your answer', 'submit-button-text': 'Send' };
  return [
    action,
    ...Object.entries(field).map(([name, text]) => `--hint=string:x-kde-reply-${name}:${text}`),
  ];
}
