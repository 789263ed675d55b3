import { isAbsolute } from 'node:path';

import type { AgentView } from '../../control/contract-views.ts';
import { shellWord } from '../../text/escape.ts';
import { CUSTOM_AGENT } from '../../core/agent/custom-name.ts';
import type { Registration } from '../../core/agent/registration.ts';
import { isPortable, programOf, type RegistrableAgent } from '../../setup/hook-places.ts';
import { programsIn, readWindowsCommand } from '../../text/windows-command.ts';
import type { HookInspection, HooksElsewhere } from '../../setup/inspect-hooks.ts';
import { ageSince } from '../time-text.ts';
import { type Check, defineGuide } from './check.ts';
import type { DoctorPorts } from './ports.ts';

const install = 'Run "hookbell install --agent {agent}"';

export const agentGuide = defineGuide('agent NAME', {
  unusable: { state: 'problem', remedy: 'Repair {path}' },
  unregistered: { state: 'warning', remedy: install },
  broken: { state: 'problem', remedy: install },
  outdated: { state: 'warning', remedy: install },
  off: { state: 'problem', remedy: 'Remove "{key}" from {path} to get notifications' },
  forbidden: { state: 'problem', remedy: 'Remove "{event}" from {path}' },
  timeout: { state: 'warning', remedy: 'Set its timeout to {timeout} in {path}' },
  doubled: { state: 'warning', remedy: '{removal}' },
  pluginOnly: { state: 'warning', remedy: `${install}. {removal}` },
  incomplete: { state: 'warning', remedy: install },
});

/** The hook ends within 4 s by itself; a timeout of 5000 s was meant in milliseconds. */
const SECONDS = { usual: 5, most: 120 };

/**
 * Whether the hooks of an agent are registered, for the right events, and can run.
 *
 * @param lastEvents the last event of each agent; null if the daemon cannot be reached
 */
export async function checkAgent(
  agent: RegistrableAgent,
  inspection: HookInspection,
  lastEvents: readonly AgentView[] | null,
  ports: DoctorPorts,
): Promise<Check> {
  const { registration, called } = agent;
  const { by = 'hooks', never } = registration;
  const guide = agentGuide.named(`agent ${called ?? agent.agent}${by === 'hooks' ? '' : ` ${by}`}`);
  const { path, elsewhere } = inspection;
  const hooks = [...inspection.hooks, ...elsewhere.flatMap((place) => place.hooks)];
  if (inspection.problem !== null) {
    return guide.found('unusable', `${path} cannot be used: ${inspection.problem}`, { path });
  }
  const again =
    called === undefined
      ? agent.agent
      : `${CUSTOM_AGENT} --settings ${shellWord(path)} --name ${shellWord(called)}`;
  const identity = { agent: again, path };
  if (hooks.length === 0) {
    if (!inspection.installed && called === undefined)
      return guide.skipped('not found on this machine');
    // Another program may use it, and the hooks work without it.
    if (by === 'notify') return guide.skipped(`not registered in ${path}`);
    return guide.found('unregistered', `found, but no hook is registered in ${path}`, identity);
  }

  // The plugin looks for the program in several places, and does nothing if it is in none of them.
  const placed = elsewhere.flatMap((place) => (place.by === 'plugin' ? [] : place.hooks));
  const written = [...inspection.hooks, ...inspection.asks];
  const broken = await brokenHook([...written, ...placed], ports);
  if (broken !== null) return guide.found('broken', broken, identity);
  const outdated = written.find(({ command }) => !namesState(command, ports.paths.state));
  if (outdated !== undefined) {
    const summary = `the hook of ${outdated.event} does not set "--state ${ports.paths.state}"`;
    return guide.found('outdated', summary, identity);
  }
  if (inspection.off !== null) {
    const { key, path: switched } = inspection.off;
    const summary = `all hooks are disabled by "${key}" in ${switched}`;
    return guide.found('off', summary, { key, path: switched });
  }
  const forbidden = hooks.find(({ event }) => never?.test(event) === true);
  if (forbidden !== undefined) {
    const { event } = forbidden;
    return guide.found('forbidden', `a silent hook breaks "${event}"`, { event, path });
  }
  const timed = oddTimeout(inspection, registration);
  if (timed !== null) return guide.found('timeout', timed.summary, { timeout: timed.wanted, path });
  const doubled = doubledEvents(inspection);
  if (doubled !== null) {
    const { place, events } = doubled;
    const summary = `${events.join(', ')} registered twice: in ${path} and in ${place.path} (it notifies once)`;
    return guide.found('doubled', summary, { removal: removalOf(place, registration) });
  }
  const only = inspection.hooks.length === 0 ? (elsewhere[0] ?? null) : null;
  const where = only?.path ?? path;
  const missing = missingEvents(registration, hooks, only);
  if (missing.length > 0) {
    const summary = `not registered for ${missing.join(', ')} in ${where}`;
    if (only?.by !== 'plugin') return guide.found('incomplete', summary, identity);
    const removal = removalOf(only, registration);
    return guide.found('pluginOnly', summary, { ...identity, removal });
  }
  const answers = inspection.asks.length > 0 ? '; requests can be answered from elsewhere' : '';
  const summary = `${hooks.length} hooks in ${where}${answers}`;
  // Events are counted by agents that hookbell knows.
  if (lastEvents === null || called !== undefined) return guide.ok(summary);
  const last = lastEvents.find((view) => view.agent === agent.agent);
  if (last === undefined) return guide.ok(`${summary}; no event yet`, registration.afterwards);
  const age = ageSince(last.lastEventAt, ports.now());
  return guide.ok(`${summary}; last event "${last.lastEvent}" ${age} ago`);
}

