import { cutMiddle, displayLine } from '../text/sanitize.ts';
import { ageText } from '../text/duration.ts';
import { escapeXml } from '../text/escape.ts';

/** What a bar shows of a session that waits. */
export interface WaitingSession {
  readonly name: string;
  /** Unix ms. */
  readonly since: number;
}

export const lineFormats = ['plain', 'waybar', 'tmux'] as const;
export type LineFormat = (typeof lineFormats)[number];

const NAME_LENGTH = 24;
const MOST_LISTED = 10;

/** One line for a bar, such as "2 wait · shop 4 min"; the session that waits longest is first. */
export function statusLine(
  waiting: readonly WaitingSession[],
  now: number,
  format: LineFormat,
  template = '{line}',
): string {
  const [first] = waiting;
  const count = String(waiting.length);
  const name = (session: WaitingSession) => cutMiddle(displayLine(session.name), NAME_LENGTH);
  const age = ({ since }: WaitingSession) => ageText(now - since);
  const verb = waiting.length === 1 ? 'waits' : 'wait';
  const fill = (line: string, escape: (text: string) => string): string => {
    if (first === undefined) return '';
    const values = { count, name: escape(name(first)), age: age(first), line };
    return template.replaceAll(
      /\{(count|name|age|line)\}/g,
      (_, key: keyof typeof values) => values[key],
    );
  };
  const lineOf = (escape: (text: string) => string) =>
    first === undefined ? '' : `${count} ${verb} · ${escape(name(first))} ${age(first)}`;
  switch (format) {
    case 'plain':
      return fill(
        lineOf((text) => text),
        (text) => text,
      );
    case 'tmux': {
      const line = lineOf(escapeTmux);
      return fill(`#[fg=yellow]${line}#[default]`, escapeTmux);
    }
    case 'waybar': {
      const tooltip = waiting
        .slice(0, MOST_LISTED)
        .map((one) => `${escapeXml(name(one))} ${age(one)}`);
      return JSON.stringify({
        text: fill(lineOf(escapeXml), escapeXml),
        tooltip: tooltip.join('\n'),
        class: first === undefined ? 'idle' : 'waiting',
        alt: first === undefined ? 'idle' : 'waiting',
      });
    }
  }
}

function escapeTmux(text: string): string {
  return text.replaceAll('#', '##');
}
