import { z } from 'zod';

import type { Ability } from '../../core/ability.ts';
import type { Channel, ChannelCheck, ChannelDependencies } from '../../core/channel.ts';
import { ConfigError } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json.ts';
import { watchQuietDirectory } from '../../platform/watch-files.ts';
import type { Notification } from '../../core/notification.ts';
import { delivered, failed, retry } from '../../core/outcome.ts';
import { createFallbackChain, isPopUp, backendsFor } from './fallback-chain.ts';
import { type DesktopOptions, ownSoundOf, popUpOf } from './pop-up.ts';
import { type Answering, type Backend, desktopPrograms, backendNames } from './backend.ts';

const reference = z.strictObject({
  backend: z.enum(backendNames),
  id: z.string().regex(/^\w+$/),
  server: z.string().optional(),
});

/** Probing takes time: the start of the daemon, which creates the channel, goes first. */
const WARM_UP_AFTER_MS = 250;
/** Interval of the search for a desktop while none is found, ms: a tenth of the time that it has been missing, within these. */
const LOOK_AGAIN_MS = { least: 2_000, most: 60_000 };

/** `times` bounds each program it runs. @throws ConfigError when the options leave no backend on this platform */
export function createDesktopChannel(
  options: DesktopOptions,
  dependencies: Pick<
    ChannelDependencies,
    'name' | 'platform' | 'env' | 'now' | 'baseDir' | 'onReaction' | 'onWorksAgain'
  >,
  times?: Parameters<typeof desktopPrograms>[2],
): Channel {
  const programs = desktopPrograms(dependencies.platform, dependencies.env, times);
  const backends = backendsFor(programs, options, dependencies);
  if (backends.length === 0) {
    const fault = `"backend" is "${options.backend}", which ${dependencies.platform} does not have`;
    throw new ConfigError(`Cannot use channel "${dependencies.name}": ${fault}`);
  }
  const chain = createFallbackChain(backends, dependencies.now);
  const closing = new AbortController();
  let warm: Promise<boolean> | null = null;
  let lookAgain: NodeJS.Timeout | null = null;
  /** When a desktop was first missed, by the monotonic clock; null while one is there. */
  let missedAt: number | null = null;
  let stopWatching: (() => void) | null = null;
  let looking: Promise<void> = Promise.resolve();
  let nextSound: string | null = null;
  let playing: Promise<void> | null = null;
  const warmUpLater = setTimeout(() => void warmUp(), WARM_UP_AFTER_MS).unref();

  function warmUp(): Promise<unknown> {
    clearTimeout(warmUpLater);
    return (warm ??= lookForDesktop());
  }

  /** Returns whether a desktop was found. An error here occurs again in `send`, which reports it. */
  async function lookForDesktop(): Promise<boolean> {
    const isThere = await chain.warmUp(closing.signal).catch(() => false);
    if (isThere && !closing.signal.aborted) dependencies.onWorksAgain();
    return isThere;
  }

  /** Probes until a desktop is found. A log-in creates the session bus in the runtime directory, which is watched. */
  function lookAgainLater(): void {
    const { least, most } = LOOK_AGAIN_MS;
    const { XDG_RUNTIME_DIR: runtime } = dependencies.env;
    if (missedAt === null && runtime !== undefined) {
      stopWatching = watchQuietDirectory(runtime, () => lookAgainSoon());
    }
    missedAt ??= performance.now();
    const ms = Math.min(most, Math.max(least, (performance.now() - missedAt) / 10));
    lookAgain ??= setTimeout(lookAgainSoon, ms).unref();
  }

  function lookAgainSoon(): void {
    if (lookAgain === null) return;
    clearTimeout(lookAgain);
    lookAgain = null;
    looking = lookAgainNow();
  }

  async function lookAgainNow(): Promise<void> {
    const isThere = await lookForDesktop();
    if (closing.signal.aborted) return;
    if (!isThere) return lookAgainLater();
    missedAt = null;
    stopWatching?.();
  }

  function shownUnder(ref: string) {
    const { data } = reference.safeParse(parseJson(ref));
    if (data === undefined) return null;
    return { ...data, backend: backends.find(({ name }) => name === data.backend) };
  }

  /** One after the other; of those that wait, only the last. */
  async function play(): Promise<void> {
    const { playSound } = await import('../support/play-sound.ts');
    while (nextSound !== null && !closing.signal.aborted) {
      const sound = nextSound;
      nextSound = null;
      await playSound(sound, dependencies, closing.signal);
    }
    playing = null;
  }

  async function checkSounds(): Promise<string | null> {
    const { whyUnplayable } = await import('../support/play-sound.ts');
    for (const sound of Object.values(options.sounds)) {
      const trouble = await whyUnplayable(sound, dependencies);
      if (trouble !== null) return trouble;
    }
    return null;
  }

  const canWithdraw = backends.some((backend) => backend.withdraw !== undefined);
  return {
    get lacks() {
      const current = chain.current();
      const lacks: Ability[] = current?.reacts?.() === true ? [] : ['acknowledge', 'decide'];
      if (current?.replaces !== true) lacks.push('replace');
      if (current?.withdraw === undefined) lacks.push('withdraw');
      if ((current?.answers?.() ?? 'none') === 'none') lacks.push('reply');
      return lacks;
    },

    async send(notification, context) {
      clearTimeout(warmUpLater);
      await warm;
      const outcome = await chain.show(popUpOf(notification, options), context.signal);
      if (outcome.type === 'hidden') {
        const hidden = options.when_disturbed === 'hold' ? 'hold' : 'next-step';
        return retry(`Not shown: ${outcome.reason}`, { hidden });
      }
      if (outcome.type === 'failed') {
        if (outcome.unavailable) lookAgainLater();
        const possibleDuplicate = outcome.maybeShown ? { possibleDuplicate: true } : {};
        return retry(`Cannot show a pop-up: ${outcome.reason}`, possibleDuplicate);
      }
      nextSound = ownSoundOf(notification, options) ?? nextSound;
      if (nextSound !== null) playing ??= play();
      if (outcome.id === null) return delivered();
      const { backend, id, server } = outcome;
      return delivered({ ref: JSON.stringify({ backend: backend.name, id, server }) });
    },

    ...(canWithdraw && {
      async withdraw(ref: string, context: { readonly signal: AbortSignal }) {
        const shown = shownUnder(ref);
        if (shown?.backend?.withdraw === undefined) {
          return failed('Cannot withdraw the pop-up: its backend does not support this');
        }
        const trouble = await shown.backend.withdraw(shown.id, context.signal, shown.server);
        return trouble === null ? delivered() : retry(`Cannot withdraw the pop-up: ${trouble}`);
      },
    }),

    ...(backends.some((backend) => backend.resubscribe !== undefined) && {
      async resubscribe(ref: string, notification: Notification) {
        const { backend, id, server } = shownUnder(ref) ?? {};
        if (backend?.resubscribe === undefined || id === undefined || server === undefined) return;
        await warmUp();
        if (closing.signal.aborted) return;
        await backend.resubscribe(popUpOf(notification, options), { id, server });
      },
    }),

    takeClick: (link) => backends.some((backend) => backend.takeClick?.(link) === true),

    async check(signal) {
      const [found, silent] = await Promise.all([
        checkChain(chain, signal, { ...options, platform: dependencies.platform }),
        checkSounds(),
      ]);
      if (silent === null || !found.ok) return found;
      const hint = 'Correct "sounds" of the channel, or install what plays it';
      return { ok: true, summary: `${found.summary}; a sound cannot be played: ${silent}`, hint };
    },

    async close() {
      clearTimeout(warmUpLater);
      closing.abort();
      clearTimeout(lookAgain ?? undefined);
      stopWatching?.();
      await warm;
      await looking;
      await playing;
      for (const backend of backends) await backend.close?.();
    },
  };
}

