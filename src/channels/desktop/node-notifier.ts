import { programFile } from '../../platform/program-files.ts';
import { busAddress } from '../../platform/dbus/bus-address.ts';
import { guardLeadingSign } from './terminal-notifier.ts';
import { type Backend, type Programs, shownBy } from './backend.ts';

const PROGRAM = programFile('nodeNotifier');

/** Total time, with the start of a process, ms: a hung notifier must not leave the text among the processes for long. */
const TIMEOUT_MS = 5_000;

/**
 * The last pop-up backend before the terminal: node-notifier brings programs for macOS and Windows along, and runs
 * notify-send on Linux, which finds a bus that only the display knows. The text is in the arguments of those programs,
 * for every user of the machine to read while they run: so it gets only the title, and they end soon.
 *
 * It runs in a separate process: in the daemon, one bad call makes it useless until the restart (P41), and it starts
 * its notifier without a deadline (P42).
 */
export function nodeNotifier(programs: Programs): Backend {
  return {
    name: 'node-notifier',
    replaces: false,
    async probe() {
      const trouble = await troubleWith(programs);
      return { usable: trouble === null, detail: trouble ?? 'shows only the title' };
    },
    async show(popUp, signal) {
      const input = JSON.stringify({
        title: 'hookbell',
        message: guardLeadingSign(popUp.title),
        sound: popUp.sound !== null,
      });
      const timeoutMs = Math.min(programs.runMs, TIMEOUT_MS);
      const run = { signal, input, timeoutMs };
      return shownBy(await programs.run(process.execPath, [PROGRAM], run), null);
    },
  };
}

/** Why it cannot show anything, or need not; null: it may. */
async function troubleWith(programs: Programs): Promise<string | null> {
  const { platform, env } = programs;
  if (platform !== 'linux' || env['WSL_DISTRO_NAME'] !== undefined) return null;
  if (busAddress(env).ok) return 'shows what the session bus shows';
  // It can reach only the display's bus.
  if (env['DISPLAY'] === undefined) return 'no display';
  return (await programs.find('notify-send')) === null ? 'notify-send is not on PATH' : null;
}
