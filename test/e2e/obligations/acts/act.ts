import type { Site } from '../site.ts';

/** Something that goes wrong, and is well again when `run` ends. Before it nothing is on its way, and a daemon runs. */
export interface Act {
  /** As a clause: what happens, and the numbers of the faults it stands for. */
  readonly name: string;
  run(site: Site): Promise<void>;
  /** Why it cannot be played here; false where it can. */
  readonly impossible?: (site: Site) => string | false;
}

/** A wait of chance, ms. */
export function someTime({ random }: Pick<Site, 'random'>, from: number, to: number): number {
  return from + random() * (to - from);
}
