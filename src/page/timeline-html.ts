import { agentLabels } from '../core/hook-event.ts';
import type { EventDeliveryView, EventView, HistoryView } from '../control/contract.ts';
import type { WhatDiffers } from '../control/what-differs.ts';
import type { Decision } from '../core/decision.ts';
import { INBOX } from '../core/delivery.ts';
import { durationText } from '../text/duration.ts';
import { age, clock, line, lines, type PageRow } from './html-parts.ts';

/** How an event ended for the person, in a word or two. */
function outcomeOf({ deliveries, decisions }: HistoryView): { tone: string; text: string } {
  const shown = deliveries.filter(({ channel }) => channel !== INBOX);
  const sent = shown.filter(({ state }) => state === 'sent');
  if (sent.length > 0) {
    return { tone: 'good', text: `sent to ${sent.map(({ channel }) => channel).join(', ')}` };
  }
  const dead = shown.find(({ state }) => state === 'dead');
  if (dead !== undefined) return { tone: 'bad', text: `${dead.channel} failed` };
  const waits = shown.filter(({ state }) => state === 'pending' || state === 'retrying');
  if (waits.length > 0) {
    return { tone: 'wait', text: `waits for ${waits.map(({ channel }) => channel).join(', ')}` };
  }
  return { tone: 'faint', text: decisions.at(-1)?.reason ?? 'not sent' };
}

/** The row of an event; it leads to the path it took. */
export function eventRow(event: HistoryView): PageRow {
  const { eventId, at, agent, called, project, title, text, kind, machine } = event;
  const { tone, text: outcome } = outcomeOf(event);
  const id = `e-${eventId}`;
  const parts = [
    called ?? agentLabels[agent],
    ...(project === null ? [] : [line(project, 80)]),
    ...(machine === null ? [] : [line(machine, 80)]),
    kind,
  ];
  return {
    id,
    html: `<a class="row event" id="${id}" data-row href="<root>events/${encodeURIComponent(eventId)}"><span class="when">${clock(at)}</span><span class="what"><span class="title" dir="auto">${line(title, 200)}</span>${text === '' ? '' : `<span class="said" dir="auto">${line(text, 200)}</span>`}<span class="meta">${parts.map((part) => `<span>${part}</span>`).join('')}</span></span><span class="outcome ${tone}">${line(outcome, 140)}</span></a>`,
  };
}

const stageTexts: Readonly<Record<Decision['stage'], string>> = {
  classify: 'Classified',
  repeat: 'Repetition',
  track: 'Session',
  resolve: 'Alert',
  relay: 'Relay',
  route: 'Route',
  mute: 'Mute',
  throttle: 'Limits',
  plan: 'Plan',
  delivery: 'Delivery',
};

const tones: Readonly<Record<Decision['verdict'], string>> = {
  pass: 'pass',
  stop: 'bad',
  notify: 'good',
  note: 'pass',
};

/** The path of one event from the hook to the channels: what `hookbell explain` prints. */
export function eventHtml(event: EventView, differs: WhatDiffers | null): string {
  const { eventId, title, agent, called, kind, at, receivedAt, cwd, turnMs } = event;
  const shown = event.whole ?? event.body;
  const facts = [
    ['Agent', called ?? agentLabels[agent]],
    ['Event', `${line(event.event)} <span class="faint">(${kind})</span>`],
    ['When', `${clock(at)} · ${age(at)} ago`],
    ...(event.machine === null ? [] : [['Machine', line(event.machine)]]),
    ...(cwd === null ? [] : [['Directory', line(cwd)]]),
    ...(event.tool === null
      ? []
      : [[kind === 'subagent.done' ? 'Subagent' : 'Tool', line(event.tool)]]),
    ...(turnMs === null ? [] : [['Turn', durationText(turnMs)]]),
    ['Event id', `<code>${line(eventId)}</code>`],
  ];
  const taken = Math.max(0, Date.parse(receivedAt) - Date.parse(at));
  const steps = [
    step('pass', 'Hook', `The hook ran, and the daemon received the event ${taken} ms later.`),
    ...event.decisions.map(({ stage, verdict, reason }) =>
      step(tones[verdict], stageTexts[stage], line(reason, 1_000)),
    ),
    ...event.deliveries.map(deliveryStep),
  ];
  return `<p class="back"><a href="<root>timeline">Timeline</a></p>
<h1 dir="auto">${line(title, 300)}</h1>
${shown.trim() === '' ? '' : `<pre class="request" dir="auto" tabindex="0" aria-label="The text of the notification">${lines(shown)}</pre>`}
<div class="columns"><section aria-labelledby="path"><h2 id="path">What happened</h2><ol class="path">${steps.join('')}</ol>${differs === null ? '' : differsHtml(differs)}</section>
<section aria-labelledby="facts"><h2 id="facts">Event</h2><dl class="facts">${facts.map(([term, value]) => `<div><dt>${term}</dt><dd>${value}</dd></div>`).join('')}</dl></section></div>`;
}

/** What would have to change for it to notify someone, with the conditions of the routes that do not hold. */
function differsHtml({ sentence, tree }: WhatDiffers): string {
  const routes = (tree ?? []).map(({ route, plan, taken, unfit }) => {
    const conditions = unfit.map(
      ({ condition, wanted, actual }) =>
        `<li>${line(condition)} does not hold: ${line(actual)}, wanted ${line(wanted)}</li>`,
    );
    return `<li class="${taken ? 'good' : 'pass'}"><strong>${line(route)}</strong> <span class="faint">plan ${line(plan)}</span>${conditions.length === 0 ? '' : `<ul class="attempts">${conditions.join('')}</ul>`}</li>`;
  });
  const list = routes.length === 0 ? '' : `<ul class="path routes">${routes.join('')}</ul>`;
  return `<h2 id="differs">What would have to change</h2><p>${line(sentence, 1_000)}</p>${list}`;
}

function step(tone: string, heading: string, text: string): string {
  return `<li class="${tone}"><strong>${heading}</strong><p>${text}</p></li>`;
}

function deliveryStep(delivery: EventDeliveryView): string {
  const { channel, state, reason, sentAt, dueAt, sentWith, possibleDuplicate, log } = delivery;
  const tone = state === 'sent' ? 'good' : state === 'dead' ? 'bad' : 'pass';
  const when =
    sentAt !== null
      ? ` at ${clock(sentAt)}`
      : state === 'cancelled' || state === 'dead'
        ? ''
        : `, due at ${clock(dueAt)}`;
  const how = sentWith === null ? state : 'sent with another event';
  const notes = [
    reason === null ? '' : `: ${line(reason, 1_000)}`,
    possibleDuplicate ? ' (may have arrived twice)' : '',
  ].join('');
  const attempts = log.map(
    ({ number, startedAt, outcome, durationMs, reason: why }) =>
      `<li>Attempt ${number} at ${clock(startedAt)}: ${outcome} after ${durationMs < 10_000 ? `${durationMs} ms` : durationText(durationMs)}${why === null ? '' : `, ${line(why, 1_000)}`}</li>`,
  );
  const whom = delivery.recipient === undefined ? '' : ` to ${line(delivery.recipient)}`;
  const list = attempts.length === 0 ? '' : `<ul class="attempts">${attempts.join('')}</ul>`;
  return `<li class="${tone}"><strong>${line(channel)}${whom}</strong><p>${how}${when}${notes}</p>${list}</li>`;
}
