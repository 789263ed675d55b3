import type { ControlAnswers, HistoryView, SessionView } from '../control/contract.ts';
import type { InsideCall } from '../control/control-server.ts';
import type { QuietHours } from '../core/policy.ts';
import type { Questions } from '../core/question.ts';
import type { SessionState } from '../core/session.ts';
import { decidableOf } from '../reply/decisions.ts';
import { actionForm, inAttribute, line, type PageRow, regionHtml } from './html-parts.ts';
import type { PageRights } from './page-access.ts';
import type { LiveContent } from './page-feed.ts';
import {
  channelRows,
  hooklessRows,
  muteForm,
  muteRows,
  quietRows,
  warningRows,
} from './panel-html.ts';
import { sessionRow, type ShownRequest, waitingRow } from './session-rows.ts';
import { eventRow } from './timeline-html.ts';

/** Asks this daemon, as the command line does. */
export type AskInside = <Name extends keyof ControlAnswers>(
  name: Name,
  call?: InsideCall,
) => Promise<ControlAnswers[Name]>;

export interface PageViewParts {
  readonly ask: AskInside;
  readonly questions: Pick<Questions, 'shown'>;
  readonly redact: (text: string) => string;
  readonly quietHours: () => readonly QuietHours[];
}

/** Sessions that a person has to react to, or that work, are all shown; of the others the latest. */
const MOST = { waiting: 200, working: 200, failed: 40, done: 40, ended: 20 };
const MOST_EVENTS = 100;

const groups = {
  waiting: ['waiting'],
  working: ['working', 'paused'],
  failed: ['failed'],
  done: ['done'],
  ended: ['ended'],
} as const satisfies Readonly<Record<string, readonly SessionState[]>>;
const groupNames = ['waiting', 'working', 'failed', 'done', 'ended'] as const;

/** For whom the page is. */
export interface SessionsViewer {
  readonly rights: PageRights;
  /** Whether the browser can get the right to decide by a code. */
  readonly takesCode: boolean;
  /** Whether a request was held since the daemon started: then answers are on. */
  readonly knowsAnswers: boolean;
}

/** The content of the sessions page. */
export async function sessionsContent(
  { ask, questions, redact, quietHours }: PageViewParts,
  { rights, takesCode, knowsAnswers }: SessionsViewer,
): Promise<LiveContent> {
  const list = (group: keyof typeof groups): Promise<readonly SessionView[]> =>
    ask('GET /v1/sessions', {
      query: { state: groups[group].join(','), limit: String(MOST[group]) },
    });
  const [status, waiting, working, failed, done, ended] = await Promise.all([
    ask('GET /v1/status'),
    ...groupNames.map(list),
  ]);
  const requests = requestsBySession(questions, redact);
  const isUnanswerable = !knowsAnswers && requests.size === 0 && (waiting ?? []).length > 0;
  const shown = [waiting, working, failed, done].flatMap((some) => some ?? []);
  const rowOf = (session: SessionView): PageRow =>
    waitingRow(session, requests.get(session.key) ?? [], rights);
  return {
    regions: [
      { id: 'rights', rows: requests.size === 0 ? [] : rightsRows(rights, takesCode) },
      { id: 'warnings', rows: [...warningRows(status), ...hooklessRows(shown)] },
      { id: 'waiting', rows: (waiting ?? []).map(rowOf) },
      { id: 'answers', rows: isUnanswerable ? [answersHint] : [] },
      ...Object.entries({ working, failed, done, ended }).map(([id, some]) => ({
        id,
        rows: (some ?? []).map(sessionRow),
      })),
      { id: 'channels', rows: channelRows(status) },
      { id: 'mutes', rows: muteRows(status.mutes) },
      { id: 'quiet', rows: quietRows(quietHours(), status.quietUntil) },
    ],
    counts: { waiting: status.sessions.waiting, working: status.sessions.working },
  };
}

/** Open requests as they may be shown, by the key of their session. */
function requestsBySession(
  questions: Pick<Questions, 'shown'>,
  redact: (text: string) => string,
): ReadonlyMap<string, readonly ShownRequest[]> {
  const found = new Map<string, ShownRequest[]>();
  for (const shown of questions.shown()) {
    const { sessionKey, state, tool, agentId } = shown.question;
    if (state !== 'held') continue;
    const request = decidableOf(shown, redact);
    const one = { sessionKey, tool, subagent: agentId !== null, request };
    found.set(sessionKey, [...(found.get(sessionKey) ?? []), one]);
  }
  return found;
}

