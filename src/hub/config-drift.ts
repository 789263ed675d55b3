import type { HubStore } from '../core/hub/hub-store.ts';
import type { Warnings } from '../delivery/warnings.ts';
import { sha256 } from '../platform/crypto.ts';
import { isJsonObject, parseJsonObject } from '../platform/json.ts';
import type { Log } from '../platform/log.ts';
import { createSteadyRounds } from '../platform/rounds.ts';
import { documentationPage } from '../text/documentation.ts';

/** How often a process looks at the others, ms. */
const EVERY_MS = 10_000;
const KEY = 'hub configuration';
/** Sections about this process or its host. */
const OF_THIS_PROCESS = 'ca_file heartbeat listen metrics page relay reply_page store'.split(' ');

interface ConfigDriftOptions {
  readonly store: Pick<HubStore, 'shareConfig'>;
  /** The configuration in force, as in the file, with defaults. */
  readonly raw: () => Readonly<Record<string, unknown>>;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly host: string;
  readonly program: string;
  readonly log: Log;
}

/**
 * Warns while another process of the hub has a different configuration, because any of them may send a notification. A
 * process of another version is not compared, because its defaults may differ.
 */
export function createConfigDrift(options: ConfigDriftOptions) {
  const { store, raw, warnings, host, program, log } = options;
  let hashed: { readonly of: unknown; readonly hashes: Readonly<Record<string, string>> } | null =
    null;

  function ownHashes(): Readonly<Record<string, string>> {
    const config = raw();
    if (hashed?.of !== config) hashed = { of: config, hashes: sectionHashes(config) };
    return hashed.hashes;
  }

  /** Never rejects. */
  async function look(): Promise<void> {
    const own = ownHashes();
    try {
      const others = await store.shareConfig({ host, program, hashes: JSON.stringify(own) });
      const texts = others
        .filter((other) => other.program === program)
        .flatMap((other) => {
          const sections = differing(own, parseJsonObject(other.hashes) ?? {});
          return sections.length === 0 ? [] : [`on "${other.host}" in ${sections.join(', ')}`];
        });
      if (texts.length === 0) warnings.clear(KEY);
      else warnings.raise(KEY, driftText([...new Set(texts)], host));
    } catch (error) {
      log.debug({ err: error }, 'Cannot compare the configurations of the processes');
    }
  }

  return { look, ...createSteadyRounds(look, EVERY_MS) };
}

function driftText(others: readonly string[], host: string): string {
  return `The configuration of this process of the hub, on "${host}", differs from that of another one: ${others.join('; ')}. Give all of them the same configuration, see ${documentationPage('docs/hub.md')}`;
}

function differing(
  own: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): readonly string[] {
  const names = [...new Set([...Object.keys(own), ...Object.keys(other)])].toSorted();
  return names.filter((name) => own[name] !== other[name]);
}

/** A hash of each section that must be the same in each process. */
export function sectionHashes(
  config: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(config)
      .filter(([name]) => !OF_THIS_PROCESS.includes(name))
      .map(([name, section]) => [name, sha256(JSON.stringify(comparable(section, name)))]),
  );
}

/** Sorted, without the addresses of this process, and without the places of secrets. */
function comparable(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, ''));
  if (!isJsonObject(value)) return value ?? null;
  const keys = Object.keys(value).toSorted();
  const [only, ...others] = keys;
  if (others.length === 0 && ['file', 'env', 'command'].includes(only ?? '')) return 'a secret';
  return keys
    .filter((key) => name !== 'hub' || !['page', 'previous_secret', 'url'].includes(key))
    .map((key) => [key, comparable(value[key], '')]);
}
