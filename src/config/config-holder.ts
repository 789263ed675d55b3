import type { ChannelCatalog } from '../core/channel.ts';
import type { FarFiles, FileText } from '../core/far-files.ts';
import type { Environment } from '../core/launch-environment.ts';
import { ConfigError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { replaceFile } from '../platform/replace-file.ts';
import { type FileWatch, watchFile } from '../platform/watch-files.ts';
import { type Clock, idleTimer, isoTime, repeatEvery } from '../platform/time.ts';
import type { Config } from './config.ts';
import { defaultConfig, type Loaded, loadedFrom, readConfigText, refusedConfig } from './load.ts';
import { formatProblem } from './problem.ts';
import { createSecretWatch, stampOf } from './secret-watch.ts';

export interface ConfigView {
  readonly path: string;
  /** False if the file was refused: `problems` has the reasons, and an earlier or the default configuration is in force. */
  readonly ok: boolean;
  readonly loadedAt: string;
  readonly problems: readonly string[];
}

export interface ConfigHolder {
  current(): Config;
  view(): ConfigView;
  /** Reads the file again. If it has problems, it is refused and the current configuration stays in force. */
  reload(): Promise<ConfigView>;
  /** Like `reload`, but only if the file changed: it may have been written a moment ago. */
  refresh(): Promise<ConfigView>;
  /**
   * `change` returns the changed text, or throws a HookbellError.
   * @throws ConfigError if the file or the changed text is not valid; nothing is written then
   */
  edit(change: (text: string) => string): Promise<ConfigView>;
  /** Applies `change` to the configuration in force, now and after each change of the file. */
  changeBy(change: (config: Config) => Config): Promise<void>;
  /** Asks first why the daemon could not work with a configuration; null: it can. Until then it is refused as if invalid. */
  proveBy(prove: (next: Config) => Promise<string | null>): void;
  /** Calls the listener with each configuration accepted from now on; listeners run one after the other. */
  onChange(listener: ConfigListener): void;
  /** Calls the listener when a secret's file changed (content, owner or mode), or a command may print another secret. */
  onSecrets(listener: ConfigListener): void;
  /** Reloads on the system's events. While a secret is lacking, secret commands run again. */
  watch(lacksSecret: () => boolean): void;
  /** Finds what the watcher misses, such as changes on network drives, and of secrets' files. */
  beat(): Promise<void>;
  stop(): void;
}

export type ConfigListener = (config: Config) => void | Promise<void>;

export interface ConfigHolderOptions {
  readonly path: string;
  /** File with the text of the last accepted configuration, for a start with an invalid one. */
  readonly lastGood: string;
  readonly files: FarFiles;
  readonly catalog: ChannelCatalog;
  readonly now: Clock;
  readonly log: Log;
  /** For the home directory, which may contain secrets. */
  readonly env: Environment;
  /** Called when a refused file has its accepted text again. */
  readonly onMended: () => void;
  /** Called once for each refused state of the file. */
  readonly onRefused: (problems: readonly string[]) => void;
  readonly commandsMs?: number;
  readonly doubtMs?: number;
}

/** Long, because a locked password manager may prompt the user each time, ms. */
const COMMANDS_MS = 300_000;
/** A database may be back, ms. */
const DOUBT_MS = 15_000;
const TRIED_AGAIN = 'the earlier configuration stays in force, and this one is tried again';

/**
 * Holds the configuration in force. While the daemon runs, only a valid configuration replaces the current one. An empty
 * or missing file does not, because a file is briefly so while it is saved or checked out, and longer on a full disk. At
 * start, a missing file means the defaults; an invalid file means the last accepted one, or else the defaults, so that
 * agents' requests still reach a person.
 */
export async function createConfigHolder(options: ConfigHolderOptions): Promise<ConfigHolder> {
  const { path, lastGood, files, catalog, now, log, onMended, onRefused } = options;
  const { commandsMs = COMMANDS_MS, doubtMs = DOUBT_MS } = options;
  let seen = await readConfigText(files, path);
  /** Source of the configuration in force; null for the last accepted one or the defaults. */
  let taken: FileText | null = null;
  let { config: written, state } = await first();
  let adapt: ((config: Config) => Config) | null = null;
  let prove: ((next: Config) => Promise<string | null>) | null = null;
  let watched: FileWatch | null = null;
  let stamp: string | null | undefined;
  let forgetDoubt: (() => void) | null = null;
  let config = written;
  const secrets = createSecretWatch({
    files,
    env: options.env,
    config: () => config,
    onChange: readSecretsAgain,
  });
  await secrets.stampNew();
  let reloading: Promise<ConfigView> = Promise.resolve(state);
  const stops: (() => void)[] = [];
  const changeListeners: ConfigListener[] = [];
  const secretListeners: ConfigListener[] = [];

  async function first(): Promise<{ readonly config: Config; readonly state: ConfigView }> {
    const loaded = isEmpty(seen)
      ? refusedConfig(path, 'is empty')
      : await loadedFrom(seen, path, { catalog });
    const view = viewOf(loaded, path, now());
    if (loaded.ok) {
      taken = seen;
      remember(seen);
      return { config: loaded.config, state: view };
    }
    const last = await loadLastGood();
    const inForce =
      last === null ? 'the defaults are in force' : 'the last accepted configuration is in force';
    const problems = view.problems.map((problem, at) =>
      at === 0 ? `${problem}; ${inForce}` : problem,
    );
    onRefused(problems);
    return {
      config: last ?? (await defaultConfig(path, catalog)),
      state: { ...view, problems },
    };
  }

  async function loadLastGood(): Promise<Config | null> {
    const last = await readConfigText(files, lastGood);
    if (last.type !== 'text' || isEmpty(last)) return null;
    const loaded = await loadedFrom(last, path, { catalog });
    return loaded.ok ? loaded.config : null;
  }

  /** A full disk must not prevent a configuration from being accepted. */
  function remember(file: FileText): void {
    if (file.type !== 'text') return;
    try {
      replaceFile(lastGood, file.text, { mode: 0o600 });
    } catch (error) {
      log.warn({ err: error }, 'Cannot keep a copy of the configuration');
    }
  }

  async function take(found: FileText): Promise<ConfigView> {
    seen = found;
    forgetDoubt?.();
    const loaded = await judge(seen);
    const doubt = loaded.ok ? ((await prove?.(loaded.config)) ?? null) : null;
    const view = viewOf(loaded, path, now(), doubt);
    if (doubt !== null) forgetDoubt = idleTimer(doubtMs, () => void inTurn(takeAgain));
    if (loaded.ok && doubt === null) {
      taken = seen;
      written = loaded.config;
      config = adapt?.(written) ?? written;
      state = view;
      remember(seen);
      log.info({ path }, 'Loaded the configuration');
      await secrets.stampNew();
      await notify(changeListeners);
    } else {
      state = { ...view, loadedAt: state.loadedAt };
      log.error(
        { path, problems: view.problems },
        'Refused the configuration, the current one stays in force',
      );
      onRefused(view.problems);
    }
    return state;
  }

  const takeAgain = async () => take(await readConfigText(files, path));
  async function edited(change: (text: string) => string): Promise<ConfigView> {
    const before = await readConfigText(files, path);
    if (before.type === 'unusable')
      throw new ConfigError(`Cannot read "${path}": ${before.reason}`);
    const text = change(before.type === 'text' ? before.text : '');
    const loaded = await loadedFrom({ type: 'text', text }, path, { catalog });
    if (!loaded.ok) {
      const problems = loaded.problems.map(formatProblem).join('\n');
      throw new ConfigError(`Cannot change the configuration:\n${problems}`);
    }
    if (!(await files.run('replaceConfiguration', { path, before, text }))) {
      throw new ConfigError(`Cannot change "${path}": it was changed in the meantime`);
    }
    return take(await readConfigText(files, path));
  }

  async function notify(listeners: readonly ConfigListener[]): Promise<void> {
    for (const listener of listeners) await listener(config);
  }

  async function judge(file: FileText): Promise<Loaded> {
    const consequence = 'the running configuration is kept';
    if (isEmpty(file)) return refusedConfig(path, `is empty: ${consequence}`);
    if (file.type !== 'missing' || taken?.type === 'missing')
      return loadedFrom(file, path, { catalog });
    return refusedConfig(
      path,
      `does not exist: ${consequence} (to use the defaults, run "hookbell restart")`,
    );
  }

  /** Reads the file, and loads it if it changed. */
  async function look(): Promise<ConfigView> {
    const found = await readConfigText(files, path);
    if (isSame(found, seen)) return state;
    if (taken === null || !isSame(found, taken)) return take(found);
    // It was briefly missing or invalid: the configuration in force came from this very text.
    seen = found;
    forgetDoubt?.();
    state = { ...state, ok: true, problems: [] };
    log.info({ path }, 'The configuration file is restored');
    onMended();
    return state;
  }

  function inTurn(work: () => Promise<ConfigView>): Promise<ConfigView> {
    reloading = reloading.then(work, work);
    return reloading;
  }

  async function readSecretsAgain(reason: string): Promise<void> {
    log.info({ path, reason }, 'Reading the secrets again');
    await inTurn(() => notify(secretListeners).then(() => state));
  }

  function cannotRead(error: unknown): void {
    log.error({ err: error }, 'Cannot read the secrets again');
  }

  /** The stamp is that of the file behind all links. A hung file is not read either, and warned about elsewhere. */
  async function beat(): Promise<void> {
    if (watched === null) return;
    const found = await stampOf(files, path, stamp);
    if (found !== stamp) {
      watched.renew();
      await inTurn(look);
    }
    stamp = found;
    await secrets.checkFiles();
  }

  return {
    current: () => config,
    view: () => state,
    reload: () => inTurn(takeAgain),
    refresh: () => inTurn(look),
    edit: (change) => inTurn(() => edited(change)),
    async changeBy(change) {
      adapt = change;
      config = change(written);
      await inTurn(() => notify(changeListeners).then(() => state));
    },
    proveBy(next) {
      prove = next;
    },
    onChange: (listener) => void changeListeners.push(listener),
    onSecrets: (listener) => void secretListeners.push(listener),
    watch(lacksSecret) {
      watched = watchFile(path, () => void inTurn(look));
      stops.push(() => watched?.stop());
      const runAgain = async (): Promise<void> => {
        if (lacksSecret()) await secrets.runCommandsAgain();
      };
      stops.push(repeatEvery(runAgain, commandsMs, cannotRead));
    },
    beat,
    stop() {
      forgetDoubt?.();
      for (const stop of stops.splice(0)) stop();
    },
  };
}

/** Truncated by a full disk, or about to be written. A file with only comments is not empty: it means the defaults. */
function isEmpty(file: FileText): boolean {
  return file.type === 'text' && file.text.trim() === '';
}

function isSame(left: FileText, right: FileText): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** @param doubt why the daemon could not start with a file that has no mistake */
function viewOf(loaded: Loaded, path: string, at: number, doubt: string | null = null): ConfigView {
  const doubts = doubt === null ? [] : [`${path}: ${doubt}; ${TRIED_AGAIN}`];
  const problems = loaded.ok ? doubts : loaded.problems.map(formatProblem);
  return { path, ok: problems.length === 0, loadedAt: isoTime(at), problems };
}
