import { homedir } from 'node:os';

import type { ConfigView } from '../../config/config-holder.ts';
import type { ChannelTestView } from '../../control/contract.ts';
import type { NewConfig } from '../../setup/install-config.ts';
import { install } from '../../setup/install.ts';
import { type InstallStep, runStep } from '../../setup/run-steps.ts';
import { chooseAgents } from '../choose-agents.ts';
import type { CommandContext } from '../context.ts';
import { findDaemon, startDaemon, stopOutdatedDaemon } from '../daemon-process.ts';
import { installPlaces } from '../install-places.ts';
import { testChannels } from '../test-channels.ts';

/** What to do after all questions. */
export interface Plan {
  readonly agents: readonly string[];
  readonly config: NewConfig;
  /** Channels that get a test; empty: all of them. Null: none. */
  readonly ring: readonly string[] | null;
  /** What the configuration does, for people; empty if it is kept. */
  readonly summary: readonly string[];
}

/** Called after each step, because the last one can take minutes. */
export interface Progress {
  readonly installed: (steps: readonly InstallStep[]) => void;
  readonly running: (pid: number) => void;
}

export interface SetUp {
  readonly steps: readonly InstallStep[];
  readonly daemon: { readonly pid: number };
  /** Whether the daemon has loaded the configuration. */
  readonly taken: ConfigView;
  readonly tests: readonly ChannelTestView[];
}

/** Registers the hooks and writes the configuration; returns the steps. The service is unchanged. */
export async function carryOut(
  context: CommandContext,
  plan: Pick<Plan, 'agents' | 'config'>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<{ readonly steps: readonly InstallStep[]; readonly programChanged: boolean }> {
  const { steps, programChanged } = await install(
    {
      agents: plan.agents.length === 0 ? [] : chooseAgents(plan.agents),
      force: true,
      base: homedir(),
      config: plan.config,
      service: null,
      dryRun,
    },
    installPlaces(context),
    runStep,
  );
  return { steps: steps.filter(({ name }) => name !== 'service'), programChanged };
}

/** Carries the plan out, lets a daemon load the configuration, and sends the tests. */
export async function setUp(
  context: CommandContext,
  plan: Plan,
  progress: Progress,
): Promise<SetUp> {
  const { steps, programChanged } = await carryOut(context, plan, { dryRun: false });
  progress.installed(steps);
  await stopOutdatedDaemon(context, { programChanged });
  const running = await findDaemon(context);
  const { pid } = running ?? (await startDaemon(context, context.paths.program));
  progress.running(pid);
  const taken = await context.ask('POST /v1/reload');
  const tests = plan.ring === null || !taken.ok ? [] : await testChannels(context, plan.ring);
  return { steps, daemon: { pid }, taken, tests };
}
