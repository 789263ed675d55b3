import type { Block, Digest } from './digest-blocks.ts';

/** The longest lists here: a chat shows less than a mail. */
const MOST_BARS = 5;

/** The digest as plain text, the title as its first line; for mail programs without HTML, chats and terminals. */
export function digestText({ title, remarks, sections }: Digest): string {
  const parts = sections.map(({ title: heading, blocks }) =>
    [heading.toUpperCase(), ...blocks.map(blockText).filter((text) => text !== '')].join('\n'),
  );
  return [[title, ...remarks].join('\n'), ...parts].join('\n\n');
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'figures':
      return block.figures
        .map(
          ({ label, value, change }) => `${value} ${label}${change === null ? '' : ` (${change})`}`,
        )
        .join(' · ');
    case 'bars': {
      if (block.bars.length === 0) return '';
      const shown = block.bars.slice(0, MOST_BARS);
      const lines = shown.map(
        ({ label, value, change }) => `- ${label}: ${value}${change === null ? '' : `, ${change}`}`,
      );
      return [`${block.title}:`, ...lines].join('\n');
    }
    // Days side by side need a drawing.
    case 'course':
      return '';
  }
}
