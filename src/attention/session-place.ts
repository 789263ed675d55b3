import { readFile, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import { type TmuxClient, tmuxServer } from '../platform/tmux.ts';
import { readJsonFile } from '../platform/json.ts';
import { factsOf } from '../../hooks/facts.ts';
import { askProgram } from '../platform/ask-program.ts';
import { processLine } from '../platform/process-table.ts';
import { agentTerminal } from '../channels/support/notify-terminal.ts';
import { type HookFacts, runsInTmux, type TmuxPane, tmuxPaneOf } from '../core/facts.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { TerminalLocation } from '../core/notification.ts';
import { agentProcess, processId } from '../core/session.ts';
import { editorOf } from './focus/editors.ts';
import { displayOf, type FocusStep, type Place, windowNumber } from './focus/step.ts';

/** The editor's record of itself, written when one of its windows loses focus; it lists windows only if there are several. */
const stateSchema = z.object({
  windowsState: z.object({
    openedWindows: z.array(
      z.object({
        folder: z.string().optional(),
        workspaceIdentifier: z.object({ configURIPath: z.string() }).optional(),
      }),
    ),
  }),
});

/**
 * The content of the editor window that shows a directory: the nearest folder around it, or else the workspace file.
 * The value comes from the editor and not from a payload, so that nothing opens that was not open. Null if unknown, or
 * with one window.
 */
export async function editorFolder(
  facts: HookFacts,
  directory: string | null,
  { env, platform }: { readonly env: Environment; readonly platform: NodeJS.Platform },
): Promise<string | null> {
  const editor = editorOf(facts);
  const home = env['HOME'] ?? '';
  const settings =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : env['XDG_CONFIG_HOME'] || join(home, '.config');
  if (editor === null || home === '' || directory === null) return null;
  const path = join(settings, editor.state, 'User', 'globalStorage', 'storage.json');
  const { data } = stateSchema.safeParse(await readJsonFile(path));
  const opened = data?.windowsState.openedWindows ?? [];
  // macOS ignores case, and some programs decompose letters.
  const same = (at: string) => (platform === 'darwin' ? at.normalize().toLowerCase() : at);
  const around = opened
    .flatMap(({ folder, workspaceIdentifier }) => {
      const shown = localPath(folder ?? workspaceIdentifier?.configURIPath);
      return shown === null ? [] : [{ shown, root: folder === undefined ? dirname(shown) : shown }];
    })
    .filter(({ root }) => root === '/' || same(`${directory}/`).startsWith(same(`${root}/`)))
    .toSorted((a, b) => b.root.length - a.root.length);
  return around[0]?.shown ?? null;
}

function localPath(address: string | undefined): string | null {
  try {
    return fileURLToPath(address ?? '');
  } catch {
    return null;
  }
}

export interface SessionPlaceOptions {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly now: () => number;
  readonly take: (step: FocusStep) => Promise<boolean>;
}

/** The session is displayed there, or nowhere for a reason, which is a sentence. */
export type SessionPlace =
  | { readonly place: Place }
  | { readonly place: null; readonly reason: string };

const elsewhere: SessionPlace = {
  place: null,
  reason: 'It is on another machine, from which ssh connected',
};

/** In tmux the session's pane is selected, and the terminal around tmux is the one that counts. */
export async function findSessionPlace(
  location: TerminalLocation,
  options: SessionPlaceOptions,
): Promise<SessionPlace> {
  const { agent, facts, at } = location;
  const pid = agentProcess(agent, facts);
  const line = pid === null ? [] : await processLine(pid, options.now() - at);
  const directory = await workingDirectory(line[0]?.pid ?? null, facts);
  const pane = runsInTmux(facts) ? tmuxPaneOf(facts) : null;
  if (pane !== null) return placeAround(pane, { facts, directory }, options);
  if (facts.ssh !== undefined) return elsewhere;
  const device = await agentTerminal(location, { ...options, ask: askProgram(options) });
  const ownWindow = await withoutForeignWindow(location, options);
  const processes = line.map((entry) => entry.pid);
  const shown = await editorFolder(ownWindow, directory, options);
  return { place: { facts: ownWindow, processes, device, directory, editorFolder: shown } };
}

async function placeAround(
  pane: TmuxPane,
  { facts, directory }: { readonly facts: HookFacts; readonly directory: string | null },
  options: SessionPlaceOptions,
): Promise<SessionPlace> {
  const server = tmuxServer(askProgram(options), pane.socket);
  const state = await server.pane(pane.pane);
  if (state?.serverPid !== pane.serverPid)
    return { place: null, reason: 'Its tmux pane is closed' };
  const client = terminalFor(state.session, await server.clients());
  for (const step of tmuxSteps(pane, client)) await options.take(step);
  if (client === null) return { place: null, reason: 'No terminal shows its tmux session' };
  const line = await processLine(client.pid);
  const around = await factsAround(client, facts);
  if (around.ssh !== undefined) return elsewhere;
  const processes = line.map((entry) => entry.pid);
  const shown = await editorFolder(around, directory, options);
  return {
    place: { facts: around, processes, device: client.device, directory, editorFolder: shown },
  };
}

/**
 * The environment that the terminal gave the tmux client: the pane only knows that of the server's terminal, perhaps
 * days old. If a process cannot be inspected, only the application is likely to be the same.
 */
async function factsAround({ pid }: TmuxTerminal, facts: HookFacts): Promise<HookFacts> {
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

/** X reuses the number of a closed window: it is dropped if its owner is younger than the event. */
async function withoutForeignWindow(
  { facts, at }: TerminalLocation,
  { env, platform, now }: SessionPlaceOptions,
): Promise<HookFacts> {
  const window = windowNumber(facts.windowid);
  const display = displayOf(facts);
  if (window === null || display === null) return facts;
  const ask = askProgram({ platform, env: { ...env, ...display } });
  const owner = processId((await ask('xdotool', ['getwindowpid', window]))?.trim());
  // Some terminals do not report it, and a sandboxed one reports its own number: then nothing contradicts it.
  if (owner === null || (await processLine(owner)).length === 0) return facts;
  if ((await processLine(owner, now() - at)).length > 0) return facts;
  const { windowid: _window, alacritty_window_id: _same, ...others } = facts;
  return others;
}

/** The agent's directory, or else its project's; an absolute path. */
async function workingDirectory(pid: number | null, facts: HookFacts): Promise<string | null> {
  const ownWindow = pid === null ? null : await readlink(`/proc/${pid}/cwd`).catch(() => null);
  const claimed = [
    facts.droid_project_dir,
    facts.factory_project_dir,
    facts.claude_project_dir,
    facts.gemini_project_dir,
    facts.qwen_project_dir,
  ];
  return [ownWindow, ...claimed].find((path) => /^\/\P{Cc}*$/u.test(path ?? '')) ?? null;
}

export interface TmuxTerminal {
  readonly pid: number;
  readonly device: string;
  readonly showsSession: boolean;
}

/** The last used of those attached to the session, else of all; null if none is. @param clients those used last first */
export function terminalFor(session: string, clients: readonly TmuxClient[]): TmuxTerminal | null {
  const terminals = clients.filter(({ isControl, device }) => !isControl && device !== '');
  const shown = terminals.find((client) => client.session === session);
  const best = shown ?? terminals[0];
  if (best === undefined) return null;
  return { pid: best.pid, device: best.device, showsSession: best === shown };
}

/** Bring the pane forward within its server; all of them, in this order: tmux(1). */
export function tmuxSteps(
  { socket, pane }: TmuxPane,
  client: TmuxTerminal | null,
): readonly FocusStep[] {
  const commands = [
    ['select-window', '-t', pane],
    ['select-pane', '-t', pane],
    ...(client === null || client.showsSession
      ? []
      : [['switch-client', '-c', client.device, '-t', pane]]),
  ];
  return commands.map((words) => ({ program: 'tmux', arguments: ['-S', socket, ...words] }));
}
