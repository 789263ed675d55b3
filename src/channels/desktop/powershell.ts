import { join } from 'node:path';

import { type Backend, type Programs, shownBy } from './backend.ts';

/**
 * Shows or removes a toast. Constant: the content comes as one JSON line on standard input, and gets into the XML only
 * as text nodes. The application id is PowerShell's own, because an unregistered one shows nothing
 * (learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/toast-xml-schema).
 */
const SCRIPT = `
$ErrorActionPreference = 'Stop'
$wish = [Console]::In.ReadLine() | ConvertFrom-Json
[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
[void][Windows.Data.Xml.Dom.XmlDocument, Windows.Data.Xml.Dom.XmlDocument, ContentType = WindowsRuntime]
$application = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
if ($wish.action -eq 'withdraw') {
  [Windows.UI.Notifications.ToastNotificationManager]::History.Remove($wish.key, 'hookbell', $application)
  exit 0
}
$xml = New-Object Windows.Data.Xml.Dom.XmlDocument
$xml.LoadXml('<toast><visual><binding template="ToastGeneric"><text/><text/></binding></visual><audio/></toast>')
$texts = $xml.GetElementsByTagName('text')
[void]$texts.Item(0).AppendChild($xml.CreateTextNode($wish.title))
[void]$texts.Item(1).AppendChild($xml.CreateTextNode($wish.body))
if ($wish.silent) { $xml.GetElementsByTagName('audio').Item(0).SetAttribute('silent', 'true') }
if ($wish.stays) { $xml.DocumentElement.SetAttribute('duration', 'long') }
$toast = New-Object Windows.UI.Notifications.ToastNotification $xml
$toast.Tag = $wish.key
$toast.Group = 'hookbell'
if ($wish.expireMs -gt 0) { $toast.ExpirationTime = [DateTimeOffset]::Now.AddMilliseconds($wish.expireMs) }
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($application).Show($toast)
`;

/** PowerShell accepts it as UTF-16LE in base64, which needs no quotes. */
const powershellArguments: readonly string[] = [
  '-NoLogo',
  '-NoProfile',
  '-NonInteractive',
  '-EncodedCommand',
  Buffer.from(SCRIPT, 'utf16le').toString('base64'),
];

/** Windows, and Linux under WSL: a toast by Windows PowerShell, which every Windows has. */
export function powershell(programs: Programs, windowsDirectory: string): Backend {
  const path = join(windowsDirectory, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
  let program: string | null = null;
  return {
    name: 'powershell',
    replaces: true,
    async probe() {
      program = await programs.find(path);
      return { usable: program !== null, detail: program ?? `"${path}" cannot be run` };
    },
    async show(popUp, signal) {
      if (program === null) return { type: 'unfit', reason: 'powershell.exe was not found' };
      const input = jsonLine({
        action: 'show',
        key: popUp.key,
        title: popUp.title,
        body: popUp.body,
        silent: popUp.sound === null,
        stays: popUp.urgency === 'critical',
        expireMs: popUp.expireMs ?? 0,
      });
      const result = await programs.run(program, powershellArguments, { signal, input });
      return shownBy(result, popUp.key);
    },
    async withdraw(id, signal) {
      if (program === null) return 'powershell.exe was not found';
      const input = jsonLine({ action: 'withdraw', key: id });
      const result = await programs.run(program, powershellArguments, { signal, input });
      return result.ok ? null : `powershell.exe ${result.reason}`;
    },
  };
}

/** ASCII only, so that the console's code page cannot spoil it. */
function jsonLine(wish: Readonly<Record<string, string | number | boolean>>): string {
  const json = JSON.stringify(wish).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${json}\n`;
}
