import { headHtml, line } from './html-parts.ts';
import { SCRIPT_PATH } from './page-assets.ts';

/** The pages that the navigation lists. */
export type PageName = 'sessions' | 'timeline' | 'waiting' | 'usage';

export interface Frame {
  readonly title: string;
  /** The page that is shown, or that leads to it. */
  readonly current: PageName;
  readonly pages: readonly PageName[];
  /** The live view, and the version of it that is shown. */
  readonly live: { readonly view: string; readonly version: string };
  /** Sessions that wait for a person. */
  readonly waiting: number;
  readonly content: string;
}

const names: Readonly<Record<PageName, string>> = {
  sessions: 'Sessions',
  timeline: 'Timeline',
  waiting: 'Waiting time',
  usage: 'Usage',
};

const shortcuts = [
  ['j, k', 'next and previous session or event'],
  ['Enter', 'open the event'],
  ['a', 'go to the Allow button or the answer of the session'],
  ['d', 'go to the text field for Deny'],
  ['x', 'acknowledge the session'],
  ['z', 'snooze the session for 30 minutes'],
  ['t', "show the session's terminal"],
  ['m', 'go to the mute form'],
  ['q', 'go to the quiet hours'],
  ['1, 2, 3', 'go to a page'],
  ['?', 'show this list'],
] as const;

/** A whole page for a browser that is signed in; `finish` fills its placeholders. */
export function frameHtml({ title, current, pages, live, waiting, content }: Frame): string {
  const isStill = live.view === 'counts';
  const badge = `<span class="count badge" data-count="waiting"${waiting === 0 ? ' hidden' : ''}>${waiting}</span>`;
  const links = pages.map(
    (name) =>
      `<a href="<root>${name === 'sessions' ? '' : name}"${name === current ? ' aria-current="page"' : ''}>${names[name]}${name === 'sessions' ? badge : ''}</a>`,
  );
  const state = isStill
    ? ''
    : '<span class="live" id="live" role="status"><span class="dot"></span><span class="text">Reload for updates</span></span>';
  return `${appHeadHtml(waiting === 0 ? title : `(${waiting}) ${title}`, '<root>')}
<body data-live="<root>live?view=${live.view}" data-version="${live.version}"${isStill ? ' data-still' : ''}>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><a class="brand" href="<root>"><img src="<root>icon.svg" alt="" width="22" height="22">hookbell</a>
<nav aria-label="Pages">${links.join('')}</nav><span class="spacer"></span>${state}
<button type="button" class="quiet only-script" id="help" aria-label="Keyboard shortcuts" hidden>?</button>
<form class="act plain" method="post" action="<root>do/sign-out"><token><button class="quiet">Sign out</button></form></header>
<main id="main" tabindex="-1">
<div id="notice" role="status" aria-live="polite"></div>
${content}
</main>
<dialog id="shortcuts" aria-labelledby="shortcuts-title"><h2 id="shortcuts-title">Keyboard shortcuts</h2>
<dl class="facts">${shortcuts.map(([key, text]) => `<div><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`).join('')}</dl>
<label class="option"><input type="checkbox" id="keys" checked> Single-key shortcuts</label>
<form method="dialog"><button>Close</button></form></dialog>
</body>
</html>
`;
}

/** A page for a browser that is not signed in, or whose request was refused. */
export function messageHtml(
  heading: string,
  paragraphs: readonly string[],
  { form = '', root = '/' }: { readonly form?: string; readonly root?: string } = {},
): string {
  const texts = paragraphs.map((text) => `<p>${codes(text)}</p>`).join('\n');
  return `${appHeadHtml(heading, root)}
<body class="message">
<main id="main"><p class="brand"><img src="${root}icon.svg" alt="" width="22" height="22">hookbell</p>
<h1>${line(heading)}</h1>
${texts}
${form}
</main>
</body>
</html>
`;
}

/** Commands stand in backticks in our own sentences. */
function codes(text: string): string {
  return line(text, 2_000).replaceAll(/`([^`<>]+)`/g, '<code>$1</code>');
}

/** The head of a page that can be installed as an app and follows its changes. */
function appHeadHtml(title: string, root: string): string {
  return headHtml(
    { title, root },
    `<meta name="theme-color" content="#f5f6f8" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0f1217" media="(prefers-color-scheme: dark)">
<link rel="apple-touch-icon" href="${root}icon-180.png">
<link rel="manifest" href="${root}manifest.webmanifest" crossorigin="use-credentials">
<script src="${root}${SCRIPT_PATH}" defer></script>`,
  );
}
