import { cleanStart } from './clean-start.ts';
import type { ServiceFacts, ServiceManager } from './service-manager.ts';

const UNIT = 'hookbell.service';
const PATH_UNIT = 'hookbell.path';

const ask = (...words: readonly string[]): readonly string[] => ['systemctl', '--user', ...words];

/** A unit of the user's own systemd. */
export function systemd(facts: ServiceFacts): ServiceManager {
  const { configHome, user, spool, wake } = facts;
  const units = `${configHome}/systemd/user`;
  const service = `[Unit]
Description=hookbell: notifications from coding agents
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
# The shell and env of the command would load what these name before they take the rest away.
UnsetEnvironment=LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH
ExecStart=${cleanStart(facts).map(commandWord).join(' ')}
Restart=on-failure
RestartSec=2
TimeoutStopSec=10
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictSUIDSGID=yes
LimitCORE=0
TasksMax=256
MemoryMax=512M

[Install]
WantedBy=default.target
`;
  return {
    name: 'systemd',
    files: [
      { path: `${units}/hookbell.service`, content: service },
      ...(wake ? [{ path: `${units}/${PATH_UNIT}`, content: pathUnit(spool) }] : []),
    ],
    // A user manager that started before the desktop lacks the address of its notification server.
    enable: [
      ask('import-environment', 'DISPLAY', 'WAYLAND_DISPLAY', 'XDG_CURRENT_DESKTOP'),
      ask('daemon-reload'),
      ask('enable', UNIT),
      ...(wake ? [ask('enable', '--now', PATH_UNIT)] : []),
    ],
    disable: [
      ask('disable', '--now', PATH_UNIT),
      ask('disable', '--now', UNIT),
      ask('reset-failed', UNIT),
    ],
    start: {
      known: ask('cat', UNIT),
      start: [ask('start', UNIT)],
      gaveUp: ask('is-failed', UNIT),
    },
    prepare: [ask('reset-failed', UNIT), ask('start', PATH_UNIT)],
    // The path first: it would start the service for the next event.
    stop: [ask('stop', PATH_UNIT), ask('stop', UNIT)],
    probe: ask('show-environment'),
    status: ask('is-enabled', UNIT),
    // logind has a file for each user whose services run without a log-in (loginctl(1), enable-linger).
    hint: {
      unless: `/var/lib/systemd/linger/${user}`,
      text: 'systemd stops the daemon at log-out: for agents that keep working after it, run "loginctl enable-linger"',
    },
  };
}

/** systemd.path(5): starts the daemon for hooks that may write files but start no process. */
function pathUnit(spool: string): string {
  return `[Unit]
Description=Starts hookbell when a hook has left an event

[Path]
DirectoryNotEmpty=${spool.replaceAll('%', '%%')}

[Install]
WantedBy=default.target
`;
}

/** Quotes a word of a command line (systemd.service(5)); `%` and `$` would be expanded. */
function commandWord(text: string): string {
  const escaped = text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('%', '%%')
    .replaceAll('$', '$$$$');
  return `"${escaped}"`;
}
