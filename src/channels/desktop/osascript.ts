import type { Programs } from './programs.ts';
import { shownBy } from './programs.ts';
import type { Backend } from './rung.ts';

/**
 * Constant, in JavaScript: what to show comes as JSON on standard input, since every user of the machine can read the arguments.
 * developer.apple.com/library/archive/documentation/LanguagesUtilities/Conceptual/MacAutomationScriptingGuide
 */
const SCRIPT = `
ObjC.import('Foundation');
const input = $.NSFileHandle.fileHandleWithStandardInput.readDataToEndOfFile;
const wish = JSON.parse($.NSString.alloc.initWithDataEncoding(input, $.NSUTF8StringEncoding).js);
const application = Application.currentApplication();
application.includeStandardAdditions = true;
const sound = wish.sound === null ? {} : { soundName: wish.sound };
application.displayNotification(wish.body, { withTitle: wish.title, ...sound });
`;

/** macOS without another program: shown under the name "Script Editor", and never taken back. */
export function osascript(programs: Programs): Backend {
  let program: string | null = null;
  return {
    name: 'osascript',
    replaces: false,
    async probe() {
      program = await programs.find('osascript');
      return { usable: program !== null, detail: program ?? 'not on PATH' };
    },
    async show({ title, body, sound }, signal) {
      if (program === null) return { type: 'unfit', reason: 'not on PATH' };
      const input = JSON.stringify({ title, body, sound });
      const words = ['-l', 'JavaScript', '-e', SCRIPT];
      return shownBy(await programs.run(program, words, { signal, input }), null);
    },
  };
}
