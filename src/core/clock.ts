/** Wall time, Unix ms. Injected, so that tests turn the hands. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
