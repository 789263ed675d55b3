import { readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { FailedError, UsageError } from '../../platform/errors.ts';
import type { InstallStep } from '../../setup/run-steps.ts';
import { displayLine, displayText } from '../../text/sanitize.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { closingSentence, completionHint, hookLines } from '../init/closing.ts';
import {
  type GivenAnswers,
  type KeptAnswers,
  type QuietRange,
  readQuietRange,
} from '../init/answers.ts';
import { leavingInit } from '../init/channel-questions.ts';
import { keepAnswers, keptAnswers } from '../init/kept-answers.ts';
import {
  askWishes,
  confirmPlan,
  type ExistingFileChoice,
  existingFileChoices,
  makePlan,
  selectableChannels,
} from '../init/make-plan.ts';
import { readSetting } from '../init/place-secrets.ts';
import { carryOut, type SetUpPlan, setUp } from '../init/set-up.ts';
import { SetUpStopped, silentQuestions, terminalQuestions } from '../init/terminal-questions.ts';
import { chooseAgents } from '../install-places.ts';
import { collect, collectWords, readWord } from '../option-values.ts';
import { stepText } from '../print-event.ts';
import { withInterrupt } from '../refresh-loop.ts';
import { allDelivered, printTests } from '../test-channels.ts';
import { desktopPrograms } from '../../channels/desktop/backend.ts';
import { backendsFor, createFallbackChain } from '../../channels/desktop/fallback-chain.ts';
import { desktopOptions } from '../../channels/desktop/pop-up.ts';

/** For the probes of all ways to show a pop-up, ms. */
const PATIENCE_MS = 3_000;

/** Whether the desktop channel would show pop-ups here, not only write to a terminal. */
async function showsPopUps(env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const { platform } = process;
  const backends = backendsFor(desktopPrograms(platform, env), desktopOptions.parse({}), {
    now: Date.now,
    onReaction: () => undefined,
    onWorksAgain: () => undefined,
  });
  try {
    const chain = createFallbackChain(backends, Date.now);
    return await chain.warmUp(AbortSignal.timeout(PATIENCE_MS));
  } finally {
    for (const backend of backends) await backend.close?.();
  }
}

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
  readonly existing?: ExistingFileChoice;
  readonly test: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `hookbell init`: asks a few questions, writes the configuration, registers the hooks, and tests each channel. */
export const defineInit: DefineCommand = (program, run) => {
  const types = selectableChannels.map(({ type }) => type);
  program
    .command('init')
    .description('ask a few questions, write the configuration, register the hooks and send a test')
    .option('--agent <name>', 'register with this agent; may be repeated', collect)
    .option('--no-hooks', 'do not change the settings of agents')
    .option(
      '--channel <type>',
      'notify through a channel of this type; may be repeated',
      collectWords(types),
    )
    .option('--set <option=value>', 'option of a channel, such as slack.webhook=file:PATH', collect)
    .option(
      '--quiet-hours <from-to>',
      'hours during which notifications are held, such as 22:00-07:30',
    )
    .option('--no-quiet-hours', 'notify at any hour')
    .option('--api <url>', "look up session titles from the vendor's service at this address")
    .option('--api-key <place>', 'key of the service: file:PATH or env:NAME')
    .option('--no-api', 'do not look up session titles')
    .option(
      '--existing <what>',
      `how to handle an existing configuration: ${existingFileChoices.join(', ')}`,
      readWord(existingFileChoices),
    )
    .option('--no-test', 'do not send a test notification')
    .option(
      '--dry-run',
      'print the configuration, and what would be done, without changing anything',
    )
    .option('--yes', 'do not prompt; use defaults for anything not given')
    .addHelpText(
      'after',
      `
Types of channels: ${types.join(', ')}.
Do not type secrets on the command line: use --set slack.webhook=file:PATH or env:NAME, or set
HOOKBELL_INIT_SLACK_WEBHOOK, HOOKBELL_INIT_EMAIL_SMTP_PASSWORD, HOOKBELL_INIT_API_KEY, and so on, to store the value in
a file only you can read.
`,
    )
    .action(run(initCommand));
};

async function initCommand(context: CommandContext, options: Options): Promise<ExitCode> {
  const { output, json, paths } = context;
  const plan = await planOf(context, options);
  const { config } = plan;
  if (options.dryRun === true) {
    const { steps } = await carryOut(context, plan, { dryRun: true });
    if (json) {
      const secrets = config.secrets.map(({ path }) => path);
      output.json({ dryRun: true, path: paths.config, config: config.text, secrets, steps });
    } else if (config.existing === 'keep') {
      output.say(`The configuration would be kept: ${displayLine(paths.config)}`);
    } else {
      output.line(displayText(config.text).trimEnd());
    }
    if (!json) sayDryRun(context, plan, steps);
    return exitCodes.ok;
  }

  const { steps, pid, taken, tests } = await setUp(context, plan);
  // They may contain secrets, and are in the configuration now.
  await rm(paths.initAnswers, { force: true });
  if (json) {
    const { ok, problems } = taken;
    const daemon = { pid };
    output.json({ dryRun: false, path: paths.config, ok, problems, steps, daemon, tests });
  }
  if (!taken.ok) {
    for (const problem of taken.problems) output.complain(displayLine(problem));
    output.complain('hookbell: The daemon does not use this configuration');
    return exitCodes.configInvalid;
  }
  if (!json && tests.length > 0) printTests(output, tests);
  const failed = steps.some(({ state }) => state === 'failed') || !allDelivered(tests);
  output.say(`\n${closingSentence(steps, tests, paths.config)}`);
  const hint = await completionHint(context.env, homedir(), (path) => readFile(path, 'utf8'));
  if (hint !== null) output.say(hint);
  return failed ? exitCodes.partial : exitCodes.ok;
}

/** Says on standard error what would change, so that standard output is the configuration alone. */
function sayDryRun(
  { output }: CommandContext,
  { agents, config }: SetUpPlan,
  steps: readonly InstallStep[],
): void {
  output.say('\nThis is what would be done:');
  for (const { state, name, text } of steps) {
    output.say(stepText(output, state, name, displayLine(text)));
  }
  for (const { path } of config.secrets) {
    output.say(`A secret would be stored in ${displayLine(path)}`);
  }
  for (const line of hookLines(agents)) output.say(displayLine(line));
  output.say('Nothing was changed');
}

/** Asks at the terminal unless `--yes` is given; without a terminal, options must give the answers. */
async function planOf(context: CommandContext, options: Options): Promise<SetUpPlan> {
  const given = givenOptions(options);
  const { existing = null, yes = false, dryRun = false } = options;
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && process.stderr.isTTY;
  if (isTerminal && !yes) {
    return withInterrupt(async (signal) => {
      const { env, paths } = context;
      const output = process.stderr;
      let kept: KeptAnswers = { channels: [] };
      const questions = terminalQuestions({
        output,
        signal,
        env,
        leaving: leavingInit,
        beforeEach: () => !dryRun && keepAnswers(paths.initAnswers, kept),
      });
      const choice = existing ?? (dryRun ? 'backup' : 'ask');
      kept = await keptAnswers(paths.initAnswers, questions);
      try {
        const hasDesktop = await showsPopUps(env);
        const wishes = await askWishes(context, given, choice, questions, { kept, hasDesktop });
        const plan = await makePlan(context, wishes, options.test);
        // The person who confirms has read that each channel gets a test.
        const ringing =
          wishes.answers === null && options.test ? { ...plan, ring: 'all' as const } : plan;
        if (!dryRun) await confirmPlan(context, ringing, wishes.existing, questions);
        return ringing;
      } catch (error) {
        if (!(error instanceof SetUpStopped)) await rm(paths.initAnswers, { force: true });
        if (!(error instanceof SetUpStopped) || !keepAnswers(paths.initAnswers, kept)) throw error;
        throw new FailedError(error.message, {
          hint: 'Nothing was changed. Your answers are kept: "hookbell init" continues with them',
        });
      }
    });
  }

  const questions = silentQuestions(yes ? 'defaults' : 'nothing');
  const choice = existing ?? (dryRun ? 'backup' : null);
  const wishes = await askWishes(context, given, choice, questions);
  const flags = [...new Set([...questions.unanswered(), ...(yes || dryRun ? [] : ['--yes'])])];
  if (flags.length === 0) return makePlan(context, wishes, options.test);
  const what = yes ? 'Some options have no default' : 'Cannot prompt without a terminal';
  throw new UsageError(what, { hint: ['Set', ...flags].join('\n    ') });
}

function givenOptions(options: Options): GivenAnswers {
  const { agent = [], hooks, channel = [], set = [], quietHours, api, apiKey } = options;
  if (!hooks && agent.length > 0) {
    throw new UsageError('"--no-hooks" and "--agent" exclude each other');
  }
  // Rejects unknown agents before the first question.
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
