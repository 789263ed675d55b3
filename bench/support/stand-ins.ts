import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { quoted } from './notifiers.ts';

/** Programs with which notifiers reach a person or a service. */
const programs: readonly string[] = [
  ['notify-send', 'terminal-notifier', 'alerter', 'osascript', 'zenity', 'kdialog'],
  ['paplay', 'pw-play', 'aplay', 'afplay', 'ffplay', 'mpv', 'play', 'say', 'spd-say'],
  ['powershell.exe', 'powershell', 'curl', 'wget', 'ntfy'],
].flat();

/** Stand-ins for the programs that reach a person: they note the call and end well, immediately. */
export interface StandIns {
  /** First in PATH. */
  readonly folder: string;
  /** How often each mark was noted. The environment variable NOTIFIER_MARK names it for a run of a hook. */
  calls(): ReadonlyMap<string, number>;
  /** Lets them fail, or not come to an end, before they note a call; null: they work. */
  setTrouble(trouble: 'fail' | 'hang' | null): void;
}

/** @param directory an empty one */
export function makeStandIns(directory: string): StandIns {
  const folder = join(directory, 'bin');
  const notes = join(directory, 'calls');
  mkdirSync(folder, { recursive: true });
  writeFileSync(notes, '');
  const trouble = join(directory, 'trouble');
  // A call that hangs never arrives.
  const script = `#!/bin/sh
case $(cat ${quoted(trouble)} 2>/dev/null) in
  fail) exit 1 ;;
  hang) while [ -e ${quoted(trouble)} ]; do sleep 0.2; done; exit 1 ;;
esac
printf '%s\\n' "$NOTIFIER_MARK" >>${quoted(notes)}\n`;
  for (const program of programs) writeFileSync(join(folder, program), script, { mode: 0o755 });
  return {
    folder,
    setTrouble(kind) {
      if (kind === null) rmSync(trouble, { force: true });
      else writeFileSync(trouble, kind);
    },
    calls() {
      const counts = new Map<string, number>();
      for (const mark of readFileSync(notes, 'utf8').split('\n').slice(0, -1)) {
        counts.set(mark, (counts.get(mark) ?? 0) + 1);
      }
      return counts;
    },
  };
}
