import { decodePayload } from '../../agents/decode.ts';
import { FailedError, UsageError } from '../../platform/errors.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { diffRoutes } from '../diff-routes.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { readLimit } from '../option-values.ts';
import type { Output } from '../output.ts';
import { printTree } from '../print-event.ts';
import { requireConfig } from '../read-config.ts';
import { readPayloadFrom } from '../read-payload.ts';
import { routeEvent, type Routing } from '../route-event.ts';
import { ageText, readTime } from '../time-text.ts';
import { defineReplay } from './replay.ts';

interface Options {
  readonly event: string;
  readonly agent?: string;
  readonly after?: number;
  readonly at?: number;
  readonly verify?: string;
  readonly tree?: boolean;
}

/** `hookbell route`: which way events would take through the configuration. */
export const defineRoute: DefineCommand = (program, run) => {
  const route = program
    .command('route')
    .description('try routes on a payload, a recording or past events');
  route
    .command('test')
    .description('say which route a payload takes and who would be told; nothing is sent')
    .requiredOption('--event <file>', 'file with the payload of a hook, or "-" for standard input')
    .option('--agent <name>', 'the agent it comes from')
    .option('--after <seconds>', 'as the end of a turn that took so long', readSeconds)
    .option('--at <time>', 'as if it were that time, such as 2026-01-05T22:30 or 22:30', (text) =>
      readTime(text, Date.now()),
    )
    .option('--verify <plan>', 'end with 1 unless it takes this plan ("none": tells nobody)')
    .option('--tree', 'show every route and what keeps the payload from it')
    .action((options: Options) => run((context) => testRoute(context, options)));
  route
    .command('diff')
    .argument('<old>', 'a configuration')
    .argument('<new>', 'another one')
    .description('list the recorded events that would go elsewhere with another configuration')
    .option('--limit <n>', 'look at so many recorded events', readLimit, 1_000)
    .action((before: string, after: string, { limit }: { readonly limit: number }) =>
      run((context) => diffRoutes(context, { before, after, limit })),
    );
  defineReplay(route, run);
};

async function testRoute(
  { output, json, paths }: CommandContext,
  { event: place, agent, after, at, verify, tree }: Options,
): Promise<ExitCode> {
  const { policy } = await requireConfig(paths.config);
  if (verify !== undefined && policy.plans[verify] === undefined) {
    throw new UsageError(`No plan has the name "${verify}"`, {
      hint: `There are: ${Object.keys(policy.plans).join(', ')}`,
    });
  }
  const facts = agent === undefined ? {} : { agent };
  const decoded = decodePayload({ payload: await readPayloadFrom(place), facts });
  if (!decoded.ok) {
    throw new FailedError(`The payload is no event: ${decoded.reason}`, {
      hint: 'Run "hookbell hook --explain" with it to see what hookbell makes of it',
    });
  }
  const { event } = decoded;
  const turnMs = after === undefined ? null : after * 1_000;
  const routing = routeEvent(event, { policy, now: at ?? Date.now(), turnMs });
  const { decisions, notify, plans } = routing;
  const verified = verify === undefined ? null : takes(routing, verify);
  if (json) {
    const { agent: from, event: name, kind, sessionId, project, message } = event;
    output.json({
      agent: from,
      event: name,
      kind,
      sessionId,
      project,
      message,
      decisions,
      notify,
      plans,
      ...(tree === true ? { tree: routing.tree } : {}),
      ...(verified === null ? {} : { verified }),
    });
  } else {
    if (tree === true) printTree(output, routing.tree);
    printRouting(output, routing);
    if (verified === false) {
      output.complain(`It takes ${plans.join(', ') || 'no plan'}, expected "${verify}"`);
    }
  }
  return verified === false ? exitCodes.failed : exitCodes.ok;
}

function takes({ plans, notify }: Routing, plan: string): boolean {
  return plan === 'none' ? notify.length === 0 : plans.includes(plan);
}

function printRouting(output: Output, { decisions, notify }: Routing): void {
  for (const { stage, verdict, reason } of decisions) {
    output.line(`${stage.padEnd(9)} ${verdict.padEnd(7)} ${displayLine(reason)}`);
  }
  for (const { channel, afterMs } of notify) {
    output.line(`would tell ${channel} ${whenText(afterMs)}`);
  }
  if (notify.length === 0) output.line('would tell nobody');
}

function whenText(afterMs: number): string {
  if (afterMs === 0) return 'at once';
  return `after ${afterMs < 1_000 ? `${afterMs} ms` : ageText(afterMs)}`;
}

function readSeconds(value: string): number {
  const seconds = Number(value);
  if (value.trim() !== '' && Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new UsageError(`The length of the turn is "${value}", expected a number of seconds`);
}
