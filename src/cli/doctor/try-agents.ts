import { dialects } from '../../agents/registry.ts';
import { UsageError } from '../../platform/errors.ts';
import type { CommandContext } from '../context.ts';
import {
  type CanaryFinding,
  type CanarySubject,
  checkOf,
  eventsOfTrial,
  judgeCanary,
  silenceChecks,
} from './canary.ts';
import { awaitCanary, type CanaryRun, newMarker, promptWith, runCanary } from './canary-run.ts';
import { type Check, skipped, warning } from './check.ts';
import type { DoctorPorts } from './ports.ts';

interface TrialOptions {
  /** Only these; empty: every agent with a registered hook. */
  readonly agents: readonly string[];
  /** Run the agents instead of asking the user to. */
  readonly run: boolean;
  readonly waitMs: number;
}

/** `hookbell doctor --canary`: runs one prompt in each agent and reports which registered events arrived. */
export async function tryAgents(
  context: CommandContext,
  ports: DoctorPorts,
  { agents, run, waitMs }: TrialOptions,
) {
  const { output, ask } = context;
  await ask('GET /v1/status');
  const subjects = await findSubjects(ports, agents, run);
  const marker = newMarker();
  if (!run) {
    const names = subjects.map(({ agent }) => agent).join(', ');
    output.say(`Within ${waitMs / 1_000} s give ${names} this prompt, then end the session:`);
    output.say(`\n  ${promptWith(marker)}\n`);
  }
  const shared = run ? null : await awaitCanary(context, subjects, marker, waitMs);
  const findings: CanaryFinding[] = [];
  const checks: Check[] = [];
  for (const subject of subjects) {
    if (run) output.say(`Running ${subject.trial.headless.join(' ')} …`);
    const canary = shared ?? (await runCanary(context, subject, marker, waitMs));
    const found =
      canary.run === 'absent' ? [] : judgeCanary(subject, canary.events, canary.startedAt);
    findings.push(...found);
    checks.push(
      ...runChecks(subject, canary),
      ...found.map((finding) => checkOf(finding, subject)),
      ...silenceChecks(subject),
    );
  }
  return { marker, findings, checks };
}

/** Checks of the run itself. */
function runChecks(subject: CanarySubject, { run, events }: CanaryRun): readonly Check[] {
  const name = `${subject.agent} run`;
  const program = subject.trial.headless.join(' ');
  if (run === 'absent')
    return [skipped(name, `"${subject.trial.headless[0]}" is not on your PATH`)];
  const checks: Check[] = [];
  if (run === 'stopped')
    checks.push(warning(name, `${program} did not end`, 'Allow more time with --wait'));
  if (run !== null && run.startsWith('status')) {
    checks.push(warning(name, `${program} ended with ${run}`, `Run "${program} hello" to see why`));
  }
  const ofTrial = eventsOfTrial(subject, events);
  if (ofTrial.length > 0 && !ofTrial.some(({ marked }) => marked)) {
    const text = 'no event carries the marker: these may be events of another session';
    checks.push(skipped(`${subject.agent} marker`, text));
  }
  return checks;
}

async function findSubjects(
  { agents, inspectHooks }: DoctorPorts,
  names: readonly string[],
  headless: boolean,
): Promise<readonly CanarySubject[]> {
  const known = new Set<string>(agents.map(({ agent }) => agent));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) {
    const hint = `Expected one of: ${[...known].join(', ')}`;
    throw new UsageError(`Unknown agent "${unknown}"`, { hint });
  }
  const subjects = new Map<string, CanarySubject>();
  for (const registrable of agents) {
    const { agent, registration } = registrable;
    const { trial, silentAbout } = dialects[agent];
    if (trial === null || (names.length > 0 && !names.includes(agent))) continue;
    const { hooks: ofTrial, elsewhere } = await inspectHooks(registrable);
    const hooks = [...ofTrial, ...elsewhere.flatMap((place) => place.hooks)];
    if (hooks.length === 0) continue;
    const earlier = subjects.get(agent);
    subjects.set(agent, {
      agent,
      registered: [...(earlier?.registered ?? []), ...hooks.map(({ event }) => event)],
      trial,
      silentAbout,
      headless,
      afterwards: earlier?.afterwards ?? registration.afterwards,
    });
  }
  if (subjects.size > 0) return [...subjects.values()];
  throw new UsageError('The hook is registered with none of these agents', {
    hint: 'Run "hookbell install" first',
  });
}
