import {
  type ApiStateView,
  channelWarning,
  type HeartbeatView,
  type RelayView,
} from '../../control/contract-views.ts';
import type { ChannelStateView, StatusView } from '../../control/contract.ts';
import { durationText } from '../../text/duration.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { DefineCommand } from '../context.ts';
import { muteNotice } from '../short-id.ts';
import type { Output } from '../output.ts';
import { policyText } from '../policy-text.ts';
import { channelReason } from '../print-event.ts';
import { ageSince, localTimeText } from '../time-text.ts';

/** `hookbell status`: shows daemon status. */
export const defineStatus: DefineCommand = (program, run) => {
  program
    .command('status')
    .description('show daemon status')
    .action(
      run(async ({ output, json, ask }) => {
        const status = await ask('GET /v1/status');
        if (json) output.json(status);
        else printStatus(output, status, Date.now());
      }),
    );
};

function printStatus(output: Output, status: StatusView, now: number): void {
  const { paint } = output;
  const { spool, deliveries, sessions, config } = status;
  const age = ageSince(status.startedAt, now);
  const notice = silenceNotice(status, now);
  if (notice !== '') output.line(paint('yellow', notice));
  output.line(
    `${paint('green', 'running')}   version ${displayLine(status.version)}, pid ${status.pid}, for ${age}, started by ${starters[status.startedBy]}`,
  );
  output.line(
    `config    ${displayLine(config.path)}${config.ok ? '' : paint('red', ' is not in effect:')}`,
  );
  for (const problem of config.problems) output.line(`          ${displayLine(problem)}`);
  output.line(`sessions  ${sessions.waiting} waiting, ${sessions.working} working`);
  output.line(
    `events    ${status.events} stored, ${spool.pending} in the spool, ${spool.quarantined} in quarantine`,
  );
  output.line(
    `queue     ${deliveries.pending} pending, ${deliveries.sent} sent, ${deliveries.dead} dead`,
  );
  output.line(`look-up   ${displayLine(lookUpText(status.api, now))}`);
  if (status.heartbeat !== null) {
    output.line(`heartbeat ${displayLine(heartbeatText(status.heartbeat, now))}`);
  }
  if (status.relay !== null) {
    output.line(`relay     ${displayLine(relayText(status.relay, now))}`);
    const { policy } = status.relay;
    if (policy !== null) {
      const since = `set ${ageSince(policy.setAt, now)} ago`;
      output.line(`policy    of the hub, ${since}: ${displayLine(policyText(policy))}`);
    }
  }
  if (status.listen !== null) {
    const { addresses, problem, machines } = status.listen;
    const where = `on ${addresses.join(', ')}, ${machines.length} paired`;
    output.line(`listen    ${displayLine(problem === null ? where : `failed: ${problem}`)}`);
  }
  for (const { name, origin } of status.endpoints) {
    if (origin === null) continue;
    const texts = {
      metrics: `metrics   ${origin}/metrics`,
      reply_page: `replies   page at ${origin}`,
      page: `page      ${origin}, opened by "hookbell open"`,
      'hub.page': `team page ${origin}, for the proxy in front of it`,
    };
    output.line(texts[name]);
  }
  for (const warning of status.warnings) {
    // The table shows it, with the reason.
    if (status.channels.some(({ name }) => warning.startsWith(channelWarning(name)))) continue;
    output.line(paint('yellow', `! ${displayLine(warning)}`));
  }
  output.line();
  output.table(
    ['CHANNEL', 'TYPE', 'STATE', 'LAST', 'REASON'],
    status.channels.map((channel) => [
      channel.name,
      channel.type,
      stateText(channel, now),
      channel.lastOutcome ?? '-',
      [channelReason(channel.type, channel.lastReason ?? ''), ...pausesText(channel, now)]
        .filter((text) => text !== '')
        .join('; '),
    ]),
  );
}

const starters: Readonly<Record<StatusView['startedBy'], string>> = {
  hook: 'a hook',
  command: 'a command',
  service: 'the service',
  terminal: '"hookbell daemon"',
};

/** Why notifications may be held now; empty if none are. */
function silenceNotice({ mutes, quietUntil }: StatusView, now: number): string {
  const quiet = quietUntil === null ? [] : withEnd('Quiet hours', quietUntil, now);
  return [muteNotice(mutes, now) ?? [], quiet].flat().join('. ');
}

function heartbeatText({ everyMs, lastAt, reason }: HeartbeatView, now: number): string {
  const every = `every ${durationText(everyMs)}`;
  if (reason !== null) return `${every}, but the last one failed: ${reason}`;
  return lastAt === null ? every : `${every}, the last one ${ageSince(lastAt, now)} ago`;
}

function relayText({ to, state, reason, waiting, lastAt }: RelayView, now: number): string {
  const does = {
    starting: 'nothing to forward yet',
    ok: lastAt === null ? 'works' : `last forwarded ${ageSince(lastAt, now)} ago`,
    down: `unreachable: ${reason}`,
    refused: `refused: ${reason}`,
  };
  return `to ${to}, ${does[state]}${waiting === 0 ? '' : `, ${waiting} events wait`}`;
}

/** State of the session look-up. */
function lookUpText({ state, until, reason }: ApiStateView, now: number): string {
  return {
    off: 'off: the address or key of the service is not configured',
    ok: reason === null ? 'on' : `on, but the last one failed: ${reason}`,
    paused: `${withEnd('paused', until, now)}: ${reason}`,
  }[state];
}

function withEnd(what: string, until: string | null, now: number): string {
  return until === null ? what : `${what} until ${localTimeText(until, now)}`;
}

/** What the service has asked to wait with besides sending. */
function pausesText({ paused }: ChannelStateView, now: number): readonly string[] {
  return paused.map(({ what, until }) => withEnd(`${what} waits`, until, now));
}

/** "paused" instead of "open", a circuit breaker's term for a channel that sends nothing. */
function stateText({ state, notBefore }: ChannelStateView, now: number): string {
  if (state === 'ok' || state === 'broken') return state;
  return withEnd(state === 'limited' ? 'waits' : 'paused', notBefore, now);
}
