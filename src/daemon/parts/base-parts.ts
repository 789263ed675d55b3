import { homedir } from 'node:os';

import type { ConfigHolder, ConfigListener } from '../../config/config-holder.ts';
import type { Reaction } from '../../core/channel.ts';
import { createWarnings } from '../../delivery/warnings.ts';
import { timeOrderedId } from '../../platform/crypto.ts';
import { createSignal } from '../../platform/lifecycle.ts';
import { systemClock } from '../../platform/time.ts';
import { createRandomPool } from '../decide-now.ts';
import { type DaemonOptions, type Foundation, openBase } from '../open-base.ts';
import { transcriptTails, transcriptTitles } from '../transcripts/transcript-title.ts';
import { restartWarning } from '../warning-texts.ts';

/** What every part may use: a part takes it whole, and names what is particular to it beside. */
export type Base = Awaited<ReturnType<typeof createBase>>;

/** Notices from parts created early to parts created later. */
function createSignals() {
  return {
    /** Events were committed. */
    committed: createSignal(),
    /** Deliveries may be due, by something that a person or a process did. */
    due: createSignal(),
    /** Another process on the same database may have left something to send. */
    elsewhere: createSignal(),
    /** A request of this machine is held, answered, or no longer held. */
    questionsChanged: createSignal(),
    /** What the page shows may have changed. */
    pageChanged: createSignal(),
    /** The disk has room again. */
    hasRoom: createSignal(),
    /** A person reacted to a notification. */
    reactions: createSignal<[channel: string, reaction: Reaction]>(),
  };
}

export async function createBase(options: DaemonOptions, foundation: Foundation) {
  const { paths, env, restartedBecause } = options;
  const { log, lifecycle } = foundation;
  // The store brings its own clock: with several processes, that of the database.
  let clock = systemClock;
  const now = (): number => clock();
  const random = createRandomPool();
  const newId = (): string => timeOrderedId(now(), random(10));
  const warnings = createWarnings({ now, newId, log });
  if (restartedBecause !== null) warnings.raise('restart', restartWarning(restartedBecause));
  const signals = createSignals();
  const onWork = signals.elsewhere.emit;
  const opened = await openBase(options, { warnings, log, lifecycle, onWork });
  clock = opened.now;
  const { config: configHolder, files } = opened;
  const user = { files, home: homedir(), uid: process.geteuid?.() ?? null };
  return {
    ...opened,
    ...user,
    config: () => configHolder.current(),
    configHolder,
    programChannels: (): readonly string[] => configHolder.current().policy.programChannels,
    readTranscriptTitle: transcriptTitles(user),
    readTail: transcriptTails(user),
    paths,
    env,
    platform: process.platform,
    now,
    newId,
    randomBytes: random,
    log,
    lifecycle,
    warnings,
    signals,
  };
}

/** Gives a part each new configuration, and each new value of a secret. Returns the part. */
export function reconfigured<Part extends { reconfigure: ConfigListener }>(
  holder: Pick<ConfigHolder, 'onChange' | 'onSecrets'>,
  part: Part,
  onSecrets: ConfigListener | null = part.reconfigure,
): Part {
  holder.onChange((next) => part.reconfigure(next));
  if (onSecrets !== null) holder.onSecrets(onSecrets);
  return part;
}
