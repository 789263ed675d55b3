export type CheckState = 'ok' | 'warning' | 'problem' | 'skipped';

/** The result of one check of `doctor`. */
export interface Check {
  readonly name: string;
  /** `problem`: hookbell cannot do its work. `warning`: it can, but something is wrong. */
  readonly state: CheckState;
  /** One line for people. */
  readonly summary: string;
  /** What to do about it; null if nothing. */
  readonly hint: string | null;
}

/** A possible finding. `docs/troubleshooting.md` is generated from these, so that the page and `doctor` agree. */
export interface CheckTrouble {
  readonly state: 'warning' | 'problem';
  /** What it means; a sentence without a full stop. */
  readonly meaning: string;
  /** What to do about it, with `{name}` for values to fill in; null if it depends on the case. */
  readonly remedy: string | null;
}

/** What a check covers and what it may find. */
export interface CheckGuide {
  /** As `doctor` shows it; NAME stands for an agent or a channel. */
  readonly name: string;
  /** A sentence without a full stop. */
  readonly about: string;
  readonly troubles: Readonly<Record<string, CheckTrouble>>;
}

/** Returns the check result for this trouble. */
export function found(
  name: string,
  { state, remedy }: CheckTrouble,
  summary: string,
  values: Readonly<Record<string, string>> = {},
): Check {
  const hint =
    remedy?.replaceAll(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole) ?? null;
  return { name, state, summary, hint };
}

export function ok(name: string, summary: string, hint: string | null = null): Check {
  return { name, state: 'ok', summary, hint };
}

export function warning(name: string, summary: string, hint: string | null): Check {
  return { name, state: 'warning', summary, hint };
}

export function skipped(name: string, summary: string): Check {
  return { name, state: 'skipped', summary, hint: null };
}
