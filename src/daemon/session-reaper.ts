import { openStates, silentEnd } from '../alerts/liveness.ts';
import { type Clock, type StartTimer, systemTimer } from '../platform/time.ts';
import type { Log } from '../platform/log.ts';
import { namedProcess, processId, type Session, type SessionStore } from '../core/session.ts';
import type { AlertStore } from '../core/alert.ts';
import type { GonePanes } from '../attention/tmux-panes.ts';

interface SessionReaperOptions {
  readonly store: {
    readonly sessions: Pick<SessionStore, 'list'>;
    readonly alerts: Pick<AlertStore, 'endSession'>;
  };
  readonly isAlive: (pid: number) => boolean;
  readonly gonePanes: GonePanes;
  /** Channels whose pending messages are sent even when a session is over. */
  readonly programChannels: () => readonly string[];
  readonly now: Clock;
  readonly log: Log;
  /** Notifications of these sessions may have to be withdrawn. */
  readonly onEnded: () => void;
  readonly startTimer?: StartTimer;
}

export type SessionReaper = ReturnType<typeof createSessionReaper>;

const AT_ONCE = 1_000;
/** A hook and the shell around it live a few seconds at most: a process alive after this is another one. */
const HOOK_IS_OVER_MS = 15_000;
/** After the first of several events. */
const LOOK_AFTER_MS = HOOK_IS_OVER_MS + 1_000;

/** Finds sessions whose agent was killed or interrupted: agents send no event then. */
export function createSessionReaper(options: SessionReaperOptions) {
  const { store, isAlive, gonePanes, programChannels, now, log, onEnded } = options;
  const { startTimer = systemTimer } = options;
  let cancelLook: (() => void) | null = null;
  let noted = false;
  /** By session: the parent of its hook, once it has outlived the hook. */
  const longLived = new Map<string, number>();

  /**
   * The parent of the hook may be the agent, or a shell that ended with the hook. It counts only if it was seen alive
   * later. That misses agents that die within seconds of their last event; a timeout finds those.
   */
  function parentAlive({ key, facts, lastEventAt }: Session, at: number): boolean | null {
    const parent = processId(facts.ppid);
    if (parent === null) return null;
    if (!isAlive(parent)) return longLived.get(key) === parent ? false : null;
    if (at - lastEventAt < HOOK_IS_OVER_MS) return null;
    longLived.set(key, parent);
    return true;
  }

  function processAlive(session: Session, at: number): boolean | null {
    const agentPid = namedProcess(session.agent, session.facts);
    return agentPid === null ? parentAlive(session, at) : isAlive(agentPid);
  }

  function open(): Promise<readonly Session[]> {
    return store.sessions.list({ limit: AT_ONCE, states: openStates });
  }

  function lookLater(): void {
    noted = false;
    cancelLook = startTimer(LOOK_AFTER_MS, () => void look());
  }

  /** Remembers which agents live. Events that came meanwhile are checked separately. */
  async function look(): Promise<void> {
    cancelLook = null;
    if (noted) lookLater();
    try {
      for (const session of await open()) processAlive(session, now());
    } catch (error) {
      log.warn({ err: error }, 'Cannot look at the processes of agents');
    }
  }

  return {
    /** Events were committed. Their agents are looked at before `run` is due, because some die within a minute. */
    noteEvents() {
      noted = true;
      if (cancelLook === null) lookLater();
    },
    stop() {
      cancelLook?.();
    },
    /** Ends sessions that did not report their end. */
    async run() {
      const sessions = await open();
      const watched = new Set(sessions.map(({ key }) => key));
      for (const key of longLived.keys()) if (!watched.has(key)) longLived.delete(key);

      const panesGone = await gonePanes(sessions);
      let ended = 0;
      for (const session of sessions) {
        const at = now();
        const end = silentEnd(session, {
          processAlive: processAlive(session, at),
          paneGone: panesGone.has(session.key),
          now: at,
        });
        if (end === null) continue;
        const isOver = await store.alerts.endSession({ ...end, exceptChannels: programChannels() });
        if (isOver) ended += 1;
      }
      if (ended === 0) return;
      log.info({ ended }, 'Ended abandoned sessions');
      onEnded();
    },
  };
}
