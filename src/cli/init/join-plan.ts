import { isMap, isSeq, type Document } from 'yaml';

import { defaultRoutes } from '../../config/plan-schema.ts';
import type { Match, Policy } from '../../core/policy.ts';
import { UsageError } from '../../platform/errors.ts';
import {
  addItem,
  addName,
  addPair,
  addSection,
  nameText,
  nodeAt,
  replacePair,
  type TextEdit,
} from '../../config/yaml-edits.ts';

/** When a new channel is notified. */
export interface Joining {
  readonly name: string;
  /** Name of a plan; null: the one that agents' requests use. */
  readonly plan: string | null;
  /** Delay as in the configuration, such as "2m", and in ms. */
  readonly after: string;
  readonly afterMs: number;
}

/** A configuration as text, as YAML, and as the daemon understands it. */
export interface ReadConfig {
  readonly text: string;
  readonly document: Document;
  readonly policy: Policy;
  /** Names of the channels in it. */
  readonly channels: readonly string[];
}

export interface Joined {
  readonly edits: readonly TextEdit[];
  /** What the edits do, as sentences for people. */
  readonly changes: readonly string[];
}

const NEW_PLAN = 'escalate';

/**
 * Puts a channel into the plan that requests of agents use, in the way `hookbell init` writes one: a separate step,
 * or the step that is due at the same time. Routes that name channels directly get a plan if the channel is due later.
 *
 * @throws UsageError if there is no plan of that name
 */
export function joinPlan(config: ReadConfig, joining: Joining): Joined {
  const { document, policy } = config;
  const { plan, name } = joining;
  if (plan !== null) {
    if (isSeq(nodeAt(document, ['plans', plan]))) {
      return joinSteps(config, joining, ['plans', plan], plan);
    }
    const plans = Object.keys(policy.plans).filter((planName) =>
      document.hasIn(['plans', planName]),
    );
    throw new UsageError(`Plan "${plan}" does not exist`, {
      hint: plans.length === 0 ? 'The configuration has no plans' : `Plans: ${plans.join(', ')}`,
    });
  }
  if (nodeAt(document, ['routes']) === undefined) return joinDefaultRoutes(config, joining);
  const index = policy.routes.findIndex(
    (route) => route.plan !== 'none' && takesRequests(route.match),
  );
  if (index < 0) {
    return {
      edits: [],
      changes: [`No route covers all requests: add "${name}" to "notify" of a route`],
    };
  }
  const chosen = nodeAt(document, ['routes', index, 'plan']);
  if (chosen === undefined) return joinRoutes(config, joining, index);
  if (isSeq(chosen))
    return joinSteps(config, joining, ['routes', index, 'plan'], `routes[${index}]`);
  const named = policy.routes[index]?.plan ?? '';
  return joinSteps(config, joining, ['plans', named], named);
}

/** Whether a route is for the permissions and questions of every session. */
function takesRequests({ kind, severity, ...rest }: Match): boolean {
  const isFor = kind?.includes('needs.permission') ?? severity?.includes('warning') ?? true;
  return isFor && Object.values(rest).every((condition) => condition === undefined);
}

function joinSteps(
  { text, document, policy }: ReadConfig,
  { name, after, afterMs }: Joining,
  path: readonly (string | number)[],
  plan: string,
): Joined {
  const steps = policy.plans[plan]?.steps ?? [];
  const node = nodeAt(document, path);
  if (!isSeq(node)) throw new Error(`The plan "${plan}" cannot be found in the file`);
  const same = steps.findIndex((step) => step.afterMs === afterMs);
  const change = `Plan "${plan}" notifies "${name}" ${whenText(after, afterMs)}`;
  if (same >= 0) {
    const { repeat, condition } = steps[same] ?? {};
    const isSpecial = (repeat ?? condition ?? null) !== null;
    return {
      edits: [addName(text, nodeAt(document, [...path, same, 'notify']), name)],
      changes: [isSpecial ? `${change}, with the "if" and "repeat" of that step` : change],
    };
  }
  const behind = steps.findLastIndex((step) => step.afterMs < afterMs);
  const step = addItem(text, node, stepText([name], after, afterMs), behind);
  return { edits: [step], changes: [change] };
}

