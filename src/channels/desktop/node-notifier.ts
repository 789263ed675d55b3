import { programFile } from '../../core/program-files.ts';
import { guardLeadingSign } from './leading-sign.ts';
import type { Programs } from './programs.ts';
import { shownBy } from './programs.ts';
import type { Rung } from './rung.ts';

const PROGRAM = programFile('nodeNotifier');

/**
 * macOS and Windows when nothing better is there. It runs in a process of its own: in ours, one bad call makes it
 * useless until the restart, and it starts its notifier without a deadline.
 */
export function nodeNotifier(programs: Programs): Rung {
  return {
    name: 'node-notifier',
    replaces: false,
    probe: async () => ({ usable: true, detail: 'comes with hookbell' }),
    async show(popUp, signal) {
      const input = JSON.stringify({
        title: guardLeadingSign(popUp.title),
        // An empty message would be refused.
        message: guardLeadingSign(popUp.body),
        sound: popUp.sound !== null,
      });
      const result = await programs.run(process.execPath, [PROGRAM], { signal, input });
      return shownBy(result, null);
    },
  };
}
