import { join } from 'node:path';
import { powershellArguments } from './powershell-script.ts';
import type { Programs } from './programs.ts';
import { shownBy } from './programs.ts';
import type { Backend } from './rung.ts';

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
