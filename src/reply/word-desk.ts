import { traitsOf } from '../agents/registry.ts';
import { type HookEvent, type HookRecord, isWaiting, type Kind } from '../core/hook-event.ts';
import { agentProcess } from '../core/session.ts';
import type { WordTraits } from '../core/agent/agent-traits.ts';
import { WORDS_PROOF_MS, type WordsSent } from '../core/question.ts';
import { isSameProcess } from '../platform/process-table.ts';
import { pollUntil } from '../platform/time.ts';
import { type DeskOptions, takeHook } from './held-hooks.ts';
import type { Held } from './held-question.ts';

export interface WordDeskOptions extends DeskOptions {
  readonly proofMs?: number;
}

interface Listener extends Pick<Held, 'event' | 'hook' | 'agentPid' | 'waits'> {
  readonly words: WordTraits;
}

/** Presence and processes are checked this often while a hook waits. */
const EVERY_MS = 500;
/** Agents end a hook after a day. */
const LONGEST_MS = 86_390_000;

/** A pipe holds more than this without a reader; longer words are refused instead of being cut. Bytes. */
const MOST_BYTES = 60_000;
/** After these the session is no longer at rest. */
const ends: readonly Kind[] = ['prompt', 'session.start', 'session.end', 'turn.interrupted'];

/** Holds hooks of sessions that have just finished; where the agent shows a running hook, only while the person is away. */
export function createWordDesk(options: WordDeskOptions) {
  const { presence, readTail, now, log, uid, proofMs = WORDS_PROOF_MS } = options;
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
    const find = async () => (isThere((await readTail(path)) ?? '') ? true : null);
    return (await pollUntil(find, proofMs, 250)) === true;
  }

  async function isReported(key: string): Promise<boolean> {
    let isThere = false;
    awaited.set(key, () => void (isThere = true));
    await pollUntil(() => Promise.resolve(isThere ? true : null), proofMs, 50);
    awaited.delete(key);
    return isThere;
  }

  return {
    /** Receives events after their commit, in their order. */
    take(records: readonly HookRecord[]): void {
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

    async send(key: string, text: string): Promise<WordsSent> {
      const listener = listeners.get(key);
      if (listener === undefined)
        return { state: 'refused', reason: 'it is not waiting for words' };
      const { transcriptPath } = listener.event;
      const { documentOf, tookWords } = listener.words;
      const line = JSON.stringify(documentOf(text));
      if (Buffer.byteLength(line) > MOST_BYTES) {
        return { state: 'refused', reason: 'the text is longer than 60 KB' };
      }
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

    stop(): void {
      for (const key of listeners.keys()) letGo(key);
      clearInterval(timer);
    },
  };
}

/** A run without a terminal would not end while its hook waits. */
function mayListen({ kind, subagent, machine, attended }: HookEvent): boolean {
  return kind === 'turn.done' && !subagent && machine === null && attended !== false;
}
