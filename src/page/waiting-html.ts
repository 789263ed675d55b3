import type { SessionView, WaitingView } from '../control/contract.ts';
import {
  risksText,
  type WaitingDimension,
  waitingDimensions,
  type WaitingRow,
} from '../core/waiting.ts';
import { countOf } from '../text/count.ts';
import { durationText } from '../text/duration.ts';
import { age, line } from './html-parts.ts';
import { sessionRow } from './session-rows.ts';

/** Periods that can be chosen, in days. */
export const WAITING_DAYS = [1, 7, 30, 90] as const;

const dimensionTexts: Readonly<Record<WaitingDimension, string>> = {
  day: 'Day',
  project: 'Project',
  agent: 'Agent',
  kind: 'Kind',
  channel: 'Channel',
  machine: 'Machine',
  request: 'Request',
};

const unknown: Readonly<Record<WaitingDimension, string>> = {
  day: 'unknown',
  project: 'unknown',
  agent: 'unknown',
  kind: 'unknown',
  channel: 'no notification',
  machine: 'this machine',
  request: 'unlike any other',
};

/** How long agents waited for people: what `hookbell waiting` prints. */
export function waitingHtml(
  { rows, asked, done, returns, unanswered, excluded, by, paused }: WaitingView,
  byDay: WaitingView,
  { days, open }: { readonly days: number; readonly open: readonly OpenWait[] },
): string {
  const lost = Object.values(unanswered).reduce((sum, count) => sum + count, 0);
  const periods = WAITING_DAYS.map((count) =>
    choice(by, count, count === days, count === 1 ? 'Last day' : `${count} days`),
  );
  const dimensions = waitingDimensions.map((name) =>
    choice(name, days, name === by, dimensionTexts[name]),
  );
  return `<h1>Waiting time</h1>
<div class="filters"><nav aria-label="Period">${periods.join('')}</nav></div>
<div class="figures">
${open.length === 0 ? figure('Waiting now', '0', 'No agent is waiting') : figure('Waiting now', String(open.length), `the longest for ${age(oldestOf(open))}`)}
${figure('Agents waited for answers', durationText(asked.totalMs), `${countOf(asked.count, 'request')}, ${durationText(asked.workingMs)} in working hours`)}
${figure('Median answer', durationOr(asked.p50Ms), asked.p95Ms === null ? 'No request was answered' : `95 % within ${durationText(asked.p95Ms)}`)}
${figure('Idle after a turn', durationText(done.totalMs), done.p50Ms === null ? 'No prompt followed a turn' : `${countOf(done.count, 'turn')}, median ${durationText(done.p50Ms)}`)}
${figure('Not answered', String(lost), `${countOf(excluded.gaps, 'gap')} left out (sleep, daemon off)`)}
</div>
${paused.length === 0 ? '' : `<section class="block" aria-labelledby="h-paused"><header><h2 id="h-paused">Waiting for a time, not for you</h2></header><div class="region">${paused.map((session) => sessionRow(session).html).join('')}</div></section>`}
${chartHtml(byDay.rows)}
<section class="block" aria-labelledby="h-by"><header><h2 id="h-by">By</h2><nav class="filters" aria-label="Group by">${dimensions.join('')}</nav></header>
${rows.length === 0 ? '<p class="empty">No wait has ended in this period.</p>' : tableHtml(rows, by)}</section>
<section class="block" aria-labelledby="h-returns"><header><h2 id="h-returns">What brought you back</h2></header>
${returns.length === 0 ? '<p class="empty">No one has come back yet.</p>' : `<div class="card scroll flush" tabindex="0" role="region" aria-label="What brought you back"><table><thead><tr><th scope="col">Last notification</th><th scope="col">Waits</th><th scope="col">Median until you came</th><th scope="col">95 %</th></tr></thead><tbody>${returns.map(({ channel, step, count, p50Ms, p95Ms }) => `<tr><th scope="row">${channel === null ? 'none' : line(channel)}${step === null ? '' : ` <span class="faint">step ${step + 1}</span>`}</th><td>${count}</td><td>${durationOr(p50Ms)}</td><td>${durationOr(p95Ms)}</td></tr>`).join('')}</tbody></table></div>`}</section>`;
}

type OpenWait = Pick<SessionView, 'since'>;

/** ISO times compare as texts. */
function oldestOf(open: readonly OpenWait[]): string {
  return open.reduce(
    (oldest, { since }) => (since < oldest ? since : oldest),
    open[0]?.since ?? '',
  );
}

/**
 * Today's figures beside the sessions: ended waits, and those that go on, as far as they fell on today.
 *
 * @param now Unix ms
 */
