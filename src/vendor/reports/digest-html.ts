import { escapeHtml } from '../../text/escape.ts';
import { mailPage } from '../../text/mail-page.ts';
import type { Bar, Block, Digest, Figure, Point, Section } from './digest-blocks.ts';

/** Maximum length of lists in text: chats show less than mails. */
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
    // A course needs graphics.
    case 'course':
      return '';
  }
}

const BLUE = '#0969da';
const TRACK = '#d8dee4';
/** Height of the highest column of a course, px. */
const COURSE_HEIGHT = 48;

/**
 * The digest as a page for mail programs: bars and courses are table cells, without images or scripts. All untrusted text is
 * escaped.
 */
export function digestHtml({ title, remarks, sections }: Digest): string {
  return mailPage({
    title,
    width: 640,
    text: [14, 20],
    content: `<h1 class="text" style="margin:0 0 8px;font-size:20px;line-height:26px;font-weight:600;color:#1f2328">${escapeHtml(title)}</h1>
${remarks.map((remark) => `<div class="text" style="margin:0 0 8px;padding:6px 10px;border-left:4px solid #bf8700;color:#1f2328">${escapeHtml(remark)}</div>`).join('\n')}
${sections.map(sectionHtml).join('\n')}
<div class="faint" style="margin-top:20px;font-size:12px;color:#59636e">Signed percentages compare with the same days of the week before. Standard credits are neither tokens nor money. Sent by hookbell.</div>`,
  });
}

function sectionHtml({ title, blocks }: Section): string {
  return `<h2 class="text" style="margin:22px 0 8px;font-size:16px;line-height:22px;font-weight:600;color:#1f2328">${escapeHtml(title)}</h2>
${blocks.map(blockHtml).join('\n')}`;
}

function blockHtml(block: Block): string {
  switch (block.type) {
    case 'figures':
      return `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>${block.figures.map(figureHtml).join('')}</tr></table>`;
    case 'bars':
      return block.bars.length === 0 ? '' : `${headingHtml(block.title)}${barsHtml(block.bars)}`;
    case 'course':
      return `${headingHtml(block.title)}${courseHtml(block.points)}`;
  }
}

function headingHtml(text: string): string {
  return `<div class="faint" style="margin:10px 0 4px;font-size:12px;color:#59636e">${escapeHtml(text)}</div>`;
}

function figureHtml({ label, value, change }: Figure): string {
  const against =
    change === null
      ? ''
      : ` <span class="faint" style="font-size:12px;color:#59636e">${escapeHtml(change)}</span>`;
  return `<td valign="top" style="padding:0 18px 0 0"><div class="text" style="white-space:nowrap;font-size:18px;line-height:24px;font-weight:600;color:#1f2328">${escapeHtml(value)}${against}</div><div class="faint" style="font-size:12px;line-height:16px;color:#59636e">${unbrokenDates(label)}</div></td>`;
}

/** A line breaks before a date, not within it. */
function unbrokenDates(label: string): string {
  return escapeHtml(label).replaceAll(
    /\d{4}-\d\d-\d\d/g,
    '<span style="white-space:nowrap">$&</span>',
  );
}

/** One row per bar: label, a cell split in two, and the value. */
function barsHtml(bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ amount }) => amount));
  const rows = bars.map(({ label, amount, value, change }) => {
    // A bar of zero length is invisible, and some programs widen a cell of 0 %.
    const width = Math.max(1, Math.round((amount / most) * 100));
    const rest =
      width === 100
        ? ''
        : `<td class="track" bgcolor="${TRACK}" style="background:${TRACK};font-size:0">&nbsp;</td>`;
    return `<tr><td class="text" width="34%" dir="auto" style="padding:2px 8px 2px 0;font-size:13px;color:#1f2328;overflow-wrap:anywhere">${escapeHtml(label)}</td><td width="36%" style="padding:2px 0"><table role="presentation" width="100%" height="10" cellpadding="0" cellspacing="0" border="0"><tr><td width="${width}%" bgcolor="${BLUE}" style="background:${BLUE};font-size:0">&nbsp;</td>${rest}</tr></table></td><td class="text" width="30%" align="right" style="padding:2px 0 2px 8px;font-size:13px;color:#1f2328">${escapeHtml(value)}${change === null ? '' : ` <span class="faint" style="color:#59636e">${escapeHtml(change)}</span>`}</td></tr>`;
  });
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">${rows.join('')}</table>`;
}

/** One cell per day, with a coloured one as high as its amount at the bottom; days without data have none. */
function courseHtml(points: readonly Point[]): string {
  const most = Math.max(1, ...points.map(({ amount }) => amount ?? 0));
  const cells = points.map(({ day, amount }) => {
    const height = amount === null ? 0 : Math.max(1, Math.round((amount / most) * COURSE_HEIGHT));
    const column =
      amount === null
        ? '<span class="faint" style="font-size:10px;line-height:12px;color:#59636e">?</span>'
        : `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td height="${height}" bgcolor="${BLUE}" style="height:${height}px;background:${BLUE};font-size:0;line-height:0">&nbsp;</td></tr></table>`;
    return `<td valign="bottom" align="center" height="${COURSE_HEIGHT}" title="${escapeHtml(day)}" style="padding:0 1px;height:${COURSE_HEIGHT}px">${column}</td>`;
  });
  const from = points[0]?.day ?? '';
  const to = points.at(-1)?.day ?? '';
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed"><tr>${cells.join('')}</tr></table><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="faint" style="font-size:11px;color:#59636e">${escapeHtml(from)}</td><td class="faint" align="right" style="font-size:11px;color:#59636e">${escapeHtml(to)}</td></tr></table>`;
}
