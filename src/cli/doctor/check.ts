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

export function ok(name: string, summary: string, hint: string | null = null): Check {
  return { name, state: 'ok', summary, hint };
}

export function warning(name: string, summary: string, hint: string | null): Check {
  return { name, state: 'warning', summary, hint };
}

export function problem(name: string, summary: string, hint: string | null): Check {
  return { name, state: 'problem', summary, hint };
}

export function skipped(name: string, summary: string): Check {
  return { name, state: 'skipped', summary, hint: null };
}
