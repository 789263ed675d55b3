import type { ServiceFacts, ServiceManager } from './service-manager.ts';
import { passedOn } from './passed-on.ts';

const PATH_UNIT = 'hookbell.path';

/** A unit of the user's own systemd. */
export function systemd(facts: ServiceFacts): ServiceManager {
  const { configHome, user, node, main, spool, wake } = facts;
  const units = `${configHome}/systemd/user`;
  const environment = passedOn(facts)
    .map(
      ({ name, value }) => `Environment=${quoted(`${name}=${value}`)}
`,
    )
    .join('');
  const service = `[Unit]
Description=hookbell: tells people what their coding agents are doing
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
ExecStart=${commandWord(node)} ${commandWord(main)}
${environment}Restart=on-failure
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
    // A user manager that was started before the desktop does not know where its notification server is.
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
    // logind keeps a file for each user whose services go on without a log-in (loginctl(1), enable-linger).
    hint: {
      unless: `/var/lib/systemd/linger/${user}`,
      text: 'systemd ends the daemon at log-out: for agents that work on without you, run "loginctl enable-linger"',
    },
  };
}

/** systemd.path(5): whoever may write files, but start nothing, still gets a daemon. */
function pathUnit(spool: string): string {
  return `[Unit]
Description=Starts hookbell when a hook has left an event

[Path]
DirectoryNotEmpty=${spool.replaceAll('%', '%%')}

[Install]
WantedBy=default.target
`;
}

/** Quotes a word of a unit file (systemd.syntax(7)); `%` would be expanded. */
function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('%', '%%');
  return `"${escaped}"`;
}

/** In command lines `$` would be expanded, too; in Environment= it means itself (systemd.exec(5)). */
function commandWord(text: string): string {
  return quoted(text.replaceAll('$', '$$$$'));
}
