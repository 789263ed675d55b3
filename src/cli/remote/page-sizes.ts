/** Items a walk ends after unless `--max` says otherwise. */
export const DEFAULT_MAX = 1_000;

/** The largest page every list of the service gives. */
export const MAX_PAGE = 100;
