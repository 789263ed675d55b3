import { traitsOf } from '../agents/registry.ts';
import { type HookEvent, type HookRecord, isWaiting, type Kind } from '../core/hook-event.ts';
import { agentProcess } from '../core/session.ts';
import type { WordTraits } from '../core/agent/agent-traits.ts';
import { WORDS_PROOF_MS, type WordSender } from '../core/question.ts';
import { isSameProcess } from '../platform/process-table.ts';
import { pollUntil } from '../platform/time.ts';
import { type DeskOptions, type HeldHook, takeHook } from './held-hooks.ts';

export interface WordDeskOptions extends DeskOptions {
  /** How long the session is looked at for the words, ms. */
  readonly proofMs?: number;
}

/** Sessions at rest whose hook waits. */
export interface WordDesk extends WordSender {
  /** Receives events after their commit, in their order. */
  take(records: readonly HookRecord[]): void;
  /** Lets all hooks go. */
  stop(): void;
}

interface Listener {
  readonly event: HookEvent;
  readonly words: WordTraits;
  readonly hook: HeldHook;
  readonly agentPid: number | null;
  readonly waits: NonNullable<HookEvent['waits']>;
}

/** Presence and processes are checked this often while a hook waits. */
const EVERY_MS = 500;
/** Agents end a hook after a day. */
const LONGEST_MS = 86_390_000;

/** After these the session is no longer at rest. */
const ends: readonly Kind[] = ['prompt', 'session.start', 'session.end', 'turn.interrupted'];

/**
 * Holds the hooks of sessions that have just finished, and passes words to them. Of an agent that shows a running hook, it waits only
 * while the person is away.
 */
export function createWordDesk(options: WordDeskOptions): WordDesk {
  const { presence, readTail, now, log, uid } = options;
  const { isRunning = isSameProcess, takeHook: takeListener = takeHook } = options;
  const { asks } = options.paths;
  const listeners = new Map<string, Listener>();
  /** Called when the agent reports that the session has the words. */
  const awaited = new Map<string, () => void>();
  let timer: NodeJS.Timeout | undefined;

  const isAway = async (): Promise<boolean> =>
    (await presence.isPresent().catch(() => null)) === false;

  function letGo(key: string): void {
    listeners.get(key)?.hook.letGo();
    listeners.delete(key);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  async function listen({ event }: HookRecord, waits: Listener['waits']): Promise<void> {
    const { agent, sessionKey: key, facts } = event;
    const hook = takeListener(asks, waits.fifo, uid);
    if (hook === null) return;
    const words = event.isUnproved === true ? undefined : traitsOf(agent).words;
    if (words === undefined || !mayListen(event)) return hook.letGo();
    letGo(key);
    const listener = { event, words, hook, waits, agentPid: agentProcess(agent, facts) };
    // Before the person is looked for, so that no event in between is missed.
    listeners.set(key, listener);
    timer ??= setInterval(() => void look(), EVERY_MS);
    if (words.showsHook === true && !(await isAway()) && listeners.get(key) === listener)
      letGo(key);
  }

  async function look(): Promise<void> {
    const needsPresence = [...listeners.values()].some(({ words }) => words.showsHook);
    const away = needsPresence ? await isAway() : true;
    for (const [key, { event, words, waits, agentPid }] of listeners) {
      const isGone =
        !isRunning(waits.pid, waits.start) || (agentPid !== null && !isRunning(agentPid, null));
      const isOver = now() - event.at >= LONGEST_MS || (words.showsHook === true && !away);
      if (isGone || isOver) letGo(key);
    }
  }

  async function isInTranscript(path: string, isThere: (tail: string) => boolean) {
    const found = await pollUntil(
      async () => (isThere((await readTail(path)) ?? '') ? true : null),
      options.proofMs ?? WORDS_PROOF_MS,
      250,
    );
    return found === true;
  }

  async function isReported(key: string): Promise<boolean> {
    let isThere = false;
    awaited.set(key, () => {
      isThere = true;
    });
    await pollUntil(
      () => Promise.resolve(isThere ? true : null),
      options.proofMs ?? WORDS_PROOF_MS,
      50,
    );
    awaited.delete(key);
    return isThere;
  }

  return {
    take(records) {
      for (const { event, payload } of records) {
        const { sessionKey, kind, waits, tookAnswer } = event;
        if (kind === 'prompt' && tookAnswer === true) awaited.get(sessionKey)?.();
        const listener = listeners.get(sessionKey);
        if (listener !== undefined && ends.includes(kind) && event.at >= listener.event.at) {
          letGo(sessionKey);
        }
        // Requests are held by the question desk.
        if (waits === undefined || isWaiting(kind)) continue;
        listen({ event, payload }, waits).catch((error: unknown) => {
          log.error({ err: error, event: event.id }, 'Cannot wait for words to a session');
        });
      }
    },

    async send(key, text) {
      const listener = listeners.get(key);
      if (listener === undefined)
        return { state: 'refused', reason: 'it is not waiting for words' };
      const { transcriptPath } = listener.event;
      const { documentOf, tookWords } = listener.words;
      const line = wordsLine(documentOf(text));
      if (line === null) return { state: 'refused', reason: 'the text is longer than 60 KB' };
      const sentAt = now();
      const isSent = listener.hook.answer(line);
      letGo(key);
      if (!isSent) return { state: 'refused', reason: 'its hook is gone' };
      const isThere =
        tookWords === undefined
          ? await isReported(key)
          : transcriptPath !== null &&
            (await isInTranscript(transcriptPath, (tail) => tookWords(tail, text, sentAt)));
      // Its note that it printed the words came after them.
      listener.hook.letGo();
      return { state: isThere ? 'confirmed' : 'sent' };
    },

    stop() {
      for (const key of listeners.keys()) letGo(key);
      clearInterval(timer);
    },
  };
}

/** A pipe holds more than this without a reader; longer words are refused instead of being cut. Bytes. */
const MOST_BYTES = 60_000;

/** The line of JSON with which a waiting hook passes words to its session; null: they are too long. */
function wordsLine(document: object): string | null {
  const line = JSON.stringify(document);
  return Buffer.byteLength(line) > MOST_BYTES ? null : line;
}

/** A run without a terminal would not end while its hook waits. */
function mayListen({ kind, subagent, machine, attended }: HookEvent): boolean {
  return kind === 'turn.done' && !subagent && machine === null && attended !== false;
}
