import { askProgram } from '../../platform/ask-program.ts';
import { windowsFolder } from '../../platform/find-program.ts';
import { type Machine, notifyTerminal, type TerminalSequence } from '../support/notify-terminal.ts';
import { alerter } from './alerter.ts';
import { dbusBackend } from './dbus-backend.ts';
import { nodeNotifier } from './node-notifier.ts';
import type { DesktopOptions } from './pop-up.ts';
import { powershell } from './powershell.ts';
import {
  type Backend,
  type BackendDependencies,
  type PopUp,
  type ProbeResult,
  type Programs,
  shownBy,
  type ShowResult,
} from './backend.ts';
import { terminalNotifier } from './terminal-notifier.ts';

/**
 * Constant, in JavaScript: the content comes as JSON on standard input, because every user of the machine can read the
 * arguments.
 * developer.apple.com/library/archive/documentation/LanguagesUtilities/Conceptual/MacAutomationScriptingGuide
 */
const SCRIPT = `
ObjC.import('Foundation');
const input = $.NSFileHandle.fileHandleWithStandardInput.readDataToEndOfFile;
const wish = JSON.parse($.NSString.alloc.initWithDataEncoding(input, $.NSUTF8StringEncoding).js);
const application = Application.currentApplication();
application.includeStandardAdditions = true;
const sound = wish.sound === null ? {} : { soundName: wish.sound };
application.displayNotification(wish.body, { withTitle: wish.title, ...sound });
`;

/** macOS without another program: shown under the name "Script Editor", and never withdrawn. */
function osascript(programs: Programs): Backend {
  let program: string | null = null;
  return {
    name: 'osascript',
    replaces: false,
    async probe() {
      program = await programs.find('osascript');
      return { usable: program !== null, detail: program ?? 'not on PATH' };
    },
    async show({ title, body, sound }, signal) {
      if (program === null) return { type: 'unfit', reason: 'not on PATH' };
      const input = JSON.stringify({ title, body, sound });
      const words = ['-l', 'JavaScript', '-e', SCRIPT];
      return shownBy(await programs.run(program, words, { signal, input }), null);
    },
  };
}

const WINDOWS_IN_WSL = '/mnt/c/Windows';

/** The chain of this machine, the best backend first. */
export function backendsFor(
  programs: Programs,
  options: DesktopOptions,
  dependencies: BackendDependencies,
): readonly Backend[] {
  const selected = options.backend;
  // A Linux desktop may run elsewhere, but is not searched for there.
  if (selected === 'dbus' && programs.platform !== 'win32') {
    return [dbusBackend(programs, dependencies)];
  }
  const backends = [
    ...platformBackends(programs, dependencies),
    ...terminalBackends(programs, options, dependencies.now),
  ];
  return selected === undefined ? backends : backends.filter(({ name }) => name === selected);
}

function platformBackends(programs: Programs, dependencies: BackendDependencies): Backend[] {
  const { platform, env } = programs;
  if (platform === 'darwin') {
    return [
      alerter(programs, dependencies.onReaction),
      terminalNotifier(programs),
      osascript(programs),
      nodeNotifier(programs),
    ];
  }
  if (platform === 'win32') {
    return [powershell(programs, windowsFolder(env), dependencies), nodeNotifier(programs)];
  }
  const backends = [dbusBackend(programs, dependencies), nodeNotifier(programs)];
  // WSL shows Windows' desktop; a notification server in WSL is rare, and then not visible.
  return env['WSL_DISTRO_NAME'] === undefined
    ? backends
    : [powershell(programs, WINDOWS_IN_WSL, dependencies), ...backends];
}

function terminalBackends(
  { platform, env }: Programs,
  options: DesktopOptions,
  now: () => number,
): readonly Backend[] {
  const isWanted = options.terminal !== false || options.backend === 'terminal';
  if (platform === 'win32' || !isWanted) return [];
  const sequence = typeof options.terminal === 'string' ? options.terminal : 'auto';
  return [terminal(sequence, { platform, ask: askProgram({ platform, env }), now })];
}

/** A failed backend is tried last for this long, ms; after that it regains its place if its probe passes. */
const PASSED_OVER_MS = 10_000;

type ShowOutcome =
  | (Extract<ShowResult, { readonly type: 'shown' }> & { readonly backend: Backend })
  | Extract<ShowResult, { readonly type: 'hidden' }>
  /** `unavailable`: every backend that shows pop-ups failed its probe: no desktop. */
  | (Extract<ShowResult, { readonly type: 'failed' }> & { readonly unavailable: boolean });

