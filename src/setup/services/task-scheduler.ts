import { win32 } from 'node:path';

import type { ServiceFacts, ServiceManager } from './service-manager.ts';
import { passedOn } from './passed-on.ts';
import { xmlText } from './xml-text.ts';

const TASK = 'hookbell';

/**
 * A task of Windows that starts at log-on (https://learn.microsoft.com/windows/win32/taskschd/task-scheduler-schema). Never run by
 * us on Windows itself. A task has no environment of its own, so that `cmd` sets what must be passed on;
 * `conhost --headless` keeps the console window of Node away.
 */
export function taskScheduler(facts: ServiceFacts): ServiceManager {
  const { configHome, user, node, main } = facts;
  const path = win32.join(configHome, 'hookbell', 'task.xml');
  const settings = passedOn(facts).map(({ name, value }) => `set "${name}=${value}"&&`);
  const start = `--headless cmd.exe /d /s /c "${settings.join('')}"${node}" "${main}""`;
  const content = `<?xml version="1.0"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>hookbell: tells people what their coding agents are doing</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <UserId>${xmlText(user)}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${xmlText(user)}</UserId>
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
      <Arguments>${xmlText(start)}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
  return {
    name: 'task scheduler',
    files: [{ path, content }],
    enable: [['schtasks', '/Create', '/TN', TASK, '/XML', path, '/F']],
    restart: [['schtasks', '/Run', '/TN', TASK]],
    disable: [
      ['schtasks', '/End', '/TN', TASK],
      ['schtasks', '/Delete', '/TN', TASK, '/F'],
    ],
    probe: ['schtasks', '/Query'],
    status: ['schtasks', '/Query', '/TN', TASK],
    hint: null,
  };
}