/** Returns the events that could be registered but are not. */
function missingEvents(
  { events, userOnly = [] }: Registration,
  hooks: HookInspection['hooks'],
  only: HooksElsewhere | null,
): readonly string[] {
  const present = new Set(hooks.map(({ event }) => event));
  const left = only?.by === 'project' ? userOnly : [];
  return events.flatMap(({ name }) => (present.has(name) || left.includes(name) ? [] : [name]));
}

async function brokenHook(
  hooks: HookInspection['hooks'],
  { isExecutable, platform }: DoctorPorts,
): Promise<string | null> {
  for (const { event, command } of hooks) {
    if (isPortable(command)) continue;
    const words = readWindowsCommand(command);
    if (words === null && platform === 'win32') {
      return `the hook of ${event} needs a POSIX shell, and Windows loses its events: ${command}`;
    }
    for (const program of words === null ? [programOf(command)] : programsIn(words)) {
      if (!isAbsolute(program)) return `the hook of ${event} has no absolute path: ${command}`;
      if (!(await isExecutable(program))) return `the hook of ${event} cannot be run: ${program}`;
    }
  }
  return null;
}

function namesState(command: string, state: string): boolean {
  const words = readWindowsCommand(command);
  if (words !== null) return words[words.indexOf('--state') + 1] === state;
  return isPortable(command) || `${command} `.includes(` --state ${shellWord(state)} `);
}

function oddTimeout({ hooks }: HookInspection, { timeoutUnit = 'seconds', events }: Registration) {
  const scale = timeoutUnit === 'seconds' ? 1 : 1_000;
  const unit = timeoutUnit === 'seconds' ? 's' : 'ms';
  for (const { event, timeout } of hooks) {
    const registered = events.find(({ name }) => name === event)?.timeoutSeconds;
    const usual = registered ?? SECONDS.usual;
    if (timeout === null) continue;
    if (timeout >= usual * scale && timeout <= SECONDS.most * scale) continue;
    return {
      summary: `the hook of ${event} has a timeout of ${timeout} ${unit}, expected about ${usual * scale}: this agent counts in ${timeoutUnit}`,
      wanted: String(usual * scale),
    };
  }
  return null;
}

/** Returns events of the settings that another place also registers, and that place; null if there are none. */
function doubledEvents({ hooks, elsewhere }: HookInspection) {
  let before = new Set(hooks.map(({ event }) => event));
  for (const place of elsewhere) {
    const ownEvents = new Set(place.hooks.map(({ event }) => event));
    const events = [...ownEvents].filter((event) => before.has(event));
    if (events.length > 0) return { place, events };
    before = new Set([...before, ...ownEvents]);
  }
  return null;
}

/** Returns how to undo a registration outside the user's settings. */
function removalOf({ plugin, path }: HooksElsewhere, { programs }: Registration): string {
  if (plugin === null) return `Remove the entries that name "hookbell-hook" from ${path}`;
  return `Remove the plugin: run "${programs[0] ?? 'PROGRAM'} plugin uninstall ${plugin}"`;
}
