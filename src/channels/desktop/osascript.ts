import type { Programs } from './programs.ts';
import { shownBy } from './programs.ts';
import type { Rung } from './rung.ts';

/** The scripts are constant; texts reach them as arguments only, never as AppleScript. */
const SILENT = 'display notification (item 1 of argv) with title (item 2 of argv)';
const AUDIBLE = `${SILENT} sound name (item 3 of argv)`;

/** macOS without another program: shown under the name "Script Editor", and never taken back. */
export function osascript(programs: Programs): Rung {
  let program: string | null = null;
  return {
    name: 'osascript',
    replaces: false,
    async probe() {
      program = await programs.find('osascript');
      return { usable: program !== null, detail: program ?? 'not on PATH' };
    },
    async show(popUp, signal) {
      if (program === null) return { type: 'unfit', reason: 'not on PATH' };
      const line = popUp.sound === null ? SILENT : AUDIBLE;
      const script = ['-e', 'on run argv', '-e', line, '-e', 'end run'];
      const texts = [popUp.body, popUp.title, ...(popUp.sound === null ? [] : [popUp.sound])];
      const result = await programs.run(program, [...script, '--', ...texts], { signal });
      return shownBy(result, null);
    },
  };
}
