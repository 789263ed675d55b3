import type { ChannelDependencies } from '../../core/channel.ts';
import { askProgram } from '../support/ask-program.ts';
import { alerter } from './alerter.ts';
import { busctl, gdbus } from './bus-client.ts';
import { busRung } from './bus-rung.ts';
import { nodeNotifier } from './node-notifier.ts';
import { notifySend } from './notify-send.ts';
import type { DesktopOptions } from './options.ts';
import { osascript } from './osascript.ts';
import { powershell } from './powershell.ts';
import type { Programs } from './programs.ts';
import type { Rung } from './rung.ts';
import { sessionBus } from './session-bus.ts';
import { terminalNotifier } from './terminal-notifier.ts';
import { terminal } from './terminal.ts';

/** Where WSL mounts the disk of Windows. */
const WINDOWS_IN_WSL = '/mnt/c/Windows';

/** The ladder of this machine, the best rung first. */
export function rungsFor(
  programs: Programs,
  options: DesktopOptions,
  { onReaction, now }: Pick<ChannelDependencies, 'onReaction' | 'now'>,
): readonly Rung[] {
  const rungs = [...platformRungs(programs, onReaction), ...terminalRungs(programs, options, now)];
  return options.rung === undefined ? rungs : rungs.filter(({ name }) => name === options.rung);
}

function platformRungs(
  programs: Programs,
  onReaction: ChannelDependencies['onReaction'],
): readonly Rung[] {
  const { platform, env } = programs;
  if (platform === 'darwin') {
    return [
      alerter(programs, onReaction),
      terminalNotifier(programs),
      osascript(programs),
      nodeNotifier(programs),
    ];
  }
  if (platform === 'win32') {
    return [powershell(programs, env['SystemRoot'] ?? 'C:\\Windows'), nodeNotifier(programs)];
  }
  const bus = sessionBus(programs);
  const busRungs = [
    notifySend(programs, bus, onReaction),
    busRung(busctl, programs, bus),
    busRung(gdbus, programs, bus),
  ];
  // WSL shows Windows' desktop; a notification server of its own is rare, and then nobody looks at it.
  return env['WSL_DISTRO_NAME'] === undefined
    ? busRungs
    : [powershell(programs, WINDOWS_IN_WSL), ...busRungs, nodeNotifier(programs)];
}

function terminalRungs(
  { platform, env }: Programs,
  options: DesktopOptions,
  now: () => number,
): readonly Rung[] {
  const isWanted = options.terminal !== false || options.rung === 'terminal';
  if (platform === 'win32' || !isWanted) return [];
  const sequence = typeof options.terminal === 'string' ? options.terminal : 'auto';
  return [terminal(sequence, { platform, ask: askProgram({ platform, env }), now })];
}
