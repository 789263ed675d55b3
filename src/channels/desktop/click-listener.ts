import type { ChannelDependencies } from '../../core/channel.ts';
import { idIn } from './bus-client.ts';
import type { Programs } from './programs.ts';
import { shownBy } from './programs.ts';
import type { Answering, Look, PopUp, Shown } from './rung.ts';
import { createReplyListener } from './reply-listener.ts';
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
  const replies = createReplyListener(programs, (program, words) => [
    setpriv,
    launched(program, words),
  ]);
  let setpriv = '';
  let stdbuf = '';
  /** How a session can be answered, where it can be. */
  let replyAction: typeof REPLY | typeof INLINE_REPLY | null = null;

  /** Both replace themselves by what they run, so this remains one process. */
  function launched(program: string, arguments_: readonly string[]): readonly string[] {
    // It ends with the daemon, even if that is killed; and it prints the id at once instead of at its end.
    return ['--pdeathsig', 'KILL', stdbuf, '-oL', program, ...arguments_];
  }

  return {
    async probe(notifySend, look) {
      setpriv = (await programs.find('setpriv')) ?? '';
      stdbuf = (await programs.find('stdbuf')) ?? '';
      if (setpriv === '' || stdbuf === '') return false;
      const opens = (await programs.find('xdg-open')) !== null;
      const takesReplies = bus.takesReplies() && (await replies.probe(look));
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
      const { deliveryId } = popUp.reaction;
      const ear =
        url === null || button !== INLINE_REPLY
          ? null
          : replies.ear((text) => onReaction({ deliveryId, type: 'replied', url, text }));
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
        if (chosen === ACTION) onReaction(popUp.reaction);
        else if (url !== null && chosen !== undefined && chosen === button) {
          onReaction({ deliveryId, type: 'wants to reply', url });
        }
        return result;
      });

      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      const first = await within(Promise.race([shownId, ended]), programs.runMs);
      signal.removeEventListener('abort', stop);
      if (typeof first === 'string') return { type: 'shown', id: first };
      if (first !== null) return shownBy(first, first.ok ? idIn(first.stdout) : null);
      stop();
      const reason = `did not show it within ${programs.runMs} ms`;
      return { type: 'failed', reason, maybeShown: (await ended).started };
    },
    end: (key) => waiting.end(key),
    async close() {
      await waiting.close();
      await replies.close();
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
