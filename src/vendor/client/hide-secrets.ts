import { Secret } from '../../text/secret.ts';

/**
 * Where the responses of a route hold secrets.
 *
 * - `settings`: below every key named `settings`, as in the history of enterprise controls
 * - `relay`: the relay addresses of a computer
 * - `any`: both; for routes outside the table
 */
export type SecretPlace = 'none' | 'settings' | 'relay' | 'any';

const SECRET_NAME = /key|token|secret|password|credential|authori[sz]ation|cookie/i;
/** Secrets with unsuspicious names. */
const SECRET_SETTINGS = new Set(['extraHeaders', 'extraArgs', 'cloudAuthRefresh']);
/** Documented numbers and booleans whose names only sound secret. */
const PLAIN_SETTINGS = new Set([
  'thinkingMaxTokens',
  'maxOutputTokens',
  'restrictApiKeyCreationToManagers',
]);
const RELAY_ADDRESSES = new Set(['relayClientUrl', 'relayAgentUrl']);
/** Real settings are not nested this deep; deeper recursion could exhaust the stack. */
const MAX_DEPTH = 100;

/** A copy of a JSON value in which every secret is a `Secret`. Names stay, and so do nulls ("not set"). */
export function hideSecrets(value: unknown, place: SecretPlace): unknown {
  return place === 'none' ? value : walk(value, { place, inSettings: false, depth: 0 });
}

interface Walk {
  readonly place: SecretPlace;
  readonly inSettings: boolean;
  readonly depth: number;
}

function walk(value: unknown, at: Walk): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (at.depth > MAX_DEPTH) return new Secret('');
  const below = { ...at, depth: at.depth + 1 };
  if (Array.isArray(value)) return value.map((item) => walk(item, below));
  return mapValues(value, (key, child) => {
    if (isSecret(key, child, at)) return conceal(child, at.depth);
    const opensSettings = key === 'settings' && at.place !== 'relay';
    return walk(child, { ...below, inSettings: at.inSettings || opensSettings });
  });
}

function isSecret(key: string, value: unknown, { place, inSettings }: Walk): boolean {
  if (place !== 'settings' && RELAY_ADDRESSES.has(key)) return true;
  if (!inSettings) return false;
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  if (isPlain && PLAIN_SETTINGS.has(key)) return false;
  return SECRET_NAME.test(key) || SECRET_SETTINGS.has(key);
}

function conceal(value: unknown, depth: number): unknown {
  if (value === null || value === undefined) return value;
  if (typeof value === 'string') return new Secret(value);
  if (typeof value !== 'object') return new Secret(JSON.stringify(value));
  if (depth > MAX_DEPTH) return new Secret('');
  if (Array.isArray(value)) return value.map((item) => conceal(item, depth + 1));
  return mapValues(value, (_key, child) => conceal(child, depth + 1));
}

function mapValues(object: object, map: (key: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(key, value)]));
}
