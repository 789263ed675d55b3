import { escapeHtml } from '../../core/escape-html.ts';
import type { Severity } from '../../core/notification.ts';
import type { MailContent } from './content.ts';

const colours: Readonly<Record<Severity, string>> = {
  critical: '#cf222e',
  warning: '#bf8700',
  info: '#0969da',
};

/**
 * The HTML part: one table with inline styles, which is what mail clients agree on, and a colour scheme of its own
 * for those that know dark mode. It loads nothing from anywhere, and every foreign text is escaped.
 */
export function htmlText({ severity, label, title, body, facts, remarks }: MailContent): string {
  const colour = colours[severity];
  const rows = facts.map(
    ([name, value]) =>
      `<tr><td class="faint" valign="top" style="padding:2px 16px 2px 0;color:#59636e;white-space:nowrap">${escapeHtml(name)}</td>` +
      `<td class="text" dir="auto" style="padding:2px 0;color:#1f2328;overflow-wrap:anywhere">${escapeHtml(value)}</td></tr>`,
  );
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
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f6f8fa">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f6f8fa"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;background:#ffffff"><tr>
<td width="6" bgcolor="${colour}" style="width:6px;background:${colour};font-size:0">&nbsp;</td>
<td align="left" style="padding:20px 24px;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:15px;line-height:22px">
<div class="faint" style="font-size:13px;color:#59636e">${label}</div>
<h1 class="text" dir="auto" style="margin:4px 0 12px;font-size:20px;line-height:26px;font-weight:600;color:#1f2328;overflow-wrap:anywhere">${escapeHtml(title)}</h1>
<div class="text" dir="auto" style="color:#1f2328;white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(body).replaceAll('\n', '<br>')}</div>
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin-top:16px;font-size:13px;line-height:18px">${rows.join('')}</table>
<div class="faint" style="margin-top:16px;font-size:12px;line-height:17px;color:#59636e">${remarks.map(escapeHtml).join('<br>')}</div>
</td></tr></table>
</td></tr></table>
</body>
</html>`;
}