/**
 * The ways to show a pop-up, best first. A backend is
 *
 * - unknown, until its first probe;
 * - usable, from a probe that passed until a pop-up fails on it: no probe in between;
 * - passed over, from a failed probe or pop-up on: it goes to the end of the chain for `PASSED_OVER_MS` and is probed
 *   before it is used again.
 */
export function createFallbackChain(backends: readonly Backend[], now: () => number) {
  const results = new Map<Backend, ProbeResult & { readonly at: number }>();
  let latest: Backend | null = null;

  function keep(backend: Backend, result: ProbeResult): ProbeResult {
    results.set(backend, { ...result, at: now() });
    return result;
  }

  /** Each reason once, in the order of the chain: the best way comes first. */
  function distinctReasons(reasons: ReadonlyMap<Backend, string>): readonly string[] {
    const tried = backends
      .map((backend) => reasons.get(backend))
      .filter((reason) => reason !== undefined);
    return [...new Set(tried)].map((reason) => {
      const names = backends
        .filter((backend) => reasons.get(backend) === reason)
        .map(({ name }) => name);
      return `${reason} (${names.join(', ')})`;
    });
  }

  function wasPassedOver(backend: Backend): boolean {
    const result = results.get(backend);
    return result !== undefined && !result.usable && now() - result.at < PASSED_OVER_MS;
  }

  return {
    /** Shows it by the first backend that can; each is tried once. */
    async show(popUp: PopUp, signal: AbortSignal): Promise<ShowOutcome> {
      const order = [
        ...backends.filter((backend) => !wasPassedOver(backend)),
        ...backends.filter((backend) => wasPassedOver(backend)),
      ];
      const reasons = new Map<Backend, string>();
      let maybeShown = false;
      let unavailable = true;
      for (const backend of order) {
        if (signal.aborted) break;
        const cached = results.get(backend);
        const result = cached?.usable ? cached : keep(backend, await backend.probe(signal));
        if (!result.usable) {
          reasons.set(backend, result.detail);
          continue;
        }
        unavailable &&= !isPopUp(backend);
        const shown = await backend.show(popUp, signal);
        if (shown.type === 'shown') {
          latest = backend;
          return { ...shown, backend };
        }
        if (shown.type === 'hidden') return shown;
        reasons.set(backend, shown.reason);
        if (shown.type === 'failed') {
          keep(backend, { usable: false, detail: shown.reason });
          maybeShown ||= shown.maybeShown;
        }
      }
      unavailable &&= !signal.aborted && backends.some(isPopUp);
      const stopped = signal.aborted ? ['stopped'] : [];
      if (unavailable) {
        // Without a desktop the other backends repeat the same reason in other words.
        for (const backend of backends.filter(isPopUp).slice(1)) reasons.delete(backend);
      }
      const reason = [...distinctReasons(reasons), ...stopped].join('; ');
      return { type: 'failed', reason, maybeShown, unavailable };
    },

    /** The backend of the latest pop-up; before the first, the best one that a probe found usable; null: none. */
    current: (): Backend | null =>
      latest ?? backends.find((backend) => results.get(backend)?.usable) ?? null,

    /** Probes from the top down to the first usable backend, before the first pop-up; returns whether that shows pop-ups. */
    async warmUp(signal: AbortSignal): Promise<boolean> {
      for (const backend of backends) {
        if (keep(backend, await backend.probe(signal)).usable) return isPopUp(backend);
      }
      return false;
    },

    async survey(signal: AbortSignal) {
      const surveyed = [];
      for (const backend of backends) {
        surveyed.push({ backend, ...keep(backend, await backend.probe(signal)) });
      }
      return surveyed;
    },
  };
}

/** The fallback without a desktop: the session's terminal, if it has one. */
export function isPopUp({ name }: Pick<Backend, 'name'>): boolean {
  return name !== 'terminal';
}

function terminal(sequence: TerminalSequence | 'auto', machine: Machine): Backend {
  return {
    name: 'terminal',
    replaces: false,
    probe: async () => ({ usable: true, detail: "writes to the session's terminal" }),
    async show({ title, body, key, sound, location }, signal) {
      const bell = sound === null ? 'alone' : 'always';
      const message = { title, body, key, bell } as const;
      const notified = await notifyTerminal(location, message, { sequence, machine, signal });
      // Trouble with this terminal does not predict the next one.
      return notified.type === 'taken'
        ? { type: 'shown', id: null }
        : { type: 'unfit', reason: notified.reason };
    },
  };
}
