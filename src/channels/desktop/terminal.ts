import { constants, fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { isatty } from 'node:tty';
import type { PopUp, Rung, Shown } from './rung.ts';
import type { TerminalSequence } from './terminal-sequence.ts';

const TERMINAL_PATH = /^\/dev\/(?:pts\/\d+|tty\w+)$/;

/**
 * Asks the terminal of the session to notify, which also works over ssh: OSC 9 (iTerm2, WezTerm, Ghostty, kitty,
 * Windows Terminal), OSC 777 (urxvt, foot, VTE) or only the bell.
 */
export function terminal(sequence: TerminalSequence): Rung {
  return {
    name: 'terminal',
    replaces: false,
    probe: async () => ({ usable: true, detail: "writes to the session's terminal" }),
    async show(popUp) {
      if (popUp.tty === null) return unfit('the terminal of the session is unknown');
      if (!TERMINAL_PATH.test(popUp.tty)) return unfit('the path of the terminal is not one');
      const flags =
        constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
      let file: FileHandle;
      try {
        file = await open(popUp.tty, flags);
      } catch {
        return unfit('the terminal of the session is gone');
      }
      try {
        return await write(file, textFor(sequence, popUp));
      } finally {
        await file.close();
      }
    },
  };
}

async function write(file: FileHandle, text: string): Promise<Shown> {
  const device = fstatSync(file.fd);
  if (!device.isCharacterDevice() || !isatty(file.fd)) return unfit('the terminal is not one');
  if (device.uid !== process.geteuid?.()) return unfit('the terminal belongs to somebody else');
  try {
    await file.write(text);
    return { type: 'shown', id: null };
  } catch {
    // EAGAIN: its output is held, as by Ctrl-S.
    return unfit('the terminal takes no text');
  }
}

function unfit(reason: string): Shown {
  return { type: 'unfit', reason };
}

function textFor(sequence: TerminalSequence, popUp: PopUp): string {
  const bell = popUp.sound === null ? '' : '\u0007';
  const title = parameter(popUp.title);
  const body = parameter(popUp.body);
  if (sequence === 'osc9') return `\u001b]9;${title}: ${body}\u0007${bell}`;
  if (sequence === 'osc777') return `\u001b]777;notify;${title};${body}\u0007${bell}`;
  return '\u0007';
}

/** Text that can neither end the sequence nor begin another parameter; line feeds would move the cursor. */
function parameter(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this expression is for
  return text.replace(/[\u0000-\u001f\u007f-\u009f;]+/g, ' ');
}
