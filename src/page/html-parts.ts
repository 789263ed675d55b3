import { ageText } from '../text/duration.ts';
import { escapeHtml, lineHtml } from '../text/escape.ts';
import { cutText, displayLine, displayText } from '../text/sanitize.ts';
import { STYLE_PATH } from './page-assets.ts';

/** A row of a list on the page. Its HTML has placeholders, so that it is the same for every browser and at any time. */
export interface PageRow {
  readonly id: string;
  readonly html: string;
}

/** A part of the page that changes by itself. */
export interface PageRegion {
  readonly id: string;
  readonly rows: readonly PageRow[];
}

/** Text of others beside our own, on one line. */
export function line(text: string, max = 400): string {
  return lineHtml(text, max);
}

/** Text of others in an attribute. */
export function inAttribute(text: string): string {
  return escapeHtml(cutText(displayLine(text), 400));
}

/** Text of others with its lines. */
export function lines(text: string): string {
  return escapeHtml(displayText(text));
}

/** An age that goes on counting; escaped text cannot contain the placeholder. */
export function age(iso: string): string {
  return `<age ${iso}>`;
}

/** A time of day, in the zone of the browser. */
export function clock(iso: string): string {
  return `<clock ${iso}>`;
}

/** What every form repeats, to show that this page made it. */
export const TOKEN_FIELD = '<token>';

/** A form of buttons that do something; `hidden`: what they do it to. */
export function actionForm(
  action: string,
  hidden: Readonly<Record<string, string>>,
  content: string,
): string {
  const fields = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  return `<form class="act" method="post" action="<root>do/${action}" autocomplete="off">${TOKEN_FIELD}${fields.join('')}${content}</form>`;
}

export interface Finishing {
  /** The address of the page up to the key, such as "/AbC…/". */
  readonly root: string;
  readonly formToken: string;
  readonly now: number;
}

/** Fills in what differs between browsers and changes with time. */
export function finish(html: string, { root, formToken, now }: Finishing): string {
  return html
    .replaceAll('<root>', root)
    .replaceAll(TOKEN_FIELD, `<input type="hidden" name="token" value="${formToken}">`)
    .replaceAll(
      /<age ([\dTZ:.-]+)>/g,
      (_, iso: string) =>
        `<time datetime="${iso}" data-age title="${timeText(iso)}">${ageText(now - Date.parse(iso))}</time>`,
    )
    .replaceAll(
      /<clock ([\dTZ:.-]+)>/g,
      (_, iso: string) =>
        `<time datetime="${iso}" data-clock title="${timeText(iso)}">${timeText(iso).slice(11, 16)}</time>`,
    );
}

const two = (number: number): string => String(number).padStart(2, '0');

/** In the zone of this machine; the script of the page replaces it by that of the browser. */
function timeText(iso: string): string {
  const at = new Date(iso);
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** A list that is filled and changed row by row. Without rows it has no content at all, by which the style sheet knows. */
export function regionHtml({ id, rows }: PageRegion): string {
  return `<div class="region" id="${id}">${rows.map(({ html }) => html).join('\n')}</div>`;
}

/**
 * The beginning of a page, up to its body.
 *
 * @param more elements besides its title, its style sheet and its icon
 */
export function headHtml(
  { title, root }: { readonly title: string; readonly root: string },
  more: string,
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${inAttribute(title)} · hookbell</title>
<link rel="stylesheet" href="${root}${STYLE_PATH}">
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
${more}
</head>`;
}
