import { HookbellError } from '../../platform/errors.ts';

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

/**
 * A possible finding. `docs/troubleshooting.md` is generated from these, so that the page and `doctor` agree; what it means
 * stands in `scripts/troubleshooting-texts.mjs`.
 */
export interface CheckTrouble {
  readonly state: 'warning' | 'problem';
  /** What to do about it, with `{name}` for values to fill in; null if it depends on the case. */
  readonly remedy: string | null;
}

/** What a check may find. */
export interface CheckGuide {
  /** As `doctor` shows it; NAME stands for an agent or a channel. */
  readonly name: string;
  readonly troubles: Readonly<Record<string, CheckTrouble>>;
}

/** A guide, with the results that its check may have. */
export interface Guided<Trouble extends string> extends CheckGuide {
  readonly troubles: Readonly<Record<Trouble, CheckTrouble>>;
  /** @param hint more specific than the remedy */
  readonly found: (
    trouble: Trouble,
    summary: string,
    values?: Readonly<Record<string, string>>,
    hint?: string | null,
  ) => Check;
  readonly ok: (summary: string, hint?: string | null) => Check;
  readonly skipped: (summary: string) => Check;
  /** For one of several, such as a channel. */
  readonly named: (name: string) => Guided<Trouble>;
}

export function defineGuide<const Trouble extends string>(
  name: string,
  troubles: Readonly<Record<Trouble, CheckTrouble>>,
): Guided<Trouble> {
  return {
    name,
    troubles,
    found(trouble, summary, values = {}, hint = null) {
      const { state, remedy } = troubles[trouble];
      const filled = remedy?.replaceAll(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole);
      return { name, state, summary, hint: hint ?? filled ?? null };
    },
    ok: (summary, hint = null) => ({ name, state: 'ok', summary, hint }),
    skipped: (summary) => skipped(name, summary),
    named: (other) => defineGuide(other, troubles),
  };
}

export function warning(name: string, summary: string, hint: string): Check {
  return { name, state: 'warning', summary, hint };
}

export function skipped(name: string, summary: string): Check {
  return { name, state: 'skipped', summary, hint: null };
}

/** The answer of the daemon, or why it has none. */
export function orTrouble<Answer>(asked: Promise<Answer>): Promise<Answer | HookbellError> {
  return asked.catch((error: unknown) => {
    if (error instanceof HookbellError) return error;
    throw error;
  });
}
