import { childEnvironment, findProgram, searchPath } from '../platform/find-program.ts';
import { whyForeignSocket } from '../platform/own-socket.ts';
import { runProgram } from '../platform/run-program.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { Log } from '../platform/log.ts';
import type { TerminalLocation } from '../core/notification.ts';
import type { Focus, Place, FocusStep } from './focus/step.ts';
import { tabs } from './focus/tabs.ts';
import { windows } from './focus/windows.ts';
import { findSessionPlace } from './session-place.ts';
import { agentProcess } from '../core/session.ts';
import { windowsFocus } from './windows-desktop.ts';

export interface BringForwardOptions {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly now: () => number;
  readonly log: Log;
  readonly patienceMs?: number;
}

/**
 * Brings the terminal that a session runs in forward: its tmux pane, its window, its tab. A failed step is logged, and
 * the rest is tried anyway. Never rejects.
 *
 * @returns why the terminal is not in front now; null where it is, as far as can be known
 */
export async function bringForward(
  location: TerminalLocation,
  options: BringForwardOptions,
): Promise<string | null> {
  const { log } = options;
  if (Object.keys(location.facts).length === 0) return 'its hooks report no terminal';
  try {
    const take = stepTaker(options);
    if (options.platform === 'win32') return await bringWindowForward(location, options);
    const { place, ...nowhere } = await findSessionPlace(location, { ...options, take });
    if (place === null) {
      log.info(nowhere, 'The terminal of the session is not displayed');
      return 'its terminal is not displayed anywhere';
    }
    // The terminal knows better which of its windows has the tab, so it has the last word.
    const window = await takeFirst(windows, place, take);
    const tab = await takeFirst(tabs, place, take);
    if (tab || window) {
      log.info({ tab, window }, "Brought the session's terminal forward");
      return null;
    }
    log.warn({}, `Cannot bring the session's terminal forward: ${FAILED}`);
    return FAILED;
  } catch (error) {
    log.warn({ err: error }, "Cannot bring the session's terminal forward");
    return 'Unexpected error; see "hookbell logs"';
  }
}

const FAILED = 'it is closed, or none of the known methods works';

async function bringWindowForward(
  { agent, facts, at }: TerminalLocation,
  options: BringForwardOptions,
): Promise<string | null> {
  const pid = agentProcess(agent, facts);
  const isDone = pid !== null && (await stepTaker(options)(windowsFocus(pid, at, options.env)));
  return isDone ? null : FAILED;
}

type TakeStep = (step: FocusStep) => Promise<boolean>;

function stepTaker(options: BringForwardOptions): TakeStep {
  const { env, platform, log, patienceMs = 2_000 } = options;
  return async ({ program: name, arguments: words, env: added, patienceMs: ownMs, after }) => {
    if (after !== undefined && !(await stepTaker(options)(after))) return false;
    const socket = { program: name, arguments: words, ...(added !== undefined && { env: added }) };
    const foreign = await whyForeignSocket(socket);
    if (foreign !== null) {
      log.warn({ program: name, reason: foreign }, 'Refused the socket that the session names');
      return false;
    }
    const program = await findProgram(name, searchPath(platform, env['PATH']));
    if (program === null) {
      log.debug({ program: name }, 'A program to bring terminals forward is not installed');
      return false;
    }
    const { ok, reason } = await runProgram({
      program,
      arguments: words,
      env: { ...childEnvironment(platform, env), ...added },
      timeoutMs: ownMs ?? patienceMs,
    });
    if (!ok) log.info({ program: name, reason }, 'A step to bring a terminal forward failed');
    return ok;
  };
}

/** Tries the next way only if every step of the previous one failed. */
async function takeFirst(ways: readonly Focus[], place: Place, take: TakeStep): Promise<boolean> {
  for (const focus of ways) {
    let mayHaveWorked = false;
    for (const step of focus(place)) {
      const isTaken = await take(step);
      if (isTaken && step.blind === undefined) return true;
      mayHaveWorked ||= isTaken;
    }
    if (mayHaveWorked) return true;
  }
  return false;
}
