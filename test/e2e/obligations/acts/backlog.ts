import { rm } from 'node:fs/promises';

import { memoryMb } from '../../../../bench/support/process-figures.ts';
import { putEnvelope } from '../../../support/envelopes.ts';
import { claimNamed, payloadOf } from '../claim.ts';
import { untilQuiet } from '../site.ts';
import type { Act } from './act.ts';

const PEAK_MB = 150;

let played = 0;

/** Left by hooks while no daemon ran; written here as they do it, only faster. */
export function backlog(envelopes: number): Act {
  return {
    name: `${envelopes} envelopes wait for a daemon that has 150 MB (faults 8, 25)`,
    async run(site) {
      const { paths } = site.place;
      await site.kill();
      // Without this script no hook can start a daemon.
      await rm(paths.launch, { force: true });
      played += 1;
      for (let number = 0; number < envelopes; number += 1) {
        const claim = claimNamed(`backlog${played}`, number, 'nobody');
        await putEnvelope(paths.spool, payloadOf(claim), { facts: { agent: 'claude' } });
        site.ledger.owe(claim);
      }
      const pid = await site.start();
      await untilQuiet(site);
      const peakMb = memoryMb(pid, 'VmHWM');
      if (peakMb > PEAK_MB) throw new Error(`The daemon took ${peakMb.toFixed(0)} MB`);
    },
  };
}
