import { z } from 'zod';

import { within } from '../../platform/time.ts';
import type { ChannelDependencies, Reaction } from '../../core/channel.ts';
import { parseJson } from '../../platform/json.ts';
import { type Backend, type PopUp, type Programs, type ShowResult, shownBy } from './backend.ts';

/** At most this many programs wait; the oldest is ended, and clicks on its pop-up are lost. */
const MAX_WAITING = 16;

/** Programs that run while their pop-up stands, and report its outcome when they exit. At most one per group. */
function createWaitingPrograms() {
  const waiting = new Map<string, { ended: Promise<unknown>; stop: () => void }>();

  function end(key: string): void {
    waiting.get(key)?.stop();
    waiting.delete(key);
  }

  return {
    /** Ends the one for the older pop-up of the group. @param run ends the program at the latest when the signal fires */
    start<Result>(key: string, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
      end(key);
      const stopping = new AbortController();
      const ended = run(stopping.signal);
      const started = { ended, stop: () => stopping.abort() };
      waiting.set(key, started);
      void ended.finally(() => {
        if (waiting.get(key) === started) waiting.delete(key);
      });
      const [oldest] = waiting.keys();
      if (waiting.size > MAX_WAITING && oldest !== undefined) end(oldest);
      return ended;
    },
    end,
    async close(): Promise<void> {
      const all = [...waiting.values()];
      for (const { stop } of all) stop();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

const STANDS_MS = 600_000;

/** Its output when its alert is gone; among others: closed, timeout. */
const activation = z.object({ activationType: z.string(), activationValue: z.string().optional() });
const CLICKS: ReadonlySet<string> = new Set(['contentsClicked', 'actionClicked']);

/**
 * macOS: github.com/vjeantet/alerter, version 26 or newer, whose long options accept a leading dash in their value.
 *
 * It exits only when its alert is closed or clicked, so `show` counts it as shown once it has run for `shownAfterMs`.
 */
export function alerter(
  programs: Programs,
  onReaction: ChannelDependencies['onReaction'],
  shownAfterMs = 700,
): Backend {
  let program: string | null = null;
  const waiting = createWaitingPrograms();

  async function showWith(path: string, popUp: PopUp): Promise<ShowResult> {
    const standsMs = popUp.expireMs === null || popUp.expireMs === 0 ? STANDS_MS : popUp.expireMs;
    const ended = waiting.start(popUp.key, async (signal) => {
      const result = await programs.run(path, alerterArguments(popUp, standsMs), {
        signal,
        timeoutMs: standsMs + 5_000,
      });
      const reaction = result.ok ? reactionIn(result.stdout, popUp) : null;
      if (reaction !== null) onReaction(reaction);
      return result;
    });
    const early = await within(ended, shownAfterMs);
    return early === null ? { type: 'shown', id: popUp.key } : shownBy(early, popUp.key);
  }

  return {
    name: 'alerter',
    replaces: true,
    reacts: () => true,
    answers: () => 'inline',
    async probe(signal) {
      program = await programs.find('alerter');
      if (program === null) return { usable: false, detail: 'not on PATH' };
      const help = await programs.ask(program, ['--help'], { signal });
      const usable = help.stdout.includes('--group');
      return { usable, detail: usable ? program : 'older than version 26' };
    },
    show: async (popUp) =>
      program === null ? { type: 'unfit', reason: 'not on PATH' } : showWith(program, popUp),
    async withdraw(id, signal) {
      if (program === null) return 'alerter is not on PATH';
      waiting.end(id);
      const result = await programs.ask(program, [`--remove=${id}`], { signal });
      return result.ok ? null : `alerter ${result.reason}`;
    },
    close: () => waiting.close(),
  };
}

function reactionIn(printed: string, { reaction, replyUrl }: PopUp): Reaction | null {
  const { data } = activation.safeParse(parseJson(printed));
  if (data === undefined) return null;
  const { activationType, activationValue: text } = data;
  if (activationType === 'replied' && text !== undefined && replyUrl !== null) {
    return { deliveryId: reaction.deliveryId, type: 'replied', url: replyUrl, text };
  }
  return CLICKS.has(activationType) ? reaction : null;
}

function alerterArguments(popUp: PopUp, standsMs: number): string[] {
  return [
    `--title=${popUp.title}`,
    `--message=${popUp.body}`,
    `--group=${popUp.key}`,
    `--timeout=${Math.ceil(standsMs / 1_000)}`,
    '--json',
    // A button that becomes a text field.
    ...(popUp.replyUrl === null ? [] : ['--reply=Your answer']),
    ...(popUp.sound === null ? [] : [`--sound=${popUp.sound}`]),
  ];
}
