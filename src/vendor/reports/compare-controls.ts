import type { ControlChange } from '../client/index.ts';
import type { Redactor } from '../../text/redact.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import { diffSettings, type SettingChange } from './diff-settings.ts';

/** One changed setting, ready to be shown and stored, without secrets. */
export interface ShownChange extends Omit<SettingChange, 'path'> {
  /** Such as `sandbox.network.allowedDomains` or `customModels["custom:llm"].apiKey`. */
  readonly path: string;
}

/** A revision in a comparison. */
export interface Revision {
  readonly revision: number;
  /** As the service wrote it. */
  readonly updatedAt: string | null;
  readonly by: Author;
}

/** Who made a change, cleaned for display. */
export interface Author {
  readonly id: string | null;
  readonly email: string | null;
  readonly name: string | null;
}

export interface ControlComparison {
  /** Null without an older revision. */
  readonly before: Revision | null;
  readonly after: Revision;
  /** Loosening changes first, then by path. */
  readonly changes: readonly ShownChange[];
}

/** Compares a revision of the control settings with an earlier one. @param redactor for values that look like secrets */
export function compareControls(
  before: ControlChange | null,
  after: ControlChange,
  redactor: Redactor,
): ControlComparison {
  const found = before === null ? [] : diffSettings(before.settings, after.settings);
  const changes = found.map((change) => shown(change, redactor));
  return {
    before: before === null ? null : revisionOf(before),
    after: revisionOf(after),
    changes: changes.toSorted(
      (one, other) =>
        Number(one.loosens === null) - Number(other.loosens === null) ||
        one.path.localeCompare(other.path),
    ),
  };
}

export function revisionOf({ revision, updatedAt, user }: ControlChange): Revision {
  return {
    revision,
    updatedAt: textOf(updatedAt),
    by: { id: textOf(user?.id), email: textOf(user?.email), name: textOf(user?.name) },
  };
}

function shown({ path, values, entries, ...rest }: SettingChange, redactor: Redactor): ShownChange {
  const list = (texts: readonly string[]): readonly string[] => texts.map(redactor.text);
  return {
    ...rest,
    path: redactor.text(pathText(path)),
    values:
      values === null
        ? null
        : { before: redactor.value(values.before), after: redactor.value(values.after) },
    entries:
      entries === null ? null : { added: list(entries.added), removed: list(entries.removed) },
  };
}

/** Names that are not identifiers are quoted, as in a program. */
function pathText(path: readonly string[]): string {
  const text = path
    .map((name) => {
      if (/^\d+$/.test(name)) return `[${name}]`;
      return /^[\w-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(displayLine(name))}]`;
    })
    .join('');
  return cutText(text.replace(/^\./, ''), 200) || 'the settings';
}

function textOf(text: string | null | undefined): string | null {
  return cutText(displayLine(text ?? ''), 200) || null;
}
