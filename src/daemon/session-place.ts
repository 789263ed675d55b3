import { readFile, readlink } from 'node:fs/promises';

import { factsOf } from '../../hooks/facts.ts';
import { askProgram } from '../channels/support/ask-program.ts';
import { processLine } from '../channels/support/process-table.ts';
import { agentTerminal } from '../channels/support/session-terminal.ts';
import type { HookFacts } from '../core/facts.ts';
import type { TerminalLocation } from '../core/notification.ts';
import { agentProcess, processId } from '../core/process-id.ts';
import type { TmuxPane } from '../core/tmux-pane.ts';
import { runsInTmux, tmuxPaneOf } from '../core/tmux-pane.ts';
import type { Place, Step } from '../focus/step.ts';
import type { TmuxClient } from '../focus/tmux.ts';
import { CLIENT_FORMAT, clientFor, PANE_FORMAT, sessionIn, tmuxSteps } from '../focus/tmux.ts';
import { displayOf, windowNumber } from '../focus/x11-window.ts';
import { editorFolder } from './editor-folder.ts';
import type { Environment } from './surroundings.ts';

export interface SessionPlaceOptions {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly now: () => number;
  /** Runs a step; answers whether it went well. */
  readonly take: (step: Step) => Promise<boolean>;
}

/** The session is seen there, or nowhere for a reason, which is a sentence. */
export type SessionPlace =
  | { readonly place: Place }
  | { readonly place: null; readonly reason: string };

const elsewhere: SessionPlace = {
  place: null,
  reason: 'It is on another machine, from where ssh came',
};

/** Finds where a session is seen. In tmux its pane is chosen there, and the terminal around tmux is the one that counts. */
export async function findSessionPlace(
  whereabouts: TerminalLocation,
  options: SessionPlaceOptions,
): Promise<SessionPlace> {
  const { agent, facts, at } = whereabouts;
  const pid = agentProcess(agent, facts);
  const line = pid === null ? [] : await processLine(pid, options.now() - at);
  const directory = await workingDirectory(line[0]?.pid ?? null, facts);
  const pane = runsInTmux(facts) ? tmuxPaneOf(facts) : null;
  if (pane !== null) return placeAround(pane, { facts, directory }, options);
  if (facts.ssh !== undefined) return elsewhere;
  const device = await agentTerminal(whereabouts, { ...options, ask: askProgram(options) });
  const own = await withoutForeignWindow(whereabouts, options);
  return {
    place: {
      facts: own,
      processes: line.map((entry) => entry.pid),
      device,
      ...(await foldersOf(own, directory, options)),
    },
  };
}

async function placeAround(
  pane: TmuxPane,
  { facts, directory }: { readonly facts: HookFacts; readonly directory: string | null },
  options: SessionPlaceOptions,
): Promise<SessionPlace> {
  const asking = askProgram(options);
  const ask = (...words: string[]): Promise<string | null> =>
    asking('tmux', ['-S', pane.socket, ...words]);
  const answer = await ask('display-message', '-p', '-t', pane.pane, PANE_FORMAT);
  const session = sessionIn(answer ?? '', pane);
  if (session === null) return { place: null, reason: 'Its tmux pane is closed' };
  const clients = await ask('list-clients', '-F', CLIENT_FORMAT);
  const client = clientFor(session, clients ?? '');
  for (const step of tmuxSteps(pane, client)) await options.take(step);
  if (client === null) return { place: null, reason: 'No terminal shows its tmux session' };
  const line = await processLine(client.pid);
  const around = await factsAround(client, facts);
  if (around.ssh !== undefined) return elsewhere;
  return {
    place: {
      facts: around,
      processes: line.map((entry) => entry.pid),
      device: client.device,
      ...(await foldersOf(around, directory, options)),
    },
  };
}

/**
 * What the terminal told the client of tmux: the pane knows only what another one told the server, perhaps days ago. Where a
 * process cannot be asked, the application is all that is likely to be the same.
 */
async function factsAround({ pid }: TmuxClient, facts: HookFacts): Promise<HookFacts> {
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

/** X gives the number of a window that was closed to the next one: without it where its owner is younger than the event. */
async function withoutForeignWindow(
  { facts, at }: TerminalLocation,
  { env, platform, now }: SessionPlaceOptions,
): Promise<HookFacts> {
  const window = windowNumber(facts.windowid);
  const display = displayOf(facts);
  if (window === null || display === null) return facts;
  const ask = askProgram({ platform, env: { ...env, ...display } });
  const owner = processId((await ask('xdotool', ['getwindowpid', window]))?.trim());
  // Some terminals do not say, and one in a sandbox says a number of its own: then there is nothing against it.
  if (owner === null || (await processLine(owner)).length === 0) return facts;
  if ((await processLine(owner, now() - at)).length > 0) return facts;
  const { windowid: _window, alacritty_window_id: _same, ...others } = facts;
  return others;
}

/** The agent's own, or else where it says that its project is; an absolute path. */
async function workingDirectory(pid: number | null, facts: HookFacts): Promise<string | null> {
  const own = pid === null ? null : await readlink(`/proc/${pid}/cwd`).catch(() => null);
  const told = [
    facts.droid_project_dir,
    facts.factory_project_dir,
    facts.claude_project_dir,
    facts.gemini_project_dir,
    facts.qwen_project_dir,
  ];
  return [own, ...told].find((path) => /^\/\P{Cc}*$/u.test(path ?? '')) ?? null;
}

async function foldersOf(
  facts: HookFacts,
  directory: string | null,
  options: SessionPlaceOptions,
): Promise<Pick<Place, 'directory' | 'editorFolder'>> {
  const shown = directory === null ? null : await editorFolder(facts, directory, options);
  return { directory, editorFolder: shown };
}
