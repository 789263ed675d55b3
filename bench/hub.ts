import { connected } from './hub/connected.ts';
import { kills } from './hub/kills.ts';
import { outage } from './hub/outage.ts';
import { throughput } from './hub/throughput.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';

/** Everything that docs/figures.md says about a hub, in one run: minutes on two cores. */
export const hub: Benchmark = {
  name: 'hub',
  async run() {
    const slowness = slownessOf(Array.from({ length: 20 }, () => nodeStartMs()));
    return [
      ...(await throughput.run()),
      ...(await connected(slowness)),
      ...(await outage(slowness)),
      ...(await kills()),
    ];
  },
};
