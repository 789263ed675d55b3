import { durationText } from '../core/duration-text.ts';
import type { Redact } from '../core/redact.ts';
import type { UsageCounters } from '../core/tally.ts';
import type { Figure, Section } from './digest-blocks.ts';
import { barsOf, figure } from './digest-counts.ts';

/** What hookbell did on this machine. @param tally null: it could not be asked */
export function ownSection(tally: UsageCounters | null, redact: Redact): Section | null {
  if (tally === null) return null;
  const { events, sent, questions, answered, waitsMs } = tally;
  const sorted = waitsMs.toSorted((one, other) => one - other);
  return {
    title: 'hookbell on this machine',
    blocks: [
      {
        type: 'figures',
        figures: [
          figure('events', events),
          figure('questions rung', questions),
          figure('answered', answered),
          time('agents waited, median', sorted[Math.floor((sorted.length - 1) / 2)]),
          time('longest', sorted.at(-1)),
        ],
      },
      {
        type: 'bars',
        title: 'messages by channel',
        bars: barsOf(
          Object.entries(sent).map(([name, count]) => ({ name, count })),
          redact,
        ),
      },
    ],
  };
}

function time(label: string, ms: number | undefined): Figure {
  return { label, value: ms === undefined ? '-' : durationText(ms), change: null };
}
