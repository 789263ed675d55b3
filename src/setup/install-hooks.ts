import type { Answers } from './hook-layout.ts';
import type { HookSurroundings, RegistrableAgent } from './hook-places.ts';
import { adoptHooks, applyHooks, type HookPlan, type HookRefusal, planHooks } from './hooks.ts';
import { inspectHooks } from './inspect-hooks.ts';
import type { Recorder } from './install-recorder.ts';
import type { InstallStep } from './run-steps.ts';

const name = 'hooks';

/** Retries when another program writes a file between our read and our write. */
const ATTEMPTS = 5;
/** At most this many are named. */
const NAMED = 3;

/** Registers our hook with every requested or installed agent. */
export async function installHooks(
  agents: readonly RegistrableAgent[],
  how: How,
  recorder: Recorder,
): Promise<readonly InstallStep[]> {
  const steps: InstallStep[] = [];
  const absent = new Set<string>();
  for (const agent of agents) {
    const done = await installAgent(agent, how, recorder);
    if (done === 'absent') absent.add(agent.agent);
    else steps.push({ ...done, text: done.text.replace(agent.agent, agent.called ?? agent.agent) });
  }
  if (absent.size === 0) return steps;
  const many = steps.length > 0 ? `${absent.size} other agents` : `any of ${absent.size} agents`;
  const text = `not found on this machine: ${absent.size > NAMED ? many : [...absent].join(', ')}`;
  const advice = 'Install one and run this again, or name it with "--agent NAME"';
  return [...steps, { name, state: 'skipped', text, ...(steps.length === 0 && { advice }) }];
}

interface How {
  /** Absolute path of the hook. */
  readonly hook: string;
  /** Register even if the agent does not seem to be installed. */
  readonly force: boolean;
  readonly answers?: Answers | undefined;
  readonly surroundings: HookSurroundings;
}

async function installAgent(
  agent: RegistrableAgent,
  { hook, force, answers, surroundings }: How,
  recorder: Recorder,
): Promise<InstallStep | 'absent'> {
  const ofUser = { ...surroundings, base: surroundings.home };
  const { hooks, path, elsewhere } = await inspectHooks(agent, ofUser);
  if (surroundings.base !== surroundings.home && hooks.length > 0) {
    // Most agents would run both.
    const text = `${agent.agent}: the hooks in ${path} also run in this project`;
    return { name, state: 'skipped', text };
  }
  const plugin = elsewhere.find(({ by }) => by === 'plugin') ?? null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const plan = await planHooks(agent, hook, surroundings, { force, answers });
    if (plan.type === 'absent') return 'absent';
    const step = await carryOut(plan, recorder);
    if (step === 'again') continue;
    if (plugin === null || step.state === 'failed') return step;
    const program = agent.registration.programs[0] ?? agent.agent;
    const advice = `The plugin in ${plugin.path} also registers the hook; each event still notifies only once. To run the hook only once: "${program} plugin uninstall ${plugin.plugin}"`;
    return { ...step, advice: step.advice === undefined ? advice : `${step.advice}. ${advice}` };
  }
  return {
    name,
    state: 'failed',
    text: `${agent.agent}: another program keeps changing its settings`,
    advice: 'Stop that program, then run "hookbell install" again',
  };
}

async function carryOut(
  plan: Exclude<HookPlan, { readonly type: 'absent' }>,
  recorder: Recorder,
): Promise<InstallStep | 'again'> {
  switch (plan.type) {
    case 'unsupported':
      return { name, state: 'skipped', text: `${plan.agent}: a project has no such settings` };
    case 'refused':
      return refusal(plan);
    case 'unchanged': {
      const adopted = adoptHooks(plan, recorder.manifest());
      if (adopted !== null) await recorder.record(adopted);
      return { name, state: 'unchanged', text: `${plan.agent}: ${plan.path}` };
    }
    case 'write': {
      if (!recorder.dryRun) {
        const applied = await applyHooks(plan, recorder.manifest());
        if (applied.state === 'changed') return 'again';
        if (applied.state === 'failed') return refusal(applied.refusal);
        await recorder.record(applied.manifest);
      }
      const advice = plan.afterwards === null ? {} : { advice: plan.afterwards };
      return { name, state: 'done', text: `${plan.agent}: ${plan.path}`, ...advice };
    }
  }
}

function refusal({ agent, by, path, reason, byHand }: HookRefusal): InstallStep {
  const again = 'Fix that and run "hookbell install" again';
  return {
    name,
    // The hooks work without `notify`, so nothing is missing if another program uses it.
    state: by === 'notify' ? 'skipped' : 'failed',
    text: `${agent}: ${path} is left alone: ${reason}`,
    advice: byHand === null ? again : `${again}, or add by hand: ${byHand}`,
  };
}