/** The page of sessions, by state. */
export function sessionsHtml(
  { regions, counts }: LiveContent,
  { projects, today, quiet }: { projects: readonly string[]; today: string; quiet: string },
): string {
  const region = (id: string, empty: string): string => {
    const rows = regions.find((one) => one.id === id)?.rows ?? [];
    return `${regionHtml({ id, rows })}${empty === '' ? '' : `<p class="empty">${empty}</p>`}`;
  };
  const count = (name: string): string =>
    `<span class="count" data-count="${name}">${counts[name] ?? 0}</span>`;
  return `<h1 class="visually-hidden">Sessions</h1>
<div class="columns"><div class="stack">
${region('rights', '')}
${region('warnings', '')}
<section class="block attention" aria-labelledby="h-waiting"><header><h2 id="h-waiting">Waiting for you</h2>${count('waiting')}</header>${region('waiting', 'No agent is waiting for you.')}${region('answers', '')}</section>
<section class="block" aria-labelledby="h-working"><header><h2 id="h-working">Working</h2>${count('working')}</header>${region('working', 'No agent is working.')}</section>
<section class="block if-any" aria-labelledby="h-failed"><header><h2 id="h-failed">Failed</h2></header>${region('failed', '')}</section>
<section class="block" aria-labelledby="h-done"><header><h2 id="h-done">Done</h2></header>${region('done', 'No turn has ended yet.')}</section>
<details><summary>Ended</summary>${region('ended', 'No session has ended yet.')}</details>
</div><div class="side">
${today}
<section class="block" aria-labelledby="h-channels"><header><h2 id="h-channels">Channels</h2></header>${region('channels', 'No channel is configured.')}</section>
<section class="block" aria-labelledby="h-mutes"><header><h2 id="h-mutes">Mutes</h2></header>${region('mutes', 'Nothing is muted.')}${muteForm(projects)}</section>
<section class="block" aria-labelledby="h-quiet"><header><h2 id="h-quiet">Quiet hours</h2></header>${region('quiet', 'No quiet hours are set.')}${quiet}</section>
</div></div>`;
}

/** Content of every page. */
export async function countsContent({ ask }: Pick<PageViewParts, 'ask'>): Promise<LiveContent> {
  const { sessions } = await ask('GET /v1/status');
  return { regions: [], counts: { waiting: sessions.waiting } };
}

/** Which events are listed, in the words of `GET /v1/history`; a key that is absent restricts nothing. */
export type TimelineFilter = Readonly<
  Partial<Record<'session' | 'project' | 'kind' | 'rang', string>>
>;

/** The kinds that people look for. */
const listedKinds = {
  'needs.permission': 'permissions',
  'needs.input': 'questions',
  'turn.failed': 'failed turns',
  'turn.done': 'finished turns',
  'subagent.done': 'finished subagents',
} as const;

export function readTimelineFilter(query: URLSearchParams): TimelineFilter {
  const [session, project, kind] = ['session', 'project', 'kind'].map(
    (name) => query.get(name)?.trim() ?? '',
  );
  return {
    ...(session && { session }),
    ...(project && { project }),
    ...(kind && Object.hasOwn(listedKinds, kind) && { kind }),
    ...(query.get('rang') === '1' && { rang: '1' }),
  };
}

/** The latest events. */
export async function timelineContent(
  parts: Pick<PageViewParts, 'ask'>,
  filter: TimelineFilter,
): Promise<LiveContent> {
  const query = { limit: String(MOST_EVENTS), ...filter };
  const [events, { counts }]: [readonly HistoryView[], LiveContent] = await Promise.all([
    parts.ask('GET /v1/history', { query }),
    countsContent(parts),
  ]);
  return { regions: [{ id: 'events', rows: events.map(eventRow) }], counts };
}

export function timelineHtml({ regions }: LiveContent, chosen: TimelineFilter): string {
  const rows = regions[0]?.rows ?? [];
  const { session } = chosen;
  const filter =
    session === undefined
      ? filterForm(chosen)
      : `<p class="filter">Events of session <code>${line(session)}</code> · <a href="<root>timeline">show all</a></p>`;
  const last = rows.at(-1)?.id.slice(2) ?? null;
  const more =
    last === null || rows.length < MOST_EVENTS
      ? ''
      : `<p class="note">The latest ${MOST_EVENTS} events are shown. <code>hookbell history</code> lists the others.</p>`;
  return `<h1>Timeline</h1>${filter}${regionHtml({ id: 'events', rows })}<p class="empty">${Object.keys(chosen).length === 0 ? 'No event has arrived yet.' : 'No such event is recorded.'}</p>${more}`;
}

function filterForm({ project = '', kind, rang }: TimelineFilter): string {
  const kinds = Object.entries(listedKinds).map(
    ([name, words]) =>
      `<option value="${name}"${name === kind ? ' selected' : ''}>${words}</option>`,
  );
  return `<form class="filter inline" method="get" action="<root>timeline" role="search"><input type="text" name="project" value="${inAttribute(project)}" placeholder="every project" maxlength="200" aria-label="Project"><select name="kind" aria-label="Kind of event"><option value="">every kind</option>${kinds.join('')}</select><label class="option"><input type="checkbox" name="rang" value="1"${rang === undefined ? '' : ' checked'}> only what notified</label><button>Filter</button></form>`;
}

/** The note of a page with requests that it must not allow, with the field for the code if it takes one. */
export function rightsRows(rights: PageRights, takesCode: boolean): readonly PageRow[] {
  if (rights === 'decide') return [];
  const id = 'rights-note';
  const banner = (content: string): readonly PageRow[] => [
    { id, html: `<div class="banner" id="${id}">${content}</div>` },
  ];
  if (!takesCode) {
    return banner(
      '<p>This browser can deny requests, but not allow them. To change that, run <code>hookbell open</code> in a terminal.</p>',
    );
  }
  const field = `<div class="inline"><label for="code">Code</label><input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="7" required data-global="c"><button>Confirm</button></div>`;
  const form = actionForm('confirm', {}, field).replace('class="act"', 'class="act" data-reload');
  return banner(`<p>To allow requests here, type the code that your terminal shows.</p>${form}`);
}

const answersHint: PageRow = {
  id: 'answers-hint',
  html: '<p class="note" id="answers-hint">Answer these in their terminals. To answer requests from here, turn answers on: <code>hookbell install --answers</code></p>',
};
