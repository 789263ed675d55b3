/** A way to have the operating system start the daemon at log-in and keep it running. */
export interface ServiceManager {
  readonly name: 'systemd' | 'launchd';
  /** The file that describes the service. */
  readonly path: string;
  readonly content: string;
  /** Commands (argv) that put it into force after the file was written, and that take it down before it is removed. */
  readonly enable: readonly (readonly string[])[];
  readonly disable: readonly (readonly string[])[];
  readonly restart: readonly (readonly string[])[];
  /** Succeeds where the manager is there and serves this user. */
  readonly probe: readonly string[];
}

export interface ServiceFacts {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly uid: number;
  readonly configHome: string;
  readonly node: string;
  readonly main: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Environment the daemon cannot do without when the manager starts it: where its files are. */
const passedOn = ['HOOKBELL_CONFIG', 'HOOKBELL_STATE_DIR', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];

/** The service manager of the platform, or null where there is none (the hook then starts the daemon). */
export function serviceManager(facts: ServiceFacts): ServiceManager | null {
  if (facts.platform === 'linux') return systemd(facts);
  if (facts.platform === 'darwin') return launchd(facts);
  return null;
}

function systemd({ configHome, node, main, env }: ServiceFacts): ServiceManager {
  const environment = passedOn
    .filter((name) => env[name] !== undefined)
    .map((name) => `Environment=${quoted(`${name}=${env[name] ?? ''}`)}\n`)
    .join('');
  return {
    name: 'systemd',
    path: `${configHome}/systemd/user/hookbell.service`,
    content: `[Unit]
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
`,
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
    ],
    restart: [['systemctl', '--user', 'restart', 'hookbell.service']],
    disable: [
      ['systemctl', '--user', 'disable', '--now', 'hookbell.service'],
      ['systemctl', '--user', 'reset-failed', 'hookbell.service'],
    ],
    probe: ['systemctl', '--user', 'show-environment'],
  };
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

const LABEL = 'dev.hookbell.daemon';

function launchd({ home, uid, node, main, env }: ServiceFacts): ServiceManager {
  const path = `${home}/Library/LaunchAgents/${LABEL}.plist`;
  const environment = passedOn
    .filter((name) => env[name] !== undefined)
    .map((name) => `    <key>${name}</key><string>${xmlText(env[name] ?? '')}</string>\n`)
    .join('');
  return {
    name: 'launchd',
    path,
    // Aqua: only a session with a desktop can show notifications.
    content: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array><string>${xmlText(node)}</string><string>${xmlText(main)}</string></array>
  <key>EnvironmentVariables</key>
  <dict>
${environment}  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>5</integer>
  <key>LimitLoadToSessionType</key><string>Aqua</string>
  <key>ProcessType</key><string>Background</string>
  <key>Umask</key><integer>63</integer>
</dict>
</plist>
`,
    enable: [['launchctl', 'bootstrap', `gui/${uid}`, path]],
    restart: [['launchctl', 'kickstart', '-k', `gui/${uid}/${LABEL}`]],
    disable: [['launchctl', 'bootout', `gui/${uid}/${LABEL}`]],
    probe: ['launchctl', 'print', `gui/${uid}`],
  };
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