export function waitingToday(
  { asked, since }: Pick<WaitingView, 'asked' | 'since'>,
  open: readonly OpenWait[],
  now: number,
): string {
  const begin = Date.parse(since);
  const openMs = open.reduce((sum, one) => sum + now - Math.max(begin, Date.parse(one.since)), 0);
  const waits =
    open.length === 0 ? [] : [`${open.length} waiting now, the longest for ${age(oldestOf(open))}`];
  const answers =
    asked.count === 0
      ? 'no request was answered yet'
      : `${countOf(asked.count, 'answer')}, median ${durationOr(asked.p50Ms)}`;
  return `<section class="block" aria-labelledby="h-today"><header><h2 id="h-today">Waiting time today</h2></header><a class="card figure link" href="<root>waiting"><strong>${durationText(asked.totalMs + Math.max(0, openMs))}</strong>${[...waits, answers].map((text) => `<span class="faint">${text}</span>`).join('')}</a></section>`;
}

function figure(title: string, value: string, note: string): string {
  return `<div class="card figure"><span class="faint">${title}</span><strong>${value}</strong><span class="faint">${note}</span></div>`;
}

function choice(by: string, days: number, isCurrent: boolean, text: string): string {
  return `<a href="<root>waiting?by=${by}&amp;days=${days}"${isCurrent ? ' aria-current="true"' : ''}>${text}</a>`;
}

function durationOr(ms: number | null): string {
  return ms === null ? '–' : durationText(ms);
}

/** By request: what became of it and what it may do; by anything else: how long the others took, and the time after turns. */
function tableHtml(rows: readonly WaitingRow[], by: WaitingDimension): string {
  const counts = ['Allowed', 'Denied', 'Elsewhere', 'No answer', 'Risks'];
  const columns = by === 'request' ? counts : ['95 %', 'Idle after turns'];
  const heads = [dimensionTexts[by], 'Waited', 'Requests', 'Median', ...columns];
  return `<div class="card scroll flush" tabindex="0" role="region" aria-label="Waiting time by ${dimensionTexts[by].toLowerCase()}"><table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>${rows.map((row) => rowHtml(row, by)).join('')}</tbody></table></div>`;
}

function rowHtml({ key, asked, done, request }: WaitingRow, by: WaitingDimension): string {
  const { allowed = 0, denied = 0, elsewhere = 0, unanswered = 0 } = request ?? {};
  const rest =
    by === 'request'
      ? [allowed, denied, elsewhere, unanswered, line(risksText(request))]
      : [durationOr(asked.p95Ms), durationText(done.totalMs)];
  const count = asked.count + unanswered;
  const cells = [durationText(asked.totalMs), count, durationOr(asked.p50Ms), ...rest];
  return `<tr><th scope="row">${line(key ?? unknown[by], 120)}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

const WIDTH = 1_000;
const HEIGHT = 160;

/** Bars of the days: the wait for answers below, the idle time after turns above it. The table has the same numbers. */
function chartHtml(rows: readonly WaitingRow[]): string {
  const most = Math.max(...rows.map(({ asked, done }) => asked.totalMs + done.totalMs), 1);
  if (rows.length < 2) return '';
  const width = WIDTH / rows.length;
  const bar = Math.min(width * 0.7, 48);
  const bars = rows.map((row, index) => {
    const x = index * width + (width - bar) / 2;
    const asked = (row.asked.totalMs / most) * HEIGHT;
    const idle = (row.done.totalMs / most) * HEIGHT;
    const label = `${row.key}: ${durationText(row.asked.totalMs)} for answers, ${durationText(row.done.totalMs)} idle`;
    const everyNth = Math.ceil(rows.length / 10);
    const tick =
      index % everyNth === 0
        ? `<text class="tick" x="${(x + bar / 2).toFixed(1)}" y="${HEIGHT + 18}" text-anchor="middle">${(row.key ?? '').slice(5)}</text>`
        : '';
    return `<g><title>${line(label).replaceAll(/<\/?bdi>/g, '')}</title><rect class="bar" x="${x.toFixed(1)}" y="${(HEIGHT - asked).toFixed(1)}" width="${bar.toFixed(1)}" height="${asked.toFixed(1)}"></rect><rect class="bar rest" x="${x.toFixed(1)}" y="${(HEIGHT - asked - idle).toFixed(1)}" width="${bar.toFixed(1)}" height="${idle.toFixed(1)}"></rect>${tick}</g>`;
  });
  return `<section class="block" aria-labelledby="h-chart"><header><h2 id="h-chart">By day</h2><span class="spacer"></span><span class="key"><span class="swatch"></span>waited for an answer</span><span class="key"><span class="swatch rest"></span>idle after a turn</span></header><div class="card"><svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT + 26}" role="img" aria-label="Waiting time of each day; the table below has the numbers"><line class="axis" x1="0" y1="${HEIGHT}" x2="${WIDTH}" y2="${HEIGHT}"></line>${bars.join('')}</svg></div></section>`;
}
