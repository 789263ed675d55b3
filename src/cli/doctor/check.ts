export type CheckState = 'ok' | 'warning' | 'problem' | 'skipped';

/** What `doctor` found out about one thing. */
export interface Check {
  readonly name: string;
  /** `problem`: hookbell cannot do its work. `warning`: it can, but something is not as it should be. */
  readonly state: CheckState;
  /** One line for people. */
  readonly summary: string;
  /** What to do about it; null when there is nothing to do. */
  readonly hint: string | null;
}

/** What may be found wrong. `docs/troubleshooting.md` is made of these, so that the page and `doctor` say the same. */
export interface Trouble {
  readonly state: 'warning' | 'problem';
  /** What it means, in a sentence without its full stop. */
  readonly meaning: string;
  /** What to do about it, `{name}` for values that are filled in; null where nobody knows before it happens. */
  readonly remedy: string | null;
}

/** What a check looks at and what it may find. */
export interface CheckGuide {
  /** As `doctor` shows it; NAME stands for an agent or a channel. */
  readonly name: string;
  /** A sentence without its full stop. */
  readonly about: string;
  readonly troubles: Readonly<Record<string, Trouble>>;
}

/** The check that found this trouble. */
export function found(
  name: string,
  { state, remedy }: Trouble,
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
