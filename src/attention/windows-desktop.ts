import { encodedCommand, windowsFolder, windowsProgram } from '../platform/find-program.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { Ask } from './presence.ts';
import type { FocusStep } from './focus/step.ts';

/** PowerShell compiles the declarations below first. */
const PATIENCE_MS = 10_000;
/** Two sources look at the same moment. */
const FRESH_MS = 2_000;

/**
 * Prints such as "idle 5000 locked 0": GetLastInputInfo, and SessionFlags of WTSINFOEX_LEVEL1 (WTSSessionInfoEx is 25, -1 the session of
 * the caller), which is 0 for a locked session, 1 for an unlocked one and -1 if unknown. The union in WTSINFOEX begins at 8.
 * https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-getlastinputinfo
 * https://learn.microsoft.com/windows/win32/api/wtsapi32/ns-wtsapi32-wtsinfoex_level1_w
 */
const PRESENCE = `
$ErrorActionPreference = 'Stop'
Add-Type -Namespace Hookbell -Name Presence -MemberDefinition @'
[StructLayout(LayoutKind.Sequential)] public struct LASTINPUTINFO { public uint cbSize; public uint dwTime; }
[DllImport("user32.dll")] public static extern bool GetLastInputInfo(ref LASTINPUTINFO info);
[DllImport("kernel32.dll")] public static extern uint GetTickCount();
[DllImport("wtsapi32.dll")] public static extern bool WTSQuerySessionInformationW(IntPtr server, int session, int type, out IntPtr buffer, out int bytes);
[DllImport("wtsapi32.dll")] public static extern void WTSFreeMemory(IntPtr memory);
public static long Idle() {
  LASTINPUTINFO info = new LASTINPUTINFO(); info.cbSize = 8;
  if (!GetLastInputInfo(ref info)) return -1;
  return unchecked(GetTickCount() - info.dwTime);
}
public static int Flags() {
  IntPtr buffer; int bytes;
  if (!WTSQuerySessionInformationW(IntPtr.Zero, -1, 25, out buffer, out bytes)) return -1;
  int flags = bytes < 20 ? -1 : Marshal.ReadInt32(buffer, 16);
  WTSFreeMemory(buffer);
  return flags;
}
'@
Write-Output ('idle ' + [Hookbell.Presence]::Idle() + ' flags ' + [Hookbell.Presence]::Flags())
`;

interface WindowsDesktop {
  /** Null if unknown. */
  readonly idleMs: number | null;
  readonly locked: boolean | null;
}

/** Looks at the keyboard, the mouse and the lock of this Windows session; null if PowerShell does not answer. */
export function windowsDesktop(
  ask: Ask,
  env: Environment,
  now: () => number,
): () => Promise<WindowsDesktop | null> {
  const program = windowsProgram('powershell', windowsFolder(env));
  let latest: { readonly at: number; readonly look: Promise<WindowsDesktop | null> } | null = null;
  return () => {
    if (latest === null || now() - latest.at > FRESH_MS) {
      const look = ask(program, encodedCommand(PRESENCE), PATIENCE_MS).then(readPresence);
      latest = { at: now(), look };
    }
    return latest.look;
  };
}

function readPresence(printed: string | null): WindowsDesktop | null {
  const [, idle, flags] = /^idle (-?\d+) flags (-?\d+)\s*$/.exec(printed ?? '') ?? [];
  if (idle === undefined) return null;
  return {
    idleMs: idle.startsWith('-') ? null : Number(idle),
    locked: flags === '0' ? true : flags === '1' ? false : null,
  };
}

/**
 * Brings the window of a process or of its nearest ancestor with one forward. A parent that is younger than its child is
 * another process with its number. Windows may flash the button in the taskbar instead, which counts as a failure.
 * https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-setforegroundwindow
 *
 * @param at when the process ran, Unix ms
 */
export function windowsFocus(pid: number, at: number, env: Environment): FocusStep {
  const script = `
$ErrorActionPreference = 'Stop'
Add-Type -Namespace Hookbell -Name Window -MemberDefinition @'
[DllImport("user32.dll")] public static extern bool IsIconic(IntPtr window);
[DllImport("user32.dll")] public static extern bool ShowWindowAsync(IntPtr window, int command);
[DllImport("user32.dll")] public static extern bool SetForegroundWindow(IntPtr window);
'@
$next = ${Math.trunc(pid)}
$latest = [DateTimeOffset]::FromUnixTimeMilliseconds(${Math.trunc(at) + 1_000}).LocalDateTime
for ($step = 0; $step -lt 32; $step++) {
  $entry = Get-CimInstance -ClassName Win32_Process -Filter "ProcessId = $next"
  if ($null -eq $entry -or $entry.CreationDate -gt $latest) { exit 1 }
  $window = (Get-Process -Id $next).MainWindowHandle
  if ($window -ne [IntPtr]::Zero) {
    if ([Hookbell.Window]::IsIconic($window)) { [void][Hookbell.Window]::ShowWindowAsync($window, 9) }
    if ([Hookbell.Window]::SetForegroundWindow($window)) { exit 0 }
    exit 1
  }
  $latest = $entry.CreationDate
  $next = $entry.ParentProcessId
}
exit 1
`;
  return {
    program: windowsProgram('powershell', windowsFolder(env)),
    arguments: encodedCommand(script),
    patienceMs: PATIENCE_MS,
  };
}
