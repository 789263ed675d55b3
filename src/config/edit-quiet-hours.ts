import { isMap, isSeq, parseDocument } from 'yaml';

import { UsageError } from '../platform/errors.ts';
import {
  addPair,
  addSection,
  nodeAt,
  removeSection,
  replacePair,
  withEdits,
} from './yaml-edits.ts';

/** One window, with times of the day such as "22:00". */
export interface QuietWindow {
  readonly from: string;
  readonly to: string;
}

const KEY = 'quiet_hours';

/**
 * Returns the text of a configuration with these quiet hours, or without any (null). All other text is as it was, and other
 * settings of the window, such as its days, are kept.
 *
 * @param written a valid configuration
 * @throws UsageError if it has several windows, or is written in a way that only a person should change
 */
export function withQuietHours(written: string, window: QuietWindow | null): string {
  const text = written === '' || written.endsWith('\n') ? written : `${written}\n`;
  const document = parseDocument(text);
  const root = document.contents;
  const present = isMap(root) && root.has(KEY);
  if (window === null) {
    if (!present) return written;
    if (root.flow === true) throw byHand('the whole configuration is in braces');
    const rest = withEdits(text, [removeSection(text, root, KEY)]);
    // An empty file would look like one that is being written.
    return rest.trim() === '' ? '{}\n' : rest;
  }
  const [from, to] = [JSON.stringify(window.from), JSON.stringify(window.to)];
  const value = `{ from: ${from}, to: ${to} }`;
  if (!present) {
    const isFlow = isMap(root) && root.flow === true;
    const section = addSection(text, null, '', `${KEY}: ${value}\n`);
    return withEdits(text, [isFlow ? addPair(text, root, KEY, value) : section]);
  }
  const listed = nodeAt(document, [KEY]);
  const hours = isSeq(listed) && listed.items.length === 1 ? listed.items[0] : listed;
  if (!isMap(hours)) throw byHand('there are several windows');
  return withEdits(text, [
    replacePair(hours, 'from', 'from', from),
    replacePair(hours, 'to', 'to', to),
  ]);
}

function byHand(reason: string): UsageError {
  return new UsageError(`Cannot change "${KEY}" of the configuration: ${reason}`, {
    hint: 'Change it in an editor: the daemon loads it when it is saved',
  });
}
