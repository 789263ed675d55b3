import type { PopUp, Backend, Shown, Displayed } from './rung.ts';

/** A rung that failed is tried last for so long, ms; after that it gets its place back if its probe passes. */
const PASSED_OVER_MS = 10_000;

export type Climbed =
  | (Extract<Shown, { readonly type: 'shown' }> & { readonly rung: Backend })
  | {
      readonly type: 'failed';
      readonly reason: string;
      readonly maybeShown: boolean;
      /** No way to show a pop-up passed its probe: there is no desktop. */
      readonly unavailable: boolean;
    };

/**
 * The ways to show a pop-up, best first. A rung is
 *
 * - unknown, until its first probe;
 * - usable, from a probe that passed until a pop-up fails on it: no probe in between;
 * - passed over, from a failed probe or pop-up on: it goes to the end of the ladder for `PASSED_OVER_MS` and is probed
 *   before it is used again.
 */
export interface FallbackChain {
  /** Shows it by the first rung that can; each is tried once. */
  show(popUp: PopUp, signal: AbortSignal): Promise<Climbed>;
  /** What showed the latest pop-up, or null before the first. */
  latest(): Backend | null;
  /**
   * Probes from the top down to the first usable rung, so that the first pop-up need not wait for it; answers whether that
   * shows pop-ups.
   */
  warmUp(signal: AbortSignal): Promise<boolean>;
  /** Probes every rung anew. */
  survey(signal: AbortSignal): Promise<readonly (Displayed & { readonly rung: Backend })[]>;
}

export function createFallbackChain(rungs: readonly Backend[], now: () => number): FallbackChain {
  const standings = new Map<Backend, Displayed & { readonly at: number }>();
  let latest: Backend | null = null;

  function keep(rung: Backend, standing: Displayed): Displayed {
    standings.set(rung, { ...standing, at: now() });
    return standing;
  }

  /** Each reason once, in the order of the ladder: the best way comes first. */
  function told(reasons: ReadonlyMap<Backend, string>): readonly string[] {
    const said = rungs.map((rung) => reasons.get(rung)).filter((reason) => reason !== undefined);
    return [...new Set(said)].map((reason) => {
      const names = rungs.filter((rung) => reasons.get(rung) === reason).map(({ name }) => name);
      return `${reason} (${names.join(', ')})`;
    });
  }

  function wasPassedOver(rung: Backend): boolean {
    const standing = standings.get(rung);
    return standing !== undefined && !standing.usable && now() - standing.at < PASSED_OVER_MS;
  }

  return {
    async show(popUp, signal) {
      const look = { signal };
      const order = [
        ...rungs.filter((rung) => !wasPassedOver(rung)),
        ...rungs.filter((rung) => wasPassedOver(rung)),
      ];
      const reasons = new Map<Backend, string>();
      let maybeShown = false;
      let unavailable = true;
      for (const rung of order) {
        if (signal.aborted) break;
        const known = standings.get(rung);
        const standing = known?.usable ? known : keep(rung, await rung.probe(look));
        if (!standing.usable) {
          reasons.set(rung, standing.detail);
          continue;
        }
        unavailable &&= !isPopUp(rung);
        const shown: Shown = await rung.show(popUp, signal);
        if (shown.type === 'shown') {
          latest = rung;
          return { ...shown, rung };
        }
        reasons.set(rung, shown.reason);
        if (shown.type === 'failed') {
          keep(rung, { usable: false, detail: shown.reason });
          maybeShown ||= shown.maybeShown;
        }
      }
      unavailable &&= !signal.aborted && rungs.some(isPopUp);
      const stopped = signal.aborted ? ['stopped'] : [];
      if (unavailable) {
        // Without a desktop the other ways to show a pop-up only say the same in other words.
        for (const rung of rungs.filter(isPopUp).slice(1)) reasons.delete(rung);
      }
      const reason = [...told(reasons), ...stopped].join('; ');
      return { type: 'failed', reason, maybeShown, unavailable };
    },

    latest: () => latest,

    async warmUp(signal) {
      const look = { signal };
      for (const rung of rungs) {
        if (keep(rung, await rung.probe(look)).usable) return isPopUp(rung);
      }
      return false;
    },

    async survey(signal) {
      const look = { signal };
      const surveyed = [];
      for (const rung of rungs) surveyed.push({ rung, ...keep(rung, await rung.probe(look)) });
      return surveyed;
    },
  };
}

/** The terminal takes what no desktop shows, if the session has one. */
export function isPopUp({ name }: Pick<Backend, 'name'>): boolean {
  return name !== 'terminal';
}
