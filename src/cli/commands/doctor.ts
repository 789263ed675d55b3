import { UsageError } from '../../platform/errors.ts';
import { countOf } from '../../text/count.ts';
import { displayLine } from '../../text/sanitize.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import type { Check, CheckState } from '../doctor/check.ts';
import { checkCoverage, readCoverage } from '../doctor/coverage.ts';
import { examine } from '../doctor/checks.ts';
import { systemPorts } from '../doctor/ports.ts';
import { tryAgents } from '../doctor/try-agents.ts';
import { collect } from '../option-values.ts';
import type { Output } from '../output.ts';
import { readDuration } from '../time-text.ts';
import { withClient } from '../vendor/with-client.ts';

interface Options {
  readonly canary?: boolean;
  readonly coverage?: boolean;
  readonly all?: boolean;
  readonly run?: boolean;
  readonly agent?: readonly string[];
  readonly wait?: number;
}

/** `hookbell doctor`: checks the installation and suggests fixes. */
export const defineDoctor: DefineCommand = (program, run) => {
  program
    .command('doctor')
    .description('check the installation and suggest fixes')
    .option('--all', 'also list checks that passed')
    .option(
      '--canary',
      'ask you to run one prompt, then report which of its registered events arrive',
    )
    .option(
      '--coverage',
      'compare hook runs with sessions at the service, and list active users without a hook',
    )
    .option('--run', 'with --canary: run the agents without a terminal instead of asking you')
    .option('--agent <name>', 'with --canary: only this agent; may be repeated', collect)
    .option('--wait <time>', 'with --canary: timeout per agent, 3m by default', readDuration)
    .action(run(doctor));
};

async function doctor(context: CommandContext, options: Options): Promise<ExitCode | void> {
  const { output, json } = context;
  const { canary = false, run = false, agent: agents = [], wait: waitMs = WAIT_MS } = options;
  if (!canary && (run || agents.length > 0)) {
    throw new UsageError('"--run" and "--agent" need "--canary"', { hint: 'Add "--canary"' });
  }
  if (options.coverage === true) {
    if (!canary) return reportCoverage(context);
    throw new UsageError('"--coverage" and "--canary" exclude each other');
  }
  const ports = await systemPorts(context);
  const tried = canary ? await tryAgents(context, ports, { agents, run, waitMs }) : null;
  const checks = tried?.checks ?? (await examine(ports));
  const isWell = checks.every(({ state }) => state !== 'problem');
  if (!json) printChecks(output, checks, options.all === true || canary);
  else if (tried === null) output.json({ ok: isWell, checks });
  else output.json({ ok: isWell, marker: tried.marker, events: tried.findings, checks });
  return isWell ? exitCodes.ok : exitCodes.failed;
}

/** Reports on the organization instead of this machine, so it is a separate mode. */
async function reportCoverage(context: CommandContext): Promise<ExitCode | void> {
  const { output, json } = context;
  return withClient(context, async ({ api }) => {
    const coverage = await readCoverage(api, Date.now());
    const checks = checkCoverage(coverage);
    const isWell = checks.every(({ state }) => state !== 'problem');
    if (json) output.json({ ok: isWell, coverage, checks });
    else printChecks(output, checks, true);
    return isWell ? exitCodes.ok : exitCodes.failed;
  });
}

const WAIT_MS = 180_000;

const colours = { ok: 'green', warning: 'yellow', problem: 'red', skipped: 'dim' } as const;

/** What a person has to act on comes first. */
const order: readonly CheckState[] = ['problem', 'warning', 'ok', 'skipped'];

function printChecks(output: Output, checks: readonly Check[], all: boolean): void {
  const count = (wanted: CheckState): number =>
    checks.filter(({ state }) => state === wanted).length;
  const listed = order
    .filter((state) => all || state === 'problem' || state === 'warning')
    .flatMap((wanted) => checks.filter(({ state }) => state === wanted));
  const width = Math.max(0, ...listed.map(({ name }) => name.length));
  for (const { name, state, summary, hint } of listed) {
    const word = output.paint(colours[state], state.padEnd(7));
    output.line(`${word}  ${displayLine(name).padEnd(width)}  ${displayLine(summary)}`);
    if (hint !== null) output.line(`${' '.repeat(width + 11)}${displayLine(hint)}`);
  }
  if (!all) {
    const others = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`;
    output.line(`${countOf(count('ok'), 'check')} ok${others}; --all lists them`);
  }
  output.say(`Problems: ${count('problem')}, warnings: ${count('warning')}`);
}
