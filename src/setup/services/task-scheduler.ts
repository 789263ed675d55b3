import { win32 } from 'node:path';

import { escapeAngles } from '../../text/escape.ts';
import type { ServiceFacts, ServiceManager } from './service-manager.ts';

const TASK = 'hookbell';

/** Variables that Node and its TLS read before the daemon can remove them; the daemon removes the others itself. */
const STEERING = [
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_REPL_EXTERNAL_MODULE',
  'NODE_V8_COVERAGE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_USE_ENV_PROXY',
  'OPENSSL_CONF',
  'OPENSSL_MODULES',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/**
 * A Windows task that starts at log-on (https://learn.microsoft.com/windows/win32/taskschd/task-scheduler-schema). We have
 * never run it on Windows. A task cannot set variables, so `cmd` sets the paths of the files and removes the variables
 * that control Node; `conhost --headless` hides Node's console window.
 */
export function taskScheduler(facts: ServiceFacts): ServiceManager {
  const { configHome, user, node, main, state, config } = facts;
  const path = win32.join(configHome, 'hookbell', 'task.xml');
  const variables = [`HOOKBELL_STATE_DIR=${state}`, `HOOKBELL_CONFIG=${config}`];
  // Removing an unset variable fails, hence "&".
  const settings = [
    ...STEERING.map((name) => `set "${name}="&`),
    ...variables.map((assignment) => `set "${assignment}"&&`),
  ];
  const start = `--headless cmd.exe /d /s /c "${settings.join('')}"${node}" "${main}" --service"`;
  const content = `<?xml version="1.0"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>hookbell: notifications from coding agents</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <UserId>${escapeAngles(user)}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${escapeAngles(user)}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>StopExisting</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <Hidden>true</Hidden>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>7</Priority>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>5</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>conhost.exe</Command>
      <Arguments>${escapeAngles(start)}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
  return {
    name: 'task scheduler',
    files: [{ path, content }],
    enable: [['schtasks', '/Create', '/TN', TASK, '/XML', path, '/F']],
    start: {
      known: ['schtasks', '/Query', '/TN', TASK],
      start: [['schtasks', '/Run', '/TN', TASK]],
      gaveUp: null,
    },
    prepare: [],
    stop: [['schtasks', '/End', '/TN', TASK]],
    disable: [
      ['schtasks', '/End', '/TN', TASK],
      ['schtasks', '/Delete', '/TN', TASK, '/F'],
    ],
    probe: ['schtasks', '/Query'],
    status: ['schtasks', '/Query', '/TN', TASK],
    hint: null,
  };
}
