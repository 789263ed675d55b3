import type { Act } from './act.ts';
import { backlog } from './backlog.ts';
import { badChannels } from './bad-channels.ts';
import { badConfiguration } from './bad-configuration.ts';
import { clockJumps } from './clock-jumps.ts';
import { corruptDatabase } from './corrupt-database.ts';
import { deadChannel } from './dead-channel.ts';
import { deletedState } from './deleted-state.ts';
import { fullDisk } from './full-disk.ts';
import { fullTemporary } from './full-temporary.ts';
import { hungFolders } from './hung-folders.ts';
import { ioError } from './io-error.ts';
import { killed } from './killed.ts';
import { killedHooks } from './killed-hooks.ts';
import { lastMoment } from './last-moment.ts';
import { lostConfiguration } from './lost-configuration.ts';
import { muted } from './muted.ts';
import { powerCut } from './power-cut.ts';
import { readOnly } from './read-only.ts';
import { restarted } from './restarted.ts';
import { stopped } from './stopped.ts';
import { twoDaemons } from './two-daemons.ts';

/**
 * What is over in a few seconds each.
 *
 * @param envelopes how many wait in the large backlog
 */
export function quickActs({ envelopes }: { readonly envelopes: number }): readonly Act[] {
  return [
    killed,
    stopped,
    restarted,
    fullDisk,
    readOnly,
    ioError,
    clockJumps,
    badChannels,
    corruptDatabase,
    deletedState,
    twoDaemons,
    backlog(envelopes),
    muted,
    badConfiguration,
    killedHooks,
    lastMoment,
    powerCut,
    fullTemporary,
    hungFolders,
    lostConfiguration,
  ];
}

/** What takes longer, too. */
export function allActs(options: { readonly envelopes: number }): readonly Act[] {
  return [...quickActs(options), deadChannel];
}
