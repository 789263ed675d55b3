import { cleanStart } from './clean-start.ts';
import type { ServiceFacts, ServiceManager } from './service-manager.ts';

const PATH_UNIT = 'hookbell.path';

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
      [
        'systemctl',
        '--user',
        'import-environment',
        'DISPLAY',
        'WAYLAND_DISPLAY',
        'XDG_CURRENT_DESKTOP',
      ],
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', 'hookbell.service'],
      ...(wake ? [['systemctl', '--user', 'enable', '--now', PATH_UNIT]] : []),
    ],
    restart: [['systemctl', '--user', 'restart', 'hookbell.service']],
    disable: [
      ['systemctl', '--user', 'disable', '--now', PATH_UNIT],
      ['systemctl', '--user', 'disable', '--now', 'hookbell.service'],
      ['systemctl', '--user', 'reset-failed', 'hookbell.service'],
    ],
    probe: ['systemctl', '--user', 'show-environment'],
    status: ['systemctl', '--user', 'is-enabled', 'hookbell.service'],
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
