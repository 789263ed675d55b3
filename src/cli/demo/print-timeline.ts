import { cutText, displayLine } from '../../core/sanitize.ts';
import type { Output } from '../output.ts';
import type { Entry, Show } from './timeline.ts';

const LINE_LENGTH = 150;
/** Below what it explains. */
const INDENT = ' '.repeat(21);

/** Shows what happens as it happens, for people. */
export function printingShow(output: Output): Show {
  const { paint } = output;
  return {
    act(title) {
      output.line();
      output.line(paint('bold', title));
    },
    entry(entry) {
      const time = `${(entry.atMs / 1_000).toFixed(1)} s`.padStart(8);
      output.line(`${paint('dim', time)}  ${placeOf(entry, paint)} ${cut(entry.what)}`);
      if (entry.why !== null) output.line(paint('dim', `${INDENT}${cut(entry.why)}`));
    },
  };
}

function placeOf({ type, channel }: Entry, paint: Output['paint']): string {
  const word = (channel ?? '').padEnd(8);
  switch (type) {
    case 'ring':
      return paint('green', `🔔 ${word}`);
    case 'withdrawal':
      return paint('cyan', `↩  ${word}`);
    case 'silence':
      return paint('dim', `·  ${word}`);
    case 'hook':
      return `▸  ${'agent'.padEnd(8)}`;
    case 'you':
      return paint('yellow', `▸  ${'you'.padEnd(8)}`);
    case 'service':
      return `▸  ${'service'.padEnd(8)}`;
    case 'daemon':
      return paint('red', `▸  ${'daemon'.padEnd(8)}`);
  }
}

function cut(text: string): string {
  return cutText(displayLine(text), LINE_LENGTH);
}
