import type { ChannelStateView, MuteView, SessionView, StatusView } from '../control/contract.ts';
import { agentLabels } from '../core/hook-event.ts';
import type { QuietHours } from '../core/policy.ts';
import type { PageRights } from './page-access.ts';
import { actionForm, clock, inAttribute, line, type PageRow } from './html-parts.ts';

const channelTexts: Readonly<Record<ChannelStateView['state'], string>> = {
  ok: 'ok',
  limited: 'waits',
  open: 'paused after failures',
  broken: 'broken',
};

/** Channels and their health, as "hookbell status" shows it. */
export function channelRows({ channels }: Pick<StatusView, 'channels'>): readonly PageRow[] {
  return channels.map(({ name, type, state, notBefore, lastReason, lastOutcome, paused }) => {
    const until = notBefore === null ? '' : ` until ${clock(notBefore)}`;
    const reason =
      lastReason === null || lastOutcome === 'delivered'
        ? ''
        : `<p class="meta">${line(lastReason)}</p>`;
    const waits = paused.map(
      ({ what, until: then }) => `<p class="faint">${line(what)} waits until ${clock(then)}</p>`,
    );
    const id = `channel-${name.replaceAll('.', '-')}`;
    const button = `<button class="tool" aria-label="Send a test through ${name}">Test</button>`;
    const test = type === 'inbox' ? '' : actionForm('test', { channel: name }, button);
    return {
      id,
      html: `<div class="item channel ${state}" id="${id}"><header><span class="dot"></span><strong>${line(name)}</strong>${name === type ? '' : `<span class="faint">${line(type)}</span>`}<span class="spacer"></span><span class="faint">${channelTexts[state]}${until}</span>${test}</header>${reason}${waits.join('')}</div>`,
    };
  });
}

/** What the daemon warns about. */
export function warningRows({ warnings, config }: Pick<StatusView, 'warnings' | 'config'>) {
  const texts = [...config.problems.map((problem) => `Configuration: ${problem}`), ...warnings];
  return texts.map((text, index) => ({
    id: `warning-${index}`,
    html: `<p class="warning" id="warning-${index}">${line(text, 1_000)}</p>`,
  }));
}

/** Offers the hooks once for an agent of which only the record shows sessions. */
export function hooklessRows(sessions: readonly SessionView[]): readonly PageRow[] {
  const agentsBy = (by: SessionView['seenBy']) =>
    new Set(sessions.filter(({ seenBy }) => seenBy === by).map(({ agent }) => agent));
  const hooked = agentsBy('hooks');
  return [...agentsBy('record')].flatMap((agent) => {
    if (hooked.has(agent)) return [];
    const id = `no-hook-${agent}`;
    const html = `<p class="warning calm" id="${id}">${agentLabels[agent]} runs without a hook and is seen in its own record. To see and answer more: <code>hookbell install --agent ${agent}</code></p>`;
    return [{ id, html }];
  });
}

const conditions = ['session', 'project', 'agent', 'channel', 'kind'] as const;

/** The active mutes, each with a button that removes it. */
export function muteRows(mutes: readonly MuteView[]): readonly PageRow[] {
  return mutes.map((mute) => {
    const what = conditions
      .flatMap((name) => (mute[name] === null ? [] : [`${name} ${mute[name]}`]))
      .join(', ');
    const until = mute.until === null ? 'until you remove it' : `until ${clock(mute.until)}`;
    const button = actionForm('unmute', { id: mute.id }, '<button class="tool">Unmute</button>');
    const id = `mute-${mute.id}`;
    return {
      id,
      html: `<div class="item" id="${id}"><header><strong>${what === '' ? 'Everything' : line(what)}</strong><span class="faint">${until}</span><span class="spacer"></span>${button}</header></div>`,
    };
  });
}

/** The mute form. */
export function muteForm(projects: readonly string[]): string {
  const options = projects.map((name) => `<option value="${inAttribute(name)}">`);
  return actionForm(
    'mute',
    {},
    `<div class="inline"><input name="project" list="projects" placeholder="everything" maxlength="200" aria-label="Project to mute; empty: everything" data-global="m"><datalist id="projects">${options.join('')}</datalist><select name="for" aria-label="For how long"><option value="30m">30 min</option><option value="1h" selected>1 hour</option><option value="4h">4 hours</option><option value="1d">1 day</option></select><button>Mute</button></div>`,
  );
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The configured quiet hours, and whether they are now. */
export function quietRows(
  quietHours: readonly QuietHours[],
  quietUntil: string | null,
): readonly PageRow[] {
  const id = 'quiet-now';
  const now = (until: string): PageRow => ({
    id,
    html: `<p class="warning calm" id="${id}">Quiet hours until ${clock(until)}</p>`,
  });
  const windows = quietHours.map(({ from, to, timezone, days: on, meanwhile }, index) => {
    const which = on === null ? 'every day' : on.map((day) => days[day] ?? '').join(', ');
    const how = {
      hold: 'notifications are held',
      discard: 'notifications are discarded',
      channels: 'only some channels notify',
    }[meanwhile.type];
    return {
      id: `quiet-${index}`,
      html: `<div class="item" id="quiet-${index}"><header><strong>${minutesText(from)}–${minutesText(to)}</strong><span class="faint">${which}</span></header><p class="faint">${how}, ${line(timezone)}</p></div>`,
    };
  });
  return [...(quietUntil === null ? [] : [now(quietUntil)]), ...windows];
}

/** The form that sets the quiet hours, if they are one window; it changes the configuration. */
export function quietForm(quietHours: readonly QuietHours[], rights: PageRights): string {
  if (quietHours.length > 1 || rights !== 'decide') return '';
  const [{ from, to } = { from: 22 * 60, to: 7 * 60 + 30 }] = quietHours;
  const off =
    quietHours.length === 0
      ? ''
      : '<button class="tool" name="off" value="1" formnovalidate>Remove</button>';
  return actionForm(
    'quiet',
    {},
    `<div class="inline">${timeField('from', 'Quiet hours from', from, ' data-global="q"')}${timeField('to', 'Quiet hours until', to)}<button>Set</button>${off}</div>`,
  ).replace('<form class="act"', '<form class="act" data-reload');
}

/** @param minutes of the day @param more further attributes */
function timeField(name: string, label: string, minutes: number, more = ''): string {
  return `<input type="time" name="${name}" value="${minutesText(minutes)}" aria-label="${label}" required${more}>`;
}

function minutesText(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
