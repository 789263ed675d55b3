import type { Command } from 'commander';

import { UsageError } from '../../platform/errors.ts';
import { displayLine, displayText } from '../../text/sanitize.ts';
import { chooseAgents } from '../choose-agents.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { type QuietRange, readQuietRange, type Said } from '../init/answers.ts';
import { askWishes, confirmPlan, makePlan, selectableChannels } from '../init/make-plan.ts';
import { type Fate, fates } from '../init/new-config.ts';
import { silentQuestions } from '../init/questions.ts';
import { carryOut, type Plan, setUp } from '../init/set-up.ts';
import { readSetting } from '../init/settings.ts';
import { terminalQuestions } from '../init/terminal-questions.ts';
import { collect, collectWords, readWord } from '../option-values.ts';
import { printStep, printSteps } from '../print-steps.ts';
import { allDelivered, printTests } from '../test-channels.ts';
import { withInterrupt } from '../refresh-loop.ts';

interface Options {
  readonly agent?: readonly string[];
  readonly hooks: boolean;
  readonly channel?: readonly string[];
  readonly set?: readonly string[];
  /** False for `--no-quiet-hours`. */
  readonly quietHours?: string | false;
  /** False for `--no-api`. */
  readonly api?: string | false;
  readonly apiKey?: string;
  readonly existing?: Fate;
  readonly test: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `hookbell init`: asks the few questions, writes the configuration, registers the hooks, rings each channel. */
export const defineInit: DefineCommand = (program, run) => {
  const types = selectableChannels.map(({ type }) => type);
  const command: Command = program
    .command('init')
    .description('ask the few questions, write the configuration, register the hooks, show a test')
    .option('--agent <name>', 'register with this agent (may be given several times)', collect)
    .option('--no-hooks', 'leave the settings of the agents alone')
    .option('--channel <type>', 'ring there (may be given several times)', collectWords(types))
    .option('--set <option=value>', 'an option of a channel, as slack.webhook=file:PATH', collect)
    .option('--quiet-hours <from-to>', 'when it does not ring, such as 22:00-07:30')
    .option('--no-quiet-hours', 'it rings at any hour')
    .option('--api <url>', "look session titles up with the vendor's service at this address")
    .option('--api-key <place>', 'where its key is kept: file:PATH or env:NAME')
    .option('--no-api', 'look nothing up')
    .option(
      '--existing <what>',
      `what becomes of a configuration: ${fates.join(', ')}`,
      readWord(fates),
    )
    .option('--no-test', 'ring nowhere')
    .option('--dry-run', 'print the configuration, and do nothing')
    .option('--yes', 'ask nothing: what is not said is as it would be without an answer')
    .addHelpText(
      'after',
      `
Types of channels: ${types.join(', ')}.
A secret is no word of a command line: say --set slack.webhook=file:PATH or env:NAME, or put it into the variable
HOOKBELL_INIT_SLACK_WEBHOOK, HOOKBELL_INIT_EMAIL_SMTP_PASSWORD, HOOKBELL_INIT_API_KEY, and so on; then it is kept in a file only you can read.
`,
    )
    .action(() => run((context) => initCommand(context, command.opts<Options>())));
};

async function initCommand(context: CommandContext, options: Options): Promise<ExitCode> {
  const { output, json, paths } = context;
  const plan = await planOf(context, options);
  const { config } = plan;
  if (options.dryRun === true) {
    const { steps } = await carryOut(context, plan, { dryRun: true });
    const secrets = config.secrets.map(({ path }) => path);
    if (json) {
      output.json({ dryRun: true, path: paths.config, config: config.text, secrets, steps });
    } else if (config.existing === 'keep') {
      output.say(`The configuration would be kept: ${displayLine(paths.config)}`);
    } else {
      output.line(displayText(config.text).trimEnd());
    }
    for (const path of secrets) output.say(`A secret would be kept in ${displayLine(path)}`);
    return exitCodes.ok;
  }

  const { steps, daemon, taken, tests } = await setUp(context, plan, {
    installed: (done) => {
      if (!json) printSteps(context, done, false);
    },
    running: (pid) => {
      if (!json) printStep(context, 'done', 'daemon', `running, pid ${pid}`);
    },
  });
  if (json) {
    const { ok, problems } = taken;
    output.json({ dryRun: false, path: paths.config, ok, problems, steps, daemon, tests });
  }
  if (!taken.ok) {
    for (const problem of taken.problems) output.complain(displayLine(problem));
    output.complain('hookbell: The daemon goes on without this configuration');
    return exitCodes.configInvalid;
  }
  if (!json && tests.length > 0) printTests(output, tests);
  const failed = steps.some(({ state }) => state === 'failed') || !allDelivered(tests);
  output.say(
    failed
      ? '\nNot everything works yet: "hookbell doctor" says what to do.'
      : `\nReady. Change what you like in ${displayLine(paths.config)}; "hookbell channel add NAME" adds a channel, "hookbell doctor" reports what is wrong.`,
  );
  return failed ? exitCodes.partial : exitCodes.ok;
}

/** Asks a person where there is one and no `--yes`; what nobody answers has to be said. */
async function planOf(context: CommandContext, options: Options): Promise<Plan> {
  const said = whatIsSaid(options);
  const { existing = null, yes = false, dryRun = false } = options;
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && process.stderr.isTTY;
  if (isTerminal && !yes) {
    return withInterrupt(async (interrupted) => {
      const questions = terminalQuestions(process.stderr, interrupted);
      const fate = existing ?? (dryRun ? 'backup' : 'ask');
      const wishes = await askWishes(context, said, fate, questions);
      const plan = await makePlan(context, wishes, { ring: options.test });
      if (!dryRun) await confirmPlan(context, plan, wishes.existing, questions);
      return plan;
    });
  }

  const questions = silentQuestions(yes ? 'defaults' : 'nothing');
  const fate = existing ?? (dryRun ? 'backup' : null);
  const wishes = await askWishes(context, said, fate, questions);
  const flags = [...new Set([...questions.unanswered(), ...(yes || dryRun ? [] : ['--yes'])])];
  if (flags.length === 0) return makePlan(context, wishes, { ring: options.test });
  const what = yes ? 'Not everything has a default' : 'There is no terminal to ask in';
  throw new UsageError(what, { hint: ['Say', ...flags].join('\n    ') });
}

function whatIsSaid({
  agent = [],
  hooks,
  channel = [],
  set = [],
  quietHours,
  api,
  apiKey,
}: Options): Said {
  if (!hooks && agent.length > 0) {
    throw new UsageError('"--no-hooks" and "--agent" exclude each other');
  }
  // Refuses the names of agents nobody knows before anything is asked.
  if (agent.length > 0) chooseAgents(agent);
  return {
    agents: hooks ? (agent.length === 0 ? null : [...new Set(agent)]) : [],
    channels: channel.length === 0 ? null : channel,
    settings: set.map(readSetting),
    quietHours:
      quietHours === undefined ? null : quietHours === false ? 'none' : rangeOf(quietHours),
    api: api === undefined ? null : api === false ? 'none' : api,
    apiKey: apiKey ?? null,
  };
}

function rangeOf(text: string): QuietRange {
  const range = readQuietRange(text);
  if (!('fault' in range)) return range;
  throw new UsageError(`"--quiet-hours ${text}" ${range.fault}`);
}
