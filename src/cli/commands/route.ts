import { decodePayload } from '../../agents/decode.ts';
import { FailedError, UsageError } from '../../core/errors.ts';
import { displayLine } from '../../core/sanitize.ts';
import type { CommandContext } from '../context.ts';
import type { DefineCommand } from '../define-command.ts';
import { requireConfig } from '../read-config.ts';
import { readPayloadFrom } from '../read-payload.ts';
import { routeEvent } from '../route-event.ts';
import { ageText } from '../time-text.ts';

interface Options {
  readonly event: string;
  readonly agent?: string;
  readonly after?: number;
}

/** `hookbell route test`: which way a payload would take through the configuration. */
export const defineRoute: DefineCommand = (program, run) => {
  program
    .command('route')
    .description('try out the routes of the configuration')
    .command('test')
    .description('say which route a payload takes and who would be told; nothing is sent')
    .requiredOption('--event <file>', 'file with the payload of a hook, or "-" for standard input')
    .option('--agent <name>', 'the agent it comes from')
    .option('--after <seconds>', 'as the end of a turn that took so long', readSeconds)
    .action((options: Options) => run((context) => testRoute(context, options)));
};

async function testRoute(
  { output, json, paths }: CommandContext,
  { event: place, agent, after }: Options,
): Promise<void> {
  const { policy } = await requireConfig(paths.config);
  const facts = agent === undefined ? {} : { agent };
  const decoded = decodePayload({ payload: await readPayloadFrom(place), facts });
  if (!decoded.ok) {
    throw new FailedError(`The payload is no event: ${decoded.reason}`, {
      hint: 'Run "hookbell hook --explain" with it to see what hookbell makes of it',
    });
  }
  const { event } = decoded;
  const turnMs = after === undefined ? null : after * 1_000;
  const { decisions, notify } = routeEvent(event, { policy, now: Date.now(), turnMs });
  if (json) {
    const { agent: from, event: name, kind, sessionId, project, message } = event;
    output.json({ agent: from, event: name, kind, sessionId, project, message, decisions, notify });
    return;
  }
  for (const { stage, verdict, reason } of decisions) {
    output.line(`${stage.padEnd(9)} ${verdict.padEnd(7)} ${displayLine(reason)}`);
  }
  for (const { channel, afterMs } of notify) {
    output.line(`would tell ${channel} ${afterMs === 0 ? 'at once' : `after ${ageText(afterMs)}`}`);
  }
  if (notify.length === 0) output.line('would tell nobody');
}

function readSeconds(value: string): number {
  const seconds = Number(value);
  if (value.trim() !== '' && Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new UsageError(`The length of the turn is "${value}", expected a number of seconds`);
}
