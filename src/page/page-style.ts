/** The style sheet of the page: dark and light by the preference of the browser, one column on a phone. */
export const pageStyle = `
:root { color-scheme: light dark; --page: #f5f6f8; --card: #ffffff; --sunk: #f0f2f5; --text: #14181f; --faint: #5a6472; --line: #dfe3e8; --edge: #8a93a0;
  --wait: #9a4a06; --wait-dot: #d9730d; --wait-tint: #fff7ed; --work: #1d58c9; --good: #15713a; --bad: #b3261e; --bad-tint: #fdf1f0; --key: #1d58c9; --ink: #1b2430; --on-ink: #ffffff; --shadow: 0 1px 2px rgb(20 24 31 / 6%); }
@media (prefers-color-scheme: dark) { :root { --page: #0f1217; --card: #171b22; --sunk: #0f1217; --text: #e6e9ef; --faint: #98a2b1; --line: #2a313c; --edge: #6b7685;
  --wait: #f3b15c; --wait-dot: #f0a040; --wait-tint: #211a11; --work: #82b1ff; --good: #62d394; --bad: #ff9088; --bad-tint: #2a1717; --key: #82b1ff; --ink: #e6e9ef; --on-ink: #12161c; --shadow: none; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/20px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 28px; font-weight: 650; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 13px; line-height: 20px; font-weight: 600; color: var(--faint); }
h3 { margin: 0; font-size: 14px; line-height: 20px; font-weight: 600; overflow-wrap: anywhere; }
p { margin: 0; overflow-wrap: anywhere; }
a { color: var(--key); text-underline-offset: 2px; }
pre, code, kbd { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 13px; }
kbd { padding: 1px 6px; border: 1px solid var(--line); border-radius: 4px; background: var(--sunk); white-space: nowrap; }
:focus-visible { outline: 2px solid var(--key); outline-offset: 2px; }
[hidden] { display: none !important; }
.faint { color: var(--faint); } .good { color: var(--good); } .bad { color: var(--bad); } .wait { color: var(--wait); }
.spacer { flex: 1; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.skip { position: absolute; left: -999px; top: 0; padding: 8px 16px; background: var(--card); z-index: 3; }
.skip:focus { left: 8px; top: 8px; }

.top { position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: 8px; min-height: 52px; padding: 0 max(20px, calc((100vw - 1200px) / 2)); background: var(--card); border-bottom: 1px solid var(--line); }
.brand { display: inline-flex; align-items: center; gap: 8px; color: var(--text); font-weight: 650; font-size: 15px; text-decoration: none; }
.top nav { display: flex; gap: 4px; margin-left: 16px; overflow-x: auto; scrollbar-width: none; }
.top nav a { padding: 6px 10px; border-radius: 6px; color: var(--faint); font-weight: 500; text-decoration: none; white-space: nowrap; }
.top nav a:hover { color: var(--text); background: var(--sunk); }
.top nav a[aria-current] { color: var(--text); background: var(--sunk); }
.live { display: inline-flex; align-items: center; gap: 8px; color: var(--faint); font-size: 13px; white-space: nowrap; margin-right: 8px; }
.dot { flex: none; display: inline-block; width: 8px; height: 8px; border-radius: 50%; background: var(--edge); }
.live.on .dot, .done .dot, .ok .dot { background: var(--good); }
.live.off .dot, .failed .dot, .broken .dot, .open .dot { background: var(--bad); }
.working .dot { background: var(--work); }
.limited .dot { background: var(--wait-dot); }
.ended .dot { background: transparent; border: 1.5px solid var(--edge); }

main { max-width: 1240px; margin: 0 auto; padding: 24px 20px 64px; outline: 0; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 340px; gap: 24px; align-items: start; }
.columns > * { min-width: 0; }
.side > * + * , .stack > * + * { margin-top: 24px; }
.block > header { display: flex; align-items: center; gap: 8px; min-height: 28px; margin-bottom: 8px; }
.count { min-width: 20px; padding: 0 6px; border-radius: 10px; background: var(--line); color: var(--text); font-size: 12px; line-height: 20px; text-align: center; font-variant-numeric: tabular-nums; }
.badge { margin-left: 6px; } .badge, .block.attention .count { background: var(--wait-dot); color: #14181f; }
.block.attention h2 { color: var(--text); font-size: 15px; }
.region:not(:empty), .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow); overflow: clip; }
.card { padding: 12px 16px; }
.region:empty { display: none; }
.region:not(:empty) + .empty { display: none; }
.stack > .region:empty + * { margin-top: 0; }
.empty { padding: 14px 16px; border: 1px dashed var(--line); border-radius: 10px; color: var(--faint); }
.attention .region:not(:empty) { background: none; border: 0; border-radius: 0; box-shadow: none; overflow: visible; }
.attention .row { background: var(--card); border: 1px solid var(--line); border-left: 3px solid var(--wait-dot); border-radius: 10px; box-shadow: var(--shadow); }
.attention .row + .row { margin-top: 12px; }
summary { cursor: pointer; color: var(--faint); font-size: 13px; font-weight: 600; padding: 4px 0; margin-bottom: 8px; width: fit-content; }
summary .count { margin-left: 8px; }

.row { display: block; padding: 10px 16px; }
.region:not(#waiting) > .row + .row, .item + .item { border-top: 1px solid var(--line); }
.row:focus { outline: 2px solid var(--key); outline-offset: -2px; }
.row > header, .item > header { display: flex; align-items: center; gap: 8px; min-width: 0; }
.age, .turn { flex: none; color: var(--faint); font-size: 13px; font-variant-numeric: tabular-nums; white-space: nowrap; }
.waiting .age { color: var(--wait); font-weight: 600; }
.turn::after { content: '·'; margin-left: 8px; }
.meta { display: flex; flex-wrap: wrap; gap: 0 14px; color: var(--faint); font-size: 13px; }
.region:not(#waiting) > article > .meta { padding-left: 16px; }
.meta span { min-width: 0; }
.meta a { color: inherit; }
.chip { flex: none; padding: 0 8px; border: 1px solid var(--line); border-radius: 10px; color: var(--faint); font-size: 12px; white-space: nowrap; }
.waiting { padding: 14px 16px 12px; }
.waiting > * + * { margin-top: 4px; }
.waiting .request, .waiting .asks, .waiting form, .waiting fieldset { margin-top: 12px; }
.request { margin: 0; padding: 10px 12px; max-height: 320px; overflow: auto; background: var(--sunk); border: 1px solid var(--line); border-radius: 6px; line-height: 19px; white-space: pre-wrap; overflow-wrap: anywhere; }
h1 + .request { margin-bottom: 24px; }
.asks { font-size: 15px; line-height: 22px; overflow-wrap: anywhere; }
.asks + .request { margin-top: 8px; } .request.asked { max-height: none; }
.reason { margin: 4px 0 0 16px; color: var(--bad); white-space: pre-line; }
div.request { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 13px; }
.request .field { color: var(--faint); } .request .several { display: block; padding-left: 8px; border-left: 2px solid var(--line); }
.plan { font: 14px/21px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; white-space: normal; }
.plan h4 { margin: 10px 0 4px; font-size: 14px; } .plan p { margin: 6px 0; } .plan blockquote { margin: 6px 0; padding-left: 10px; border-left: 3px solid var(--line); }
.item-of { display: flex; gap: 8px; padding: 1px 0; } .item-of > :first-child { flex: none; color: var(--faint); }
.d1 { margin-left: 16px; } .d2 { margin-left: 32px; } .d3, .d4, .d5, .d6 { margin-left: 48px; }
.diff > ins, .diff > del, .diff > span, .diff details > * { display: block; text-decoration: none; }
.diff ins { color: var(--good); } .diff del { color: var(--bad); } .diff ins, .diff del, .diff span { white-space: pre-wrap; padding-left: 1ch; text-indent: -1ch; }
.request summary { margin: 4px 0 0; font-family: system-ui, sans-serif; }
.if-any:has(> .region:empty) { display: none; }
#rights { background: none !important; border: 0 !important; box-shadow: none !important; } #rights .banner { margin: 0; }
.note { margin-top: 8px; color: var(--faint); font-size: 13px; }

button, select, input[type='text'], .words, .inline input { min-height: 34px; padding: 0 12px; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: 6px; }
button { font-weight: 550; cursor: pointer; white-space: nowrap; }
button:hover { background: var(--sunk); }
button:disabled { opacity: .55; cursor: default; }
.yes { background: var(--ink); border-color: var(--ink); color: var(--on-ink); }
.yes:hover { background: var(--ink); opacity: .88; }
.yes + .yes { background: var(--card); color: var(--text); border-color: var(--edge); }
.no { color: var(--bad); }
.quiet { min-height: 28px; padding: 0 8px; border-color: transparent; background: transparent; color: var(--faint); font-size: 13px; font-weight: 500; }
.quiet:hover { color: var(--text); background: var(--sunk); }
.tool { min-height: 30px; padding: 0 10px; border-color: var(--line); font-size: 13px; font-weight: 500; }
.buttons, .tools, .inline { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.words { flex: 1 1 220px; min-width: 0; font-weight: 400; }
.tools { margin-top: 12px; }
.waiting .tools form { margin-top: 0; }
.settling .waiting .yes { opacity: .6; }
fieldset { margin: 0; padding: 8px 14px 12px; border: 1px solid var(--line); border-radius: 8px; }
legend { float: left; width: 100%; padding: 4px 0 6px; font-weight: 600; white-space: pre-wrap; overflow-wrap: anywhere; }
legend + * { clear: both; }
.options { margin: 4px 0 0; padding-left: 24px; } .option small, .options small { display: block; color: var(--faint); font-size: 13px; }
.option { display: flex; gap: 8px; align-items: baseline; min-height: 28px; padding-top: 4px; }
.option input { accent-color: var(--work); }
fieldset input[type='text'] { width: 100%; margin-top: 6px; }
fieldset + .buttons { margin-top: 12px; }
::placeholder { color: var(--faint); opacity: 1; }
.item { padding: 9px 14px; }
.item strong { font-weight: 550; overflow-wrap: anywhere; }
.item .meta { padding-left: 16px; }
.channel.ok .meta { display: none; }
.block .act.plain, .block > .act { margin-top: 8px; }
.inline label { color: var(--faint); font-size: 13px; }
.inline input { flex: 1 1 110px; min-width: 0; width: 110px; }
.warning { padding: 10px 16px; background: var(--wait-tint); border-left: 3px solid var(--wait-dot); }
.warning + .warning { border-top: 1px solid var(--line); }
.warning.calm { border-left-color: var(--work); background: none; }
#notice:not(:empty), .banner { margin-bottom: 16px; padding: 10px 16px; background: var(--card); border: 1px solid var(--line); border-left: 3px solid var(--good); border-radius: 8px; }
#notice.failed { border-left-color: var(--bad); }
.banner { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; border-left-color: var(--wait-dot); }
.banner .inline input { flex: none; width: 110px; font-variant-numeric: tabular-nums; letter-spacing: .08em; }

.filter.inline { max-width: 720px; } .filter .option input { flex: none; width: auto; min-height: 0; } .filter select { flex: 0 1 180px; }
.event { display: grid; grid-template-columns: 48px minmax(0, 1fr) minmax(0, 320px); gap: 2px 16px; color: inherit; text-decoration: none; }
.event:hover { background: var(--sunk); }
.event .when { color: var(--faint); font-variant-numeric: tabular-nums; }
.event .title { display: block; font-weight: 550; color: var(--key); text-decoration: underline; text-underline-offset: 2px; overflow-wrap: anywhere; }
.event .said { display: block; color: var(--faint); overflow-wrap: anywhere; }
.event .outcome { font-size: 13px; text-align: right; }
.back { margin-bottom: 8px; font-size: 13px; }
.filter { margin-bottom: 16px; }
.path { margin: 8px 0 0; padding: 0; list-style: none; }
.path > li { position: relative; padding: 0 0 18px 26px; }
.path > li::before { content: ''; position: absolute; left: 3px; top: 6px; width: 9px; height: 9px; border-radius: 50%; background: var(--card); border: 2px solid var(--edge); }
.path > li::after { content: ''; position: absolute; left: 9px; top: 20px; bottom: -4px; border-left: 1px solid var(--line); }
.path > li:last-child::after, .routes > li::after { display: none; }
.routes > li { padding-bottom: 10px; }
.path > .good::before { background: var(--good); border-color: var(--good); } .path > .bad::before { background: var(--bad); border-color: var(--bad); }
.path > li { color: var(--text); }
.path p { color: var(--faint); }
#differs { margin: 24px 0 8px; }
.attempts { margin: 4px 0 0; padding-left: 18px; color: var(--faint); font-size: 13px; }
.facts { margin: 8px 0 0; }
.facts > div { display: flex; gap: 12px; padding: 7px 0; border-bottom: 1px solid var(--line); }
.facts dt { flex: 0 0 84px; color: var(--faint); } .facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
dialog { max-width: 460px; width: calc(100vw - 32px); padding: 20px 24px; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
dialog h2 { font-size: 16px; color: var(--text); }
dialog .facts > div { border: 0; padding: 3px 0; }
dialog form { margin-top: 12px; }
dialog::backdrop { background: rgb(10 12 16 / 45%); }

main > .block + .block, main > .figures + .block, .columns + .block { margin-top: 24px; }
.filters { display: flex; flex-wrap: wrap; gap: 4px; } div.filters { margin-bottom: 16px; } div.filters nav { display: flex; flex-wrap: wrap; gap: 4px; }
.filters a { padding: 4px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: var(--faint); text-decoration: none; }
.filters a:hover, .filters a[aria-current] { color: var(--text); border-color: var(--edge); }
.card.flush { padding: 0; } .card.link { display: block; color: inherit; text-decoration: none; } .card.link:hover { border-color: var(--edge); }
.key { display: inline-flex; align-items: center; gap: 6px; margin-left: 12px; color: var(--faint); font-size: 13px; }
.swatch { width: 10px; height: 10px; border-radius: 2px; background: var(--wait-dot); } .swatch.rest { background: var(--edge); }
.meter { display: block; width: 100%; height: 6px; margin: 6px 0; border-radius: 3px; } .meter .track { fill: var(--line); }
.meter .good { fill: var(--good); } .meter .wait { fill: var(--wait-dot); } .meter .bad { fill: var(--bad); } .meter .plain { fill: var(--work); }
.wide { width: 60%; } .figure .faint { display: block; font-size: 13px; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 8px 12px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; }
th { color: var(--faint); font-size: 13px; font-weight: 550; }
tbody th { color: var(--text); font-weight: 500; font-size: 14px; }
tr:last-child td, tr:last-child th { border-bottom: 0; }
.scroll { overflow-x: auto; } th.nowrap { white-space: nowrap; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin-bottom: 24px; }
.figure { padding: 14px 16px; }
.figure strong { display: block; font-size: 24px; line-height: 32px; font-weight: 650; font-variant-numeric: tabular-nums; }
.side .figure strong { font-size: 20px; line-height: 28px; }
svg.chart { display: block; width: 100%; height: auto; }
.bar { fill: var(--wait-dot); } .bar.rest { fill: var(--edge); } .axis { stroke: var(--line); } .tick { fill: var(--faint); font-size: 11px; }

.message main { max-width: 560px; margin-top: 8vh; padding: 28px 32px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.message h1 { margin: 16px 0 8px; }
.message p + p, .message form { margin-top: 12px; }
.message code { padding: 2px 6px; background: var(--sunk); border-radius: 4px; }
@media (max-width: 900px) { .columns { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 640px) {
  .top { flex-wrap: wrap; padding: 6px 14px 0; gap: 0 6px; } .top nav { order: 9; flex: 1 0 100%; margin: 4px -6px 6px; } .top nav a { padding: 8px 10px; } .live .text { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } #help { display: none; }
  main { padding: 16px 14px 48px; } .row, .card { padding-left: 14px; padding-right: 14px; }
  button, select, input[type='text'], .words, .inline input { min-height: 44px; font-size: 16px; } .quiet { min-height: 40px; font-size: 14px; }
  .words { flex-basis: 100%; } .buttons button { flex: 1 1 auto; } .option { min-height: 40px; align-items: center; }
  .event { grid-template-columns: 44px minmax(0, 1fr); } .event .outcome { grid-column: 2; text-align: left; }
  .message main { margin: 0; border: 0; border-radius: 0; min-height: 100vh; }
}
@media (forced-colors: active) { .dot, .swatch, .path > li::before { forced-color-adjust: none; } .top nav a[aria-current], .filters a[aria-current] { text-decoration: underline; } }
@media print { .top, .tools, .act { display: none; } }
`.trim();
