import { readFile } from 'node:fs/promises';

import { factsOf } from '../../hooks/facts.ts';
import { askProgram } from '../channels/support/ask-program.ts';
import { childEnvironment } from '../channels/support/child-environment.ts';
import { findProgram } from '../channels/support/find-program.ts';
import { processLine } from '../channels/support/process-table.ts';
import { runProgram } from '../channels/support/run-program.ts';
import { searchPath } from '../channels/support/search-path.ts';
import { agentTerminal } from '../channels/support/session-terminal.ts';
import type { Machine } from '../channels/support/session-terminal.ts';
import type { Facts } from '../core/facts.ts';
import type { Log } from '../core/log.ts';
import type { Whereabouts } from '../core/notification.ts';
import { agentProcess } from '../core/process-id.ts';
import type { TmuxPane } from '../core/tmux-pane.ts';
import { runsInTmux, tmuxPaneOf } from '../core/tmux-pane.ts';
import type { Focus, Place, Step } from '../focus/step.ts';
import type { TmuxClient } from '../focus/tmux.ts';
import { CLIENT_FORMAT, clientFor, PANE_FORMAT, sessionIn, tmuxSteps } from '../focus/tmux.ts';
import { tabs, windows } from '../focus/ways.ts';
import type { Environment } from './surroundings.ts';

export interface BringForwardOptions {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly now: () => number;
  readonly log: Log;
  /** A program that takes longer is killed, ms. */
  readonly patienceMs?: number;
}

/**
 * Brings the terminal that a session runs in forward: its tmux pane, its tab, its window. Whatever does not work is logged, and
 * the rest is tried all the same. Never rejects.
 */
export async function bringForward(
  whereabouts: Whereabouts,
  options: BringForwardOptions,
): Promise<void> {
  const { log } = options;
  if (Object.keys(whereabouts.facts).length === 0) return;
  try {
    const take = stepTaker(options);
    const machine = { ...options, ask: askProgram(options) };
    const pane = runsInTmux(whereabouts.facts) ? tmuxPaneOf(whereabouts.facts) : null;
    const place =
      pane === null
        ? await placeOf(whereabouts, machine)
        : await placeAround(pane, whereabouts, { machine, take });
    if (place === null) {
      log.info({}, 'The terminal of the session is seen nowhere');
      return;
    }
    if (place.facts.ssh !== undefined) {
      log.info({}, 'The terminal of the session is on another machine, from where ssh came');
      return;
    }
    const tab = await takeFirst(tabs, place, take);
    const window = await takeFirst(windows, place, take);
    if (tab || window) log.info({ tab, window }, 'Brought the terminal of the session forward');
    else log.warn({}, 'Cannot bring the terminal of the session forward: no way to it worked');
  } catch (error) {
    log.warn({ err: error }, 'Cannot bring the terminal of the session forward');
  }
}

/** Runs a step; answers whether it went well. */
type TakeStep = (step: Step) => Promise<boolean>;

function stepTaker({ env, platform, log, patienceMs = 2_000 }: BringForwardOptions): TakeStep {
  return async ({ program: name, arguments: words, env: added }) => {
    const program = await findProgram(name, searchPath(platform, env['PATH']));
    if (program === null) {
      log.debug({ program: name }, 'A program to bring terminals forward is not here');
      return false;
    }
    const { ok, reason } = await runProgram({
      program,
      arguments: words,
      env: { ...childEnvironment(platform, env), ...added },
      timeoutMs: patienceMs,
    });
    if (!ok) log.info({ program: name, reason }, 'A step to bring a terminal forward failed');
    return ok;
  };
}

/** Goes on to the next way only where none of the steps of the one before went well. */
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

/** Outside of tmux: where the agent itself runs. */
async function placeOf(whereabouts: Whereabouts, machine: Machine): Promise<Place> {
  const { agent, facts, at } = whereabouts;
  const pid = agentProcess(agent, facts);
  const line = pid === null ? [] : await processLine(pid, machine.now() - at);
  const device = await agentTerminal(whereabouts, machine);
  return { facts, processes: line.map((entry) => entry.pid), device };
}

/** In tmux: chooses the pane there, and answers where the terminal around tmux runs. Null where nobody looks at it. */
async function placeAround(
  pane: TmuxPane,
  { facts }: Whereabouts,
  { machine, take }: { readonly machine: Machine; readonly take: TakeStep },
): Promise<Place | null> {
  const ask = (...words: string[]): Promise<string | null> =>
    machine.ask('tmux', ['-S', pane.socket, ...words]);
  const answer = await ask('display-message', '-p', '-t', pane.pane, PANE_FORMAT);
  const session = sessionIn(answer ?? '', pane);
  if (session === null) return null;
  const clients = await ask('list-clients', '-F', CLIENT_FORMAT);
  const client = clientFor(session, clients ?? '');
  for (const step of tmuxSteps(pane, client)) await take(step);
  if (client === null) return null;
  const line = await processLine(client.pid);
  return {
    facts: await factsAround(client, facts),
    processes: line.map((entry) => entry.pid),
    device: client.device,
  };
}

/**
 * What the terminal told the client of tmux: the pane knows only what another one told the server, perhaps days ago. Where a
 * process cannot be asked, the application is all that is likely to be the same.
 */
async function factsAround({ pid }: TmuxClient, facts: Facts): Promise<Facts> {
  try {
    const text = await readFile(`/proc/${pid}/environ`, 'utf8');
    const env = Object.fromEntries(
      text.split('\0').map((line) => {
        const at = line.indexOf('=');
        return [line.slice(0, at), line.slice(at + 1)];
      }),
    );
    return factsOf({ agent: '', event: '' }, { env, pid, ppid: 0 });
  } catch {
    const { cf_bundle_identifier } = facts;
    return cf_bundle_identifier === undefined ? {} : { cf_bundle_identifier };
  }
}
