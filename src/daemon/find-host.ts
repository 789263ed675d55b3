import { basename } from 'node:path';

import { callerLine, type CallerProcess } from '../control/caller.ts';
import { agentProcess } from '../core/session.ts';
import type { HookRecord } from '../core/hook-event.ts';

/** Editors that run agents by the Agent Client Protocol, by the names of their programs. */
const hosts: Readonly<Record<string, string>> = {
  zed: 'Zed',
  'zed-editor': 'Zed',
  code: 'VS Code',
  cursor: 'Cursor',
  nvim: 'Neovim',
  emacs: 'Emacs',
  ...Object.fromEntries(
    'idea pycharm webstorm phpstorm goland rubymine clion rider rustrover'
      .split(' ')
      .map((name) => [name, 'a JetBrains editor']),
  ),
};

/** A program that speaks the protocol, or its option. */
const ADAPTER = /(?:^|[/-])acp(?:\.[cm]?js|\.exe)?$|^--(?:experimental-)?acp$/;

/** The editor above the adapter that runs an agent; null: nothing shows an adapter. */
export function hostIn(line: readonly Pick<CallerProcess, 'words'>[]): string | null {
  const adapter = line.findIndex(({ words }) =>
    words.slice(0, 4).some((word) => ADAPTER.test(word)),
  );
  if (adapter === -1) return null;
  for (const { words } of line.slice(adapter + 1)) {
    const names = words.slice(0, 2).map((word) => basename(word).replace(/(?:64)?(?:\.exe)?$/, ''));
    const known = names.find((name) => Object.hasOwn(hosts, name));
    if (known !== undefined) return hosts[known] ?? null;
  }
  return 'an editor';
}

/** Adds the editor that shows a session to the events with which turns begin; while the agent runs, its ancestors show it. */
export async function withHost(
  record: HookRecord,
  lineOf: (pid: number) => Promise<readonly Pick<CallerProcess, 'words'>[]> = callerLine,
): Promise<HookRecord> {
  const { event } = record;
  const isBegun = event.kind === 'session.start' || event.kind === 'prompt';
  const pid = agentProcess(event.agent, event.facts);
  if (!isBegun || event.machine !== null || pid === null) return record;
  const host = hostIn(await lineOf(pid));
  return host === null
    ? record
    : { ...record, event: { ...event, facts: { ...event.facts, host } } };
}