/** The routes that notify the same channels as this one, unless they are for certain projects or agents. */
function joinRoutes(config: ReadConfig, joining: Joining, index: number): Joined {
  const { text, document, policy } = config;
  const { name, afterMs } = joining;
  const notified = namesAt(document, ['routes', index, 'notify']);
  const routes = policy.routes
    .map((_, place) => place)
    .filter(
      (place) =>
        isForKinds(policy.routes[place]?.match) &&
        String(namesAt(document, ['routes', place, 'notify'])) === String(notified),
    );
  const places = routes.map((place) => `routes[${place}]`).join(' and ');
  const isOne = routes.length === 1;
  if (afterMs === 0) {
    const notify = routes.map((place) => nodeAt(document, ['routes', place, 'notify']));
    return {
      edits: notify.map((node) => addName(text, node, name)),
      changes: [`${places} ${isOne ? 'notifies' : 'notify'} "${name}" immediately`],
    };
  }
  const plan = freePlan(document);
  const replaced = routes.flatMap((place) => {
    const route = nodeAt(document, ['routes', place]);
    return isMap(route) ? [replacePair(route, 'notify', 'plan', plan)] : [];
  });
  return {
    edits: [newPlan(config, plan, joining, notified), ...replaced],
    changes: [newPlanText(plan, joining, notified), `${places} ${isOne ? 'uses' : 'use'} it`],
  };
}

/** A configuration without routes notifies every channel immediately. */
function joinDefaultRoutes(config: ReadConfig, joining: Joining): Joined {
  const { channels, document, text } = config;
  if (joining.afterMs === 0 || channels.length === 0) {
    return { edits: [], changes: ['Without "routes", every channel is notified immediately'] };
  }
  const plan = freePlan(document);
  const routes = defaultRoutes([]).map(({ match }) => {
    const conditions = Object.entries(match).map(
      ([key, value]) => `${key}: ${Array.isArray(value) ? `[${value.join(', ')}]` : String(value)}`,
    );
    return `  - { match: { ${conditions.join(', ')} }, plan: ${plan} }\n`;
  });
  const root = nodeAt(document, []);
  const inOneLine = `[${routes.map((route) => route.trim().slice(2)).join(', ')}]`;
  const section =
    isMap(root) && root.flow === true
      ? addPair(text, root, 'routes', inOneLine)
      : addSection(text, root, 'routes', `\nroutes:\n${routes.join('')}`);
  return {
    edits: [newPlan(config, plan, joining, channels), section],
    changes: [
      newPlanText(plan, joining, channels),
      'New routes use it for the same events as before',
    ],
  };
}

function newPlan(
  { text, document }: ReadConfig,
  plan: string,
  { name, after, afterMs }: Joining,
  first: readonly string[],
): TextEdit {
  const steps = [stepText(first, '0s', 0), stepText([name], after, afterMs)];
  const plans = nodeAt(document, ['plans']);
  const inOneLine = `[${steps.join(', ')}]`;
  if (isMap(plans)) return addPair(text, plans, plan, inOneLine);
  const root = nodeAt(document, []);
  const section = `{ ${plan}: ${inOneLine} }`;
  if (isMap(root) && root.flow === true) return addPair(text, root, 'plans', section);
  const lines = steps.map((step) => `    - ${step}\n`).join('');
  return addSection(text, root, 'routes', `plans:\n  ${plan}:\n${lines}`);
}

function stepText(names: readonly string[], after: string, afterMs: number): string {
  const texts = names.map(nameText);
  const notify = texts.length === 1 ? String(texts[0]) : `[${texts.join(', ')}]`;
  return afterMs === 0 ? `{ notify: ${notify} }` : `{ after: ${after}, notify: ${notify} }`;
}

function freePlan(document: Document): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? NEW_PLAN : `${NEW_PLAN}-${number}`;
    if (!document.hasIn(['plans', name])) return name;
  }
}

function isForKinds(match: Match = {}): boolean {
  const conditions = Object.entries(match).filter(([, value]) => value !== undefined);
  return conditions.every(([key]) => ['kind', 'severity', 'longerThanMs'].includes(key));
}

function namesAt(document: Document, path: readonly (string | number)[]): readonly string[] {
  const node = nodeAt(document, path);
  const value: unknown = isSeq(node) ? node.toJSON() : document.getIn(path);
  return [value].flat().filter((name) => typeof name === 'string');
}

function newPlanText(
  plan: string,
  { name, after, afterMs }: Joining,
  first: readonly string[],
): string {
  const names = first.map((one) => `"${one}"`).join(' and ');
  return `New plan "${plan}" notifies ${names} immediately, and "${name}" ${whenText(after, afterMs)}`;
}

function whenText(after: string, afterMs: number): string {
  return afterMs === 0 ? 'immediately' : `after ${after} without a reaction`;
}
