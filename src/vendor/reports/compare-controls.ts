import type { ControlChange } from '../client/index.ts';
import type { Redactor } from '../../text/redact.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import { diffSettings, type Entries, type SettingChange } from './diff-settings.ts';

/** One changed setting, ready to be shown and stored, without secrets. */
export interface ShownChange extends Omit<SettingChange, 'path'> {
  /** Such as `sandbox.network.allowedDomains` or `customModels["custom:llm"].apiKey`. */
  readonly path: string;
}

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
  const changes = found.map((change) => shownChange(change, redactor));
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

function shownChange(
  { path, values, entries, ...rest }: SettingChange,
  redactor: Redactor,
): ShownChange {
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

const MOST_LINES = 15;
const VALUE_LENGTH = 120;

/** The text of an alert about a revision of the control settings. */
export function controlTexts({ before, after, changes }: ControlComparison): NoticeTexts {
  const loosening = changes.filter(({ loosens }) => loosens !== null);
  const verb = loosening.length > 0 ? 'loosened' : 'changed';
  const shown = changes.slice(0, MOST_LINES);
  const rest = changes.length - shown.length;
  const old = before === null ? '' : `${before.revision} `;
  return {
    headline: `${authorText(after.by)} ${verb} the enterprise controls${whatText(changes)}`,
    details: [
      ...shown.map(changeText),
      ...(rest > 0
        ? [`and ${rest} more: hookbell service controls diff ${old}${after.revision}`]
        : []),
      ...(before === null ? ['Changes unknown: no earlier revision available'] : []),
      ...(before !== null && changes.length === 0 ? ['No settings differ'] : []),
      revisionText(before, after),
    ].join('\n'),
  };
}

function whatText([first, ...more]: readonly ShownChange[]): string {
  if (first === undefined) return '';
  return `: ${first.path}${more.length === 0 ? '' : ` and ${more.length} more`}`;
}

/** One line: path, old and new value, and whether it loosens something. For secrets: set, changed or removed. */
export function changeText(change: ShownChange): string {
  const mark = change.loosens === null ? '' : ` (high: ${change.loosens})`;
  return `${change.path} ${becameText(change)}${mark}`;
}

function becameText({ change, values, entries }: ShownChange): string {
  if (values === null) return `was ${change} (a secret)`;
  if (entries !== null) return entriesText(change, entries);
  return `${valueText(values.before)} -> ${valueText(values.after)}`;
}

function entriesText(change: ShownChange['change'], { added, removed }: Entries): string {
  const word = change === 'changed' ? '' : `was ${change} `;
  if (added.length + removed.length === 0) return word.trim() || 'was reordered';
  const list = [
    ...removed.map((entry) => `- ${valueText(entry)}`),
    ...added.map((entry) => `+ ${valueText(entry)}`),
  ];
  return cutText(`${word}${list.join(' ')}`, 4 * VALUE_LENGTH);
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'not set';
  return cutText(displayLine(JSON.stringify(value)), VALUE_LENGTH);
}

function revisionText(before: Revision | null, { revision, by, updatedAt }: Revision): string {
  const from = before === null ? '' : ` after ${before.revision}`;
  const when = updatedAt === null ? '' : ` on ${timeText(updatedAt)}`;
  const address = by.email === null || by.email === authorText(by) ? '' : ` (${by.email})`;
  return `Revision ${revision}${from}, by ${authorText(by)}${address}${when}`;
}

/** The text of the service if it is not a valid time. */
export function timeText(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function authorText({ name, email, id }: Author): string {
  return name ?? email ?? id ?? 'Someone';
}

/** The text of an alert: a one-line headline, and the lines below it. */
export interface NoticeTexts {
  readonly headline: string;
  readonly details: string;
}
