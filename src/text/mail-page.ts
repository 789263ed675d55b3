import { escapeHtml } from './escape.ts';

/** Parts of a mail page; `edge` and `content` are HTML, with every foreign text escaped. */
export interface MailPage {
  readonly title: string;
  /** The widest the card becomes, px. */
  readonly width: number;
  /** Size and line height of its text, px. */
  readonly text: readonly [size: number, line: number];
  /** A table cell left of the content. */
  readonly edge?: string;
  readonly content: string;
}

/**
 * A page that works in mail programs: one card of tables with inline styles, which all of them support, and a dark
 * colour scheme for those that support it, through the classes page, card, text, faint and track. It loads no external
 * resources.
 */
export function mailPage({ title, width, text: [size, line], edge, content }: MailPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
.page { background: #0d1117 !important; }
.card { background: #161b22 !important; }
.text { color: #e6edf3 !important; }
.faint { color: #9198a1 !important; }
.track { background: #30363d !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f6f8fa">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f6f8fa"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:${width}px;background:#ffffff"><tr>
${edge === undefined ? '' : `${edge}\n`}<td align="left" style="padding:20px 24px;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:${size}px;line-height:${line}px">
${content}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}
