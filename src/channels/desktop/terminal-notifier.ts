import { type Backend, type Programs, shownBy } from './backend.ts';

/** macOS: terminal-notifier 3 or newer; version 2 reports success and shows nothing. */
export function terminalNotifier(programs: Programs): Backend {
  let program: string | null = null;
  return {
    name: 'terminal-notifier',
    replaces: true,
    async probe(signal) {
      program = await programs.find('terminal-notifier');
      if (program === null) return { usable: false, detail: 'not on PATH' };
      const answer = await programs.ask(program, ['-version'], { signal });
      const usable = Number(/(\d+)\.\d/.exec(answer.stdout)?.[1] ?? 0) >= 3;
      return { usable, detail: usable ? program : 'older than version 3' };
    },
    async show(popUp, signal) {
      if (program === null) return { type: 'unfit', reason: 'not on PATH' };
      const texts = [
        '-title',
        guardLeadingSign(popUp.title),
        '-message',
        guardLeadingSign(popUp.body),
      ];
      const sound = popUp.sound === null ? [] : ['-sound', popUp.sound];
      const words = [...texts, '-group', popUp.key, ...sound];
      return shownBy(await programs.run(program, words, { signal }), popUp.key);
    },
    async withdraw(id, signal) {
      if (program === null) return 'terminal-notifier is not on PATH';
      const result = await programs.ask(program, ['-remove', id], { signal });
      return result.ok ? null : `terminal-notifier ${result.reason}`;
    },
  };
}

/** Some programs lack `--`, and take `-x` for an option, and `(`, `[`, `{`, `<`, `"` for the beginning of a property list. */
export function guardLeadingSign(text: string): string {
  return /^[\p{L}\p{N}]/u.test(text) ? text : `\u200b${text}`;
}
