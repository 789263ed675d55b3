import type { ServiceFacts, ServiceManager } from './service-manager.ts';
import { passedOn } from './passed-on.ts';
import { xmlText } from './xml-text.ts';

const LABEL = 'dev.hookbell.daemon';

/** An agent of the user's session with a desktop. */
export function launchd(facts: ServiceFacts): ServiceManager {
  const { home, uid, node, main } = facts;
  const path = `${home}/Library/LaunchAgents/${LABEL}.plist`;
  const environment = passedOn(facts)
    .map(
      ({ name, value }) => `    <key>${name}</key><string>${xmlText(value)}</string>
`,
    )
    .join('');
  // Aqua: only a session with a desktop can show notifications.
  const content = `<?xml version="1.0" encoding="UTF-8"?>
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
`;
  return {
    name: 'launchd',
    files: [{ path, content }],
    enable: [['launchctl', 'bootstrap', `gui/${uid}`, path]],
    restart: [['launchctl', 'kickstart', '-k', `gui/${uid}/${LABEL}`]],
    disable: [['launchctl', 'bootout', `gui/${uid}/${LABEL}`]],
    probe: ['launchctl', 'print', `gui/${uid}`],
    status: ['launchctl', 'print', `gui/${uid}/${LABEL}`],
    hint: null,
  };
}
