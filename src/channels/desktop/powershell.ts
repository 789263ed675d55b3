import { randomInt } from 'node:crypto';

import { encodedCommand, jsonLine, windowsProgram } from '../../platform/find-program.ts';
import {
  type Backend,
  type BackendDependencies,
  type PopUp,
  type Programs,
  shownBy,
} from './backend.ts';
import { createKnownPopUps } from './known-pop-ups.ts';
import { escapeXml } from '../../text/escape.ts';
import { actionKey } from './decision.ts';

const HIDDEN = 3;
const OFF = 4;

/**
 * Shows or removes a toast, or exits with `HIDDEN` or `OFF`: "do not disturb" has a name since Windows 10.0.23504. Constant: the
 * content comes as one JSON line on standard input. The application id is PowerShell's own, because an unregistered one shows
 * nothing.
 * https://learn.microsoft.com/uwp/api/windows.ui.notifications.toastnotificationmanagerforuser.notificationmode
 * https://learn.microsoft.com/uwp/api/windows.ui.notifications.toastnotifier.setting
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
$notifier = [Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($application)
if (-not $wish.evenIfHidden) {
  if ('PriorityOnly', 'AlarmsOnly' -contains [string][Windows.UI.Notifications.ToastNotificationManager]::GetDefault().NotificationMode) { exit ${HIDDEN} }
  if ([string]$notifier.Setting -like 'Disabled*') { exit ${OFF} }
}
$xml = New-Object Windows.Data.Xml.Dom.XmlDocument
$xml.LoadXml($wish.xml)
$toast = New-Object Windows.UI.Notifications.ToastNotification $xml
$toast.Tag = $wish.key
$toast.Group = 'hookbell'
if ($wish.expireMs -gt 0) { $toast.ExpirationTime = [DateTimeOffset]::Now.AddMilliseconds($wish.expireMs) }
$notifier.Show($toast)
`;
const WORDS = encodedCommand(SCRIPT);
const hiddenByCode: Readonly<Record<number, string>> = {
  [HIDDEN]: '"do not disturb" is on',
  [OFF]: 'Windows has notifications switched off, for all programs or for Windows PowerShell',
};
const QUERY_LINKS = ['query', String.raw`HKCU\Software\Classes\hookbell\shell\open\command`, '/ve'];

/** Numbers of toasts cannot be guessed: other programs and pages may open links, too. */
const NUMBERS = { from: 1e14, to: 1e14 + 2 ** 47 };

/** By Windows PowerShell. Links open the program registered by `setup/services/toast-links.ts`, under WSL only pages. */
export function powershell(
  programs: Programs,
  windowsDirectory: string,
  { now, onReaction }: BackendDependencies,
): Backend {
  const path = windowsProgram('powershell', windowsDirectory);
  const known = createKnownPopUps({ now, onReaction, onForgotten: () => {} });
  let program: string | null = null;
  let takesLinks = false;

  async function areLinksRegistered(signal: AbortSignal): Promise<boolean> {
    if (programs.platform !== 'win32') return false;
    const reg = await programs.find(windowsProgram('reg', windowsDirectory));
    if (reg === null) return false;
    return (await programs.ask(reg, QUERY_LINKS, { signal })).ok;
  }

  return {
    name: 'powershell',
    replaces: true,
    reacts: () => takesLinks,
    answers: () => 'button',
    async probe(signal) {
      program = await programs.find(path);
      takesLinks = program !== null && (await areLinksRegistered(signal));
      return { usable: program !== null, detail: program ?? `"${path}" cannot be run` };
    },
    async show(popUp, signal) {
      if (program === null) return { type: 'unfit', reason: 'powershell.exe was not found' };
      const number = takesLinks ? randomInt(NUMBERS.from, NUMBERS.to) : null;
      // Before it is there to be clicked.
      if (number !== null) known.remember(number, known.entry(popUp, false));
      const { key, expireMs, evenIfHidden } = popUp;
      const toast = { key, xml: toastXml(popUp, number), expireMs: expireMs ?? 0, evenIfHidden };
      const input = jsonLine({ action: 'show', ...toast });
      const ended = await programs.run(program, WORDS, { signal, input });
      const hiddenBy = ended.code === null ? undefined : hiddenByCode[ended.code];
      if (hiddenBy !== undefined) {
        if (number !== null) known.forget(number);
        return { type: 'hidden', reason: hiddenBy };
      }
      const result = shownBy(ended, key);
      if (result.type !== 'shown' || number === null) return result;
      return { ...result, server: String(number) };
    },
    async resubscribe(popUp, { server }) {
      if (takesLinks) known.put(Number(server), known.entry(popUp, true));
    },
    takeClick(link) {
      const { number = -1, action } = readToastLink(link) ?? {};
      const isKnown = known.get(number) !== undefined;
      if (isKnown) known.handleSignal(number, 'ActionInvoked', action);
      return isKnown;
    },
    async withdraw(id, signal, server) {
      if (program === null) return 'powershell.exe was not found';
      known.close(Number(server));
      const input = jsonLine({ action: 'withdraw', key: id });
      const result = await programs.run(program, WORDS, { signal, input });
      return result.ok ? null : `powershell.exe ${result.reason}`;
    },
  };
}

const SCHEME = 'hookbell:';
const MOST_BUTTONS = 5;

/**
 * The content of a toast (learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/toast-xml-schema). Buttons and
 * clicks open links: the only kind of activation that needs no program registered as a COM server.
 *
 * @param number names the toast in its links; null: nothing on this machine takes them
 */
export function toastXml(popUp: PopUp, number: number | null): string {
  const { title, body, sound, urgency, decision, replyUrl } = popUp;
  const link = (action: string): string => `${SCHEME}${number}/${encodeURIComponent(action)}`;
  const buttons = [
    ...(number === null || decision === null
      ? []
      : decision.buttons.map((button) => [button.label, link(actionKey(button, decision))])),
    ...(replyUrl === null ? [] : [[decision === null ? 'Reply' : 'See all', replyUrl]]),
  ].slice(0, MOST_BUTTONS);
  const actions = buttons.map(
    ([label = '', target = '']) =>
      `<action content="${escapeXml(label)}" activationType="protocol" arguments="${escapeXml(target)}"/>`,
  );
  const texts = [title, body].map((text) => `<text>${escapeXml(text)}</text>`);
  return [
    '<toast',
    number === null ? '' : ` activationType="protocol" launch="${escapeXml(link('default'))}"`,
    urgency === 'critical' ? ' duration="long">' : '>',
    `<visual><binding template="ToastGeneric">${texts.join('')}</binding></visual>`,
    actions.length === 0 ? '' : `<actions>${actions.join('')}</actions>`,
    `<audio silent="${sound === null}"/></toast>`,
  ].join('');
}

/** The toast and the action that a link names; null for any other text. */
export function readToastLink(link: string): { number: number; action: string } | null {
  const [, number, action] = /^hookbell:(\d{1,15})\/((?:[\w.-]|%[\dA-F]{2})+)$/i.exec(link) ?? [];
  if (number === undefined || action === undefined) return null;
  try {
    return { number: Number(number), action: decodeURIComponent(action) };
  } catch {
    return null;
  }
}
