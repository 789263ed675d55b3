import { agentLabels } from '../core/hook-event.ts';
import type { SessionView } from '../control/contract.ts';
import type { WaitingFigures } from '../core/waiting.ts';
import { durationText } from '../text/duration.ts';
import { age, headHtml, line } from './html-parts.ts';
import { sessionRow } from './session-rows.ts';

/** A session of a colleague that waits: no text of it. */
export interface WaitingColleague {
  readonly name: string;
  readonly agent: SessionView['agent'];
  readonly project: string | null;
  /** ISO 8601. */
  readonly since: string;
}

export interface TeamWaiting {
  /** Null: people without a team. */
  readonly team: string | null;
  readonly asked: WaitingFigures;
  readonly done: WaitingFigures;
}

export interface TeamContent {
  readonly person: { readonly name: string; readonly team: string | null };
  /** Own sessions. */
  readonly waiting: readonly SessionView[];
  readonly working: readonly SessionView[];
  /** Sessions of the team that wait, own ones included; null: the person has no team. */
  readonly team: {
    readonly count: number;
    /** When the oldest of them began to wait, ISO 8601; null: none waits. */
    readonly oldest: string | null;
    /** Null: only the numbers are shown. */
    readonly colleagues: readonly WaitingColleague[] | null;
  } | null;
  readonly days: number;
  readonly own: Omit<TeamWaiting, 'team'>;
  readonly teams: readonly TeamWaiting[];
  readonly hidesSmallTeams: boolean;
}

/** Periods of the waiting time that can be chosen, in days. */
export const TEAM_DAYS = [1, 7, 30] as const;
/** The page has no script: the browser loads it again, s. */
const RELOAD_SECONDS = 15;

/** The page of a hub for one person. */
export function teamHtml(content: TeamContent): string {
  const { person, waiting, working, days, own, teams } = content;
  const periods = TEAM_DAYS.map(
    (count) =>
      `<a href="<root>?days=${count}"${count === days ? ' aria-current="true"' : ''}>${count === 1 ? 'Last day' : `${count} days`}</a>`,
  );
  const rows = [
    { name: 'You', ...own },
    ...teams.map(({ team, ...figures }) => ({ name: team ?? 'Without a team', ...figures })),
  ].map(figuresRow);
  return frame(
    waiting.length === 0 ? 'Team' : `(${waiting.length}) Team`,
    `<header class="top"><a class="brand" href="<root>"><img src="<root>icon.svg" alt="" width="22" height="22">hookbell</a><span class="spacer"></span><span class="faint">${line(person.name, 80)}</span></header>
<main id="main" tabindex="-1"><h1 class="visually-hidden">Team</h1>
<div class="columns"><div class="stack">
<section class="block attention" aria-labelledby="h-waiting"><header><h2 id="h-waiting">Waiting for you</h2><span class="count">${waiting.length}</span></header>${region('waiting', waiting.map(ownWaiting), 'No agent is waiting for you.')}</section>
<section class="block" aria-labelledby="h-working"><header><h2 id="h-working">Working</h2></header>${region(
      'working',
      working.map((session) =>
        sessionRow(session).html.replace(/<span><a href="<root>timeline[^<]*<\/a><\/span>/, ''),
      ),
      'None of your agents is working.',
    )}</section>
</div><div class="side">${teamSection(content)}</div></div>
<section class="block" aria-labelledby="h-time"><header><h2 id="h-time">Waiting time</h2><nav class="filters" aria-label="Period">${periods.join('')}</nav></header>
<div class="card scroll flush" tabindex="0" role="region" aria-label="Waiting time by team"><table><thead><tr><th scope="col">Team</th><th scope="col">Waited</th><th scope="col">Requests</th><th scope="col">Median</th><th scope="col">95 %</th><th scope="col">Idle after turns</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>${content.hidesSmallTeams ? '<p class="note">Teams in which fewer than three people waited are not shown.</p>' : ''}</section>
</main>`,
    RELOAD_SECONDS,
  );
}

/** A page for a request that is refused. */
export function teamRefusalHtml(heading: string, text: string): string {
  return frame(
    heading,
    `<main id="main"><p class="brand"><img src="<root>icon.svg" alt="" width="22" height="22">hookbell</p><h1>${line(heading)}</h1><p>${line(text, 1_000)}</p></main>`,
    null,
  );
}

function figuresRow(waiting: Omit<TeamWaiting, 'team'> & { readonly name: string }): string {
  const { name, asked, done } = waiting;
  return `<tr><th scope="row">${line(name, 80)}</th><td>${durationText(asked.totalMs)}</td><td>${asked.count}</td><td>${durationOr(asked.p50Ms)}</td><td>${durationOr(asked.p95Ms)}</td><td>${durationText(done.totalMs)}</td></tr>`;
}

function durationOr(ms: number | null): string {
  return ms === null ? '–' : durationText(ms);
}

function teamSection({ team, person }: TeamContent): string {
  if (team === null) {
    return `<section class="block" aria-labelledby="h-team"><header><h2 id="h-team">Your team</h2></header><p class="empty">You are not in a team. An administrator of the hub can add you to one.</p></section>`;
  }
  const { count, oldest, colleagues } = team;
  const numbers =
    oldest === null
      ? '<p class="empty">No agent is waiting.</p>'
      : `<div class="card figure"><strong>${count}</strong><span class="faint">${count === 1 ? 'session waits' : 'sessions wait'}, the longest ${age(oldest)}</span></div>`;
  const rows = (colleagues ?? []).map(
    ({ name, agent, project, since }) =>
      `<article class="row"><header><h3>${line(name, 80)}</h3><span class="spacer"></span><span class="age">${age(since)}</span></header><p class="meta"><span>${agentLabels[agent]}</span>${project === null ? '' : `<span>${line(project, 80)}</span>`}</p></article>`,
  );
  return `<section class="block" aria-labelledby="h-team"><header><h2 id="h-team">Waiting in ${line(person.team ?? '', 80)}</h2></header>${numbers}${rows.length === 0 ? '' : `<div class="region">${rows.join('\n')}</div>`}</section>`;
}

function ownWaiting(session: SessionView): string {
  const { title, project, agent, called, computer, since, waitingFor } = session;
  const label = called ?? agentLabels[agent];
  return `<article class="row waiting"><header><h3 dir="auto">${line(title ?? project ?? `A session of ${label}`, 160)}</h3><span class="spacer"></span><span class="age">${age(since)}</span></header>
<p class="meta"><span>${label}</span>${project === null ? '' : `<span>${line(project, 80)}</span>`}${computer === null ? '' : `<span>${line(computer, 80)}</span>`}</p>
<p class="asks" dir="auto">${line(waitingFor ?? 'It waits for an answer in its terminal')}</p></article>`;
}

function region(id: string, rows: readonly string[], empty: string): string {
  return `<div class="region" id="${id}">${rows.join('\n')}</div><p class="empty">${empty}</p>`;
}

function frame(title: string, body: string, reloadSeconds: number | null): string {
  const reload =
    reloadSeconds === null ? '' : `<meta http-equiv="refresh" content="${reloadSeconds}">`;
  return `${headHtml({ title, root: '<root>' }, reload)}
<body${reloadSeconds === null ? ' class="message"' : ''}>
${body}
</body>
</html>
`;
}
