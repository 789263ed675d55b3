import { escapeAngles } from '../text/escape.ts';
import { cleanStart } from './services/clean-start.ts';
import type { ServiceFacts, ServiceManager } from './services/service-manager.ts';
import { systemd } from './services/systemd.ts';
import { taskScheduler } from './services/task-scheduler.ts';

const LABEL = 'dev.hookbell.daemon';

/** A launch agent for the user's desktop sessions. */
function launchd(facts: ServiceFacts): ServiceManager {
  const { home, uid } = facts;
  const path = `${home}/Library/LaunchAgents/${LABEL}.plist`;
  const domain = `gui/${uid}`;
  const target = `${domain}/${LABEL}`;
  const words = cleanStart(facts).map((word) => `    <string>${escapeAngles(word)}</string>\n`);
  // Aqua: only a session with a desktop can show notifications.
  const content = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.join('')}  </array>
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
    enable: [['launchctl', 'bootstrap', domain, path]],
    disable: [['launchctl', 'bootout', target]],
    // Loaded again where `stop` has unloaded it, which ends with the session. A session without a desktop refuses both.
    start: {
      known: ['launchctl', 'print', domain],
      start: [
        ['launchctl', 'bootstrap', domain, path],
        ['launchctl', 'kickstart', target],
      ],
      gaveUp: null,
    },
    prepare: [],
    // Unloaded, it is not started again either if it has to be killed.
    stop: [['launchctl', 'bootout', target]],
    probe: ['launchctl', 'print', domain],
    status: ['launchctl', 'print', target],
    hint: null,
  };
}

/** The service manager of the platform; null if unsupported (the hook then starts the daemon). */
export function serviceManager(facts: ServiceFacts): ServiceManager | null {
  if (facts.platform === 'linux') return systemd(facts);
  if (facts.platform === 'darwin') return launchd(facts);
  return facts.platform === 'win32' ? taskScheduler(facts) : null;
}
