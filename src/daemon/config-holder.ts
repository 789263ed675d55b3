import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

import type { Config } from '../config/config.ts';
import { loadConfig, parseConfig } from '../config/load.ts';
import type { Loaded } from '../config/load.ts';
import { formatProblem } from '../config/problem.ts';
import type { ChannelDefinition } from '../core/channel.ts';
import type { Clock } from '../core/clock.ts';
import type { ConfigView } from '../core/control.ts';
import type { Log } from '../core/log.ts';
import { isoTime } from './views.ts';

export interface ConfigHolder {
  current(): Config;
  view(): ConfigView;
  /** Reads the file again. A configuration with problems is refused and the old one goes on. */
  reload(): Promise<ConfigView>;
  /** Reloads whenever the file changes. */
  watch(): void;
  stop(): void;
}

export interface ConfigHolderOptions {
  readonly path: string;
  readonly definitions: readonly ChannelDefinition[];
  readonly now: Clock;
  readonly log: Log;
  /** Called with each configuration that was taken after the first one. */
  readonly onTaken: (config: Config) => Promise<void>;
  /** Called once for each new state of the file that was refused. */
  readonly onRefused: (problems: readonly string[]) => void;
}

/** Editors save in several steps: the file is read once it has been quiet for so long, ms. */
const SETTLE_MS = 150;

/**
 * Holds the configuration in force. A bad file at the very start leaves the defaults in force, so that a person is
 * still told what an agent waits for; a bad file later leaves the old configuration.
 */
export async function createConfigHolder(options: ConfigHolderOptions): Promise<ConfigHolder> {
  const { path, definitions, now, log, onTaken, onRefused } = options;
  let text = await readText(path);
  const first = await loadConfig(path, { definitions });
  let config = first.ok ? first.config : await defaultConfig(path, definitions);
  let state = viewOf(first, path, now());
  if (!first.ok) onRefused(state.problems);
  let reloading: Promise<ConfigView> = Promise.resolve(state);
  let stopWatching: (() => void) | null = null;

  async function load(): Promise<ConfigView> {
    text = await readText(path);
    const loaded = await loadConfig(path, { definitions });
    const view = viewOf(loaded, path, now());
    if (loaded.ok) {
      config = loaded.config;
      state = view;
      log.info({ path }, 'Took the configuration');
      await onTaken(config);
    } else {
      state = { ...view, loadedAt: state.loadedAt };
      log.error(
        { path, problems: view.problems },
        'Refused the configuration, the old one goes on',
      );
      onRefused(view.problems);
    }
    return state;
  }

  function reload(): Promise<ConfigView> {
    reloading = reloading.then(load, load);
    return reloading;
  }

  return {
    current: () => config,
    view: () => state,
    reload,
    watch() {
      stopWatching = watchFile(path, () => {
        void readText(path).then((found) => (found === text ? undefined : reload()));
      });
    },
    stop: () => stopWatching?.(),
  };
}

async function defaultConfig(
  path: string,
  definitions: readonly ChannelDefinition[],
): Promise<Config> {
  const loaded = await parseConfig('', path, { definitions });
  if (!loaded.ok) throw new Error('The default configuration is not valid');
  return loaded.config;
}

function viewOf(loaded: Loaded, path: string, at: number): ConfigView {
  const problems = loaded.ok ? [] : loaded.problems.map(formatProblem);
  return { path, ok: loaded.ok, loadedAt: isoTime(at), problems };
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}

/** Watches the directory, since editors replace the file; answers how to stop. */
function watchFile(path: string, onTaken: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name !== null && name !== basename(path)) return;
      clearTimeout(timer);
      timer = setTimeout(onTaken, SETTLE_MS);
      timer.unref();
    });
    // A directory that goes away ends the watching; SIGHUP and `hookbell restart` still reload.
    watcher.on('error', () => watcher.close());
    return () => {
      clearTimeout(timer);
      watcher.close();
    };
  } catch {
    return () => {};
  }
}