async function checkChain(
  chain: ReturnType<typeof createFallbackChain>,
  signal: AbortSignal,
  { platform, click }: Pick<DesktopOptions, 'click'> & { readonly platform: NodeJS.Platform },
): Promise<ChannelCheck> {
  const surveyed = await chain.survey(signal);
  const best = surveyed.findIndex(({ usable }) => usable);
  const chosen = surveyed[best];
  const hint = hintFor(platform, surveyed[0]?.detail ?? '');
  const better = surveyed
    .slice(0, chosen === undefined ? undefined : best)
    .map(({ backend, detail }) => `${backend.name}: ${detail}`);
  if (chosen === undefined) {
    const detail = surveyed[0]?.detail ?? 'no method is known';
    return { ok: false, summary: `No desktop to show a pop-up on: ${detail}`, hint };
  }
  if (!isPopUp(chosen.backend) && surveyed[0] !== undefined && best > 0) {
    const instead = `${surveyed[0].detail}; the session's terminal is used instead`;
    return { ok: true, summary: `No desktop to show a pop-up on: ${instead}`, hint };
  }
  const passedOver = better.length === 0 ? '' : `; passed over: ${better.join('; ')}`;
  const summary = `${chosen.backend.name}, ${clickWords(chosen.backend, click)} (${chosen.detail})${passedOver}`;
  return { ok: true, summary };
}

function clickWords(backend: Backend, click: DesktopOptions['click']): string {
  if (backend.reacts?.() !== true) return 'a click does not acknowledge';
  const forward = click === 'focus' ? ' and brings the terminal forward' : '';
  return `a click acknowledges${forward}, ${answerTexts[backend.answers?.() ?? 'none']}`;
}

const answerTexts: Readonly<Record<Answering, string>> = {
  inline: 'with "reply_page" you answer in it',
  button: 'with "reply_page" a button opens the page for answers',
  none: 'it cannot be used to answer',
};

function hintFor(platform: NodeJS.Platform, trouble: string): string {
  if (platform === 'darwin') return 'Install alerter: brew install vjeantet/tap/alerter';
  if (platform === 'win32') return 'Make Windows PowerShell runnable for this user';
  return trouble.startsWith('no notification server')
    ? 'Start a notification server such as dunst in this desktop'
    : 'Run "hookbell restart" in a terminal on your desktop; if this machine has no desktop, add another channel with "hookbell channel add"';
}
