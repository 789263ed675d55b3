// A message for Slack as HTML, for docs/images: its blocks in Slack's arrangement, as far as hookbell uses them.
import { readFileSync } from 'node:fs';

const icon = readFileSync(new URL('../config/icons/hookbell.png', import.meta.url));

/** @param message as the channel posts it */
export function slackPage({ blocks, attachments }) {
  const bars = attachments
    .filter((attachment) => attachment.blocks !== undefined)
    .map(
      ({ color, blocks: inner }) =>
        `<div class="bar" style="border-color:${color}">${inner.map(blockHtml).join('')}</div>`,
    );
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 20px; width: 660px; font: 15px/22px "DejaVu Sans", sans-serif; color: #1d1c1d; background: #fff }
.message { display: flex; gap: 12px }
img { width: 36px; height: 36px; border-radius: 6px }
.name { font-weight: 700 } .app { margin: 0 6px; padding: 0 3px; border-radius: 2px; font-size: 10px; color: #454447; background: #ececec }
.when { font-size: 12px; color: #616061 }
.header { margin: 2px 0 6px; font-size: 18px; font-weight: 700 } .section { margin: 6px 0; white-space: pre-wrap }
.bar { margin-top: 8px; padding: 2px 0 2px 12px; border-left: 4px solid; border-radius: 3px }
.context { font-size: 13px; color: #616061 } .context span { margin-right: 14px }
code { padding: 1px 3px; border: 1px solid #ddd; border-radius: 3px; font: 12px "DejaVu Sans Mono", monospace; color: #c01343; background: #f7f7f8 }
a { color: #1264a3 }
</style><div class="message"><img src="data:image/png;base64,${icon.toString('base64')}" alt="">
<div><div><span class="name">hookbell</span><span class="app">APP</span><span class="when">9:30 AM</span></div>
${blocks.map(blockHtml).join('')}${bars.join('')}</div></div>`;
}

function blockHtml({ type, text, elements = [] }) {
  if (type === 'header') return `<div class="header">${text.text}</div>`;
  if (type === 'section') return `<div class="section">${textHtml(text)}</div>`;
  return `<div class="context">${elements.map((element) => `<span>${textHtml(element)}</span>`).join('')}</div>`;
}

/** Slack's texts escape what HTML has to escape. */
function textHtml({ type, text }) {
  if (type === 'plain_text') return text;
  return text
    .replaceAll(/<([^|>]+)\|([^>]+)>/g, '<a href="$1">$2</a>')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*([^*\n]+)\*/g, '<b>$1</b>');
}
