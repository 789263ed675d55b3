import { isAbsolute } from 'node:path';

import type { AgentView } from '../../core/control.ts';
import type { Registration } from '../../core/registration.ts';
import type { HookInspection, RegistrableAgent } from '../../setup/hooks.ts';
import { ageSince } from '../time-text.ts';
import type { Check } from './check.ts';
import { ok, problem, skipped, warning } from './check.ts';
import type { DoctorPorts } from './ports.ts';

/** The hook ends within 4 s by itself; an agent that is told 5000 s was told milliseconds. */
const SECONDS = { usual: 5, most: 120 };

/**
 * Whether the hooks of an agent are registered, for the right events, and can run.
 *
 * @param lastEvents what came from which agent last; null when the daemon cannot be asked
 */
export async function checkAgent(
  agent: RegistrableAgent,
  inspection: HookInspection,
  lastEvents: readonly AgentView[] | null,
  ports: Pick<DoctorPorts, 'isExecutable' | 'now'>,
): Promise<Check> {
  const { registration } = agent;
  const { by = 'hooks', never } = registration;
  const name = by === 'hooks' ? `agent ${agent.agent}` : `agent ${agent.agent} ${by}`;
  const { path, hooks } = inspection;
  if (inspection.problem !== null) {
    return problem(name, `${path} cannot be used: ${inspection.problem}`, `Repair ${path}`);
  }
  const again = `Run "hookbell install --agent ${agent.agent}"`;
  if (hooks.length === 0) {
    if (!inspection.installed) return skipped(name, 'not found on this machine');
    // Another program may have it, and the hooks do the work without it.
    if (by === 'notify') return skipped(name, `not registered in ${path}`);
    return warning(name, `found, but no hook is registered in ${path}`, again);
  }

  const broken = await brokenHook(inspection, ports);
  if (broken !== null) return problem(name, broken, again);
  const forbidden = hooks.find(({ event }) => never?.test(event) === true);
  if (forbidden !== undefined) {
    const { event } = forbidden;
    return problem(name, `a silent hook breaks "${event}"`, `Take "${event}" out of ${path}`);
  }
  const timed = oddTimeout(inspection, registration);
  if (timed !== null) return warning(name, timed.summary, `${timed.wanted} in ${path}`);
  const missing = registration.events.filter(
    (wanted) => !hooks.some(({ event }) => event === wanted.name),
  );
  if (missing.length > 0) {
    const names = missing.map((event) => event.name).join(', ');
    return warning(name, `not registered for ${names} in ${path}`, again);
  }
  const summary = `${hooks.length} hooks in ${path}`;
  if (lastEvents === null) return ok(name, summary);
  const last = lastEvents.find((view) => view.agent === agent.agent);
  if (last === undefined) {
    return ok(name, `${summary}; no event yet`, registration.afterwards);
  }
  const age = ageSince(last.lastEventAt, ports.now());
  return ok(name, `${summary}; last event "${last.lastEvent}" ${age} ago`);
}

async function brokenHook(
  { hooks }: HookInspection,
  { isExecutable }: Pick<DoctorPorts, 'isExecutable'>,
): Promise<string | null> {
  for (const { event, command } of hooks) {
    const program = programOf(command);
    if (!isAbsolute(program)) return `the hook of ${event} has no absolute path: ${command}`;
    if (!(await isExecutable(program))) return `the hook of ${event} cannot be run: ${program}`;
  }
  return null;
}

function oddTimeout(
  { hooks }: HookInspection,
  { timeoutUnit = 'seconds', events }: Registration,
): { readonly summary: string; readonly wanted: string } | null {
  const scale = timeoutUnit === 'seconds' ? 1 : 1_000;
  const unit = timeoutUnit === 'seconds' ? 's' : 'ms';
  for (const { event, timeout } of hooks) {
    const registered = events.find(({ name }) => name === event)?.timeoutSeconds;
    const usual = registered ?? SECONDS.usual;
    if (timeout === null) continue;
    if (timeout >= usual * scale && timeout <= SECONDS.most * scale) continue;
    return {
      summary: `the hook of ${event} has a timeout of ${timeout} ${unit}, expected about ${usual * scale}: this agent counts in ${timeoutUnit}`,
      wanted: `Set its timeout to ${usual * scale}`,
    };
  }
  return null;
}

/** The first word of a shell command, without its quotes. */
function programOf(command: string): string {
  const [, single] = /^'((?:[^']|'\\'')*)'/.exec(command) ?? [];
  if (single !== undefined) return single.replaceAll(String.raw`'\''`, "'");
  const [, double] = /^"([^"]*)"/.exec(command) ?? [];
  return double ?? command.split(/\s/, 1)[0] ?? '';
}
