import type { ChannelDependencies } from '../../core/channel.ts';
import { askProgram } from '../support/ask-program.ts';
import { alerter } from './alerter.ts';
import { dbusRung } from './dbus-rung.ts';
import { nodeNotifier } from './node-notifier.ts';
import type { DesktopOptions } from './options.ts';
import { osascript } from './osascript.ts';
import { powershell } from './powershell.ts';
import type { Programs } from './programs.ts';
import type { Backend } from './rung.ts';
import { terminalNotifier } from './terminal-notifier.ts';
import { terminal } from './terminal.ts';

/** Where WSL mounts the disk of Windows. */
const WINDOWS_IN_WSL = '/mnt/c/Windows';

type Dependencies = Pick<ChannelDependencies, 'onReaction' | 'now'>;

/** The ladder of this machine, the best rung first. */
export function rungsFor(
  programs: Programs,
  options: DesktopOptions,
  dependencies: Dependencies,
): readonly Backend[] {
  // A desktop of Linux may run elsewhere; but there it is not looked for.
  if (options.rung === 'dbus' && programs.platform !== 'win32') {
    return [dbusRung(programs, dependencies)];
  }
  const backends = [
    ...platformRungs(programs, dependencies),
    ...terminalRungs(programs, options, dependencies.now),
  ];
  return options.rung === undefined
    ? backends
    : backends.filter(({ name }) => name === options.rung);
}

function platformRungs(programs: Programs, dependencies: Dependencies): readonly Backend[] {
  const { platform, env } = programs;
  if (platform === 'darwin') {
    return [
      alerter(programs, dependencies.onReaction),
      terminalNotifier(programs),
      osascript(programs),
      nodeNotifier(programs),
    ];
  }
  if (platform === 'win32') {
    return [powershell(programs, env['SystemRoot'] ?? 'C:\\Windows'), nodeNotifier(programs)];
  }
  const rungs = [dbusRung(programs, dependencies), nodeNotifier(programs)];
  // WSL shows Windows' desktop; a notification server of its own is rare, and then nobody looks at it.
  return env['WSL_DISTRO_NAME'] === undefined
    ? rungs
    : [powershell(programs, WINDOWS_IN_WSL), ...rungs];
}

function terminalRungs(
  { platform, env }: Programs,
  options: DesktopOptions,
  now: () => number,
): readonly Backend[] {
  const isWanted = options.terminal !== false || options.rung === 'terminal';
  if (platform === 'win32' || !isWanted) return [];
  const sequence = typeof options.terminal === 'string' ? options.terminal : 'auto';
  return [terminal(sequence, { platform, ask: askProgram({ platform, env }), now })];
}
