import type { ProgramResult } from '../support/run-program.ts';
import type { Programs } from './programs.ts';
import { shownBy } from './programs.ts';
import type { PopUp, Rung, Shown } from './rung.ts';

/** alerter lives as long as its alert stands: so long unless the configuration says otherwise, ms. */
const STANDS_MS = 600_000;
/** No more alerts than these keep a process waiting; the oldest goes. */
const MAX_WAITING = 16;

/**
 * macOS: github.com/vjeantet/alerter, version 26 or newer, whose long options carry a leading dash in their value.
 *
 * It ends only when its alert is closed, so `show` takes it for shown once it has run for `settleMs`.
 */
export function alerter(programs: Programs, settleMs = 700): Rung {
  let program: string | null = null;
  const waiting = new Map<
    string,
    { readonly stop: AbortController; readonly ended: Promise<ProgramResult> }
  >();

  async function showWith(path: string, popUp: PopUp): Promise<Shown> {
    // The newer alert of the group takes the older one's place: nobody waits for that any more.
    waiting.get(popUp.key)?.stop.abort();
    waiting.delete(popUp.key);
    const standsMs = popUp.expireMs === null || popUp.expireMs === 0 ? STANDS_MS : popUp.expireMs;
    const stop = new AbortController();
    const ended = programs.run(path, alerterArguments(popUp, standsMs), {
      signal: stop.signal,
      timeoutMs: standsMs + 5_000,
    });
    const entry = { stop, ended };
    waiting.set(popUp.key, entry);
    void ended.finally(() => {
      if (waiting.get(popUp.key) === entry) waiting.delete(popUp.key);
    });
    const [oldest] = waiting.values();
    if (waiting.size > MAX_WAITING) oldest?.stop.abort();
    const early = await within(ended, settleMs);
    return early === null ? { type: 'shown', id: popUp.key } : shownBy(early, popUp.key);
  }

  return {
    name: 'alerter',
    replaces: true,
    async probe(look) {
      program = await programs.find('alerter');
      if (program === null) return { usable: false, detail: 'not on PATH' };
      const help = await programs.ask(program, ['--help'], look);
      return help.stdout.includes('--group')
        ? { usable: true, detail: program }
        : { usable: false, detail: 'older than version 26' };
    },
    async show(popUp) {
      if (program === null) return { type: 'unfit', reason: 'not on PATH' };
      return showWith(program, popUp);
    },
    async withdraw(id, signal) {
      if (program === null) return 'alerter is not on PATH';
      const result = await programs.ask(program, [`--remove=${id}`], { signal });
      return result.ok ? null : `alerter ${result.reason}`;
    },
    async close() {
      const entries = [...waiting.values()];
      for (const { stop } of entries) stop.abort();
      await Promise.all(entries.map(({ ended }) => ended));
    },
  };
}

function alerterArguments(popUp: PopUp, standsMs: number): string[] {
  return [
    `--title=${popUp.title}`,
    `--message=${popUp.body}`,
    `--group=${popUp.key}`,
    `--timeout=${Math.ceil(standsMs / 1_000)}`,
    '--json',
    ...(popUp.sound === null ? [] : [`--sound=${popUp.sound}`]),
  ];
}

/** What the program answered, or null if it still runs after `ms`. */
async function within(ended: Promise<ProgramResult>, ms: number): Promise<ProgramResult | null> {
  let timer: NodeJS.Timeout | undefined;
  const stillRuns = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  const result = await Promise.race([ended, stillRuns]);
  clearTimeout(timer);
  return result;
}
