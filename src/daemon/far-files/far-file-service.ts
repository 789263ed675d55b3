import { type ChildProcess, fork } from 'node:child_process';

import {
  type FarFiles,
  type FileJobs,
  type FileWork,
  HungPathError,
} from '../../core/far-files.ts';
import { programFile } from '../../platform/program-files.ts';
import { isoTime } from '../../platform/time.ts';
import type { Warnings } from '../../delivery/warnings.ts';
import { refuseFailure, request } from './file-exchange.ts';
import { farMount, isForeignShare } from '../../platform/far-mount.ts';
import { fileJobs } from './file-jobs.ts';

/** A file system that has not responded for this long counts as hung, ms: below the timeout of any channel. */
const PATIENCE_MS = 3_000;
/** A child that is not ready within this time has another problem, ms. */
const START_MS = 20_000;
/** A child without work ends after this time, ms. */
const IDLE_MS = 20_000;
/** The interval at which a hung file system is probed, ms. */
const PROBE_MS = 5_000;

export interface StoppableFarFiles extends FarFiles {
  /** Ends the children; pending calls are rejected. */
  stop(): void;
}

export interface FarFilesOptions {
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly now: () => number;
  /** A file system responds again. */
  readonly onAnswers: () => void;
  /** Absolute. If its mount hangs, the daemon cannot continue anyway. */
  readonly state?: string;
  /** Paths of the person, whose shares may be used for payloads. */
  readonly chosen?: readonly string[];
  readonly platform?: NodeJS.Platform;
  readonly jobs?: FileJobs;
  readonly startChild?: () => ChildProcess;
  readonly patienceMs?: number;
  readonly probeMs?: number;
}

/** One file system that is not of this machine, and the one child that may access it. */
interface Place {
  readonly mount: string;
  /** The work queue there, one job after the other. */
  line: Promise<unknown>;
  child: ChildProcess | null;
  /** When it stopped responding. */
  hungSince: number | null;
  probing: NodeJS.Timeout | undefined;
  idling: NodeJS.Timeout | undefined;
}

/**
 * File work on paths that payloads and the configuration name. On this machine's own file systems it runs in this
 * process. Elsewhere a child does it, one per mount, because a hanging call blocks a thread of Node, keeps the process
 * from ending, and at worst makes it unkillable. A mount that does not respond in time is refused from then on and
 * probed again every few seconds.
 *
 * Each place is either well (its child gets the work), or hung: the child was killed, and only the probe starts
 * another, once that one is gone. So a hung mount costs at most one process, however much is requested.
 */
export function createFarFiles({
  warnings,
  now,
  onAnswers,
  state,
  chosen = [],
  platform = process.platform,
  jobs = fileJobs,
  startChild = startFarChild,
  patienceMs = PATIENCE_MS,
  probeMs = PROBE_MS,
}: FarFilesOptions): StoppableFarFiles {
  const stateMount = state === undefined ? null : farMount(state);
  const except = new Set(stateMount === null ? [] : [stateMount]);
  const places = new Map<string, Place>();
  let isStopped = false;

  function placeOn(mount: string): Place {
    const existing = places.get(mount);
    if (existing !== undefined) return existing;
    const place: Place = {
      mount,
      line: Promise.resolve(),
      child: null,
      hungSince: null,
      probing: undefined,
      idling: undefined,
    };
    places.set(mount, place);
    return place;
  }

  function hang(place: Place): void {
    place.child?.kill('SIGKILL');
    if (place.hungSince === null) {
      place.hungSince = now();
      warnings.raise(
        keyOf(place),
        `The file system on "${place.mount}" has not responded since ${isoTime(place.hungSince)}: work that needs its files waits or continues without them`,
      );
    }
    if (isStopped) return;
    clearTimeout(place.probing);
    place.probing = setTimeout(() => void probe(place), probeMs);
    place.probing.unref();
  }

  /** While the hung child cannot even be killed, another would hang as well. */
  async function probe(place: Place): Promise<void> {
    if (isStopped) return;
    if (place.child !== null) return hang(place);
    try {
      await exchange(place, request('probe', { path: place.mount }));
    } catch {
      return;
    }
    place.hungSince = null;
    warnings.clear(keyOf(place));
    onAnswers();
  }

  /** Rejects with HungPathError after a timeout, and the place counts as hung then. */
  async function exchange(place: Place, text: string): Promise<string> {
    clearTimeout(place.idling);
    const child = place.child ?? (await ready(place, startChild()));
    const answer = await answerIn(child, { send: text, ms: patienceMs });
    if (answer === null) {
      hang(place);
      throw new HungPathError(place.mount, { place: place.mount, isUntouched: false });
    }
    place.idling = setTimeout(() => {
      place.child = null;
      child.kill();
    }, IDLE_MS);
    place.idling.unref();
    return answer;
  }

  async function ready(place: Place, child: ChildProcess): Promise<ChildProcess> {
    child.once('exit', () => {
      if (place.child === child) place.child = null;
    });
    place.child = child;
    child.unref();
    child.channel?.unref();
    if ((await answerIn(child, { ms: START_MS })) !== null) return child;
    child.kill('SIGKILL');
    place.child = null;
    throw new Error('The process for remote files does not start');
  }

  async function runThere<Name extends keyof FileWork>(
    place: Place,
    name: Name,
    asked: FileWork[Name]['asked'],
  ): Promise<FileWork[Name]['answer']> {
    if (isStopped || place.hungSince !== null) {
      throw new HungPathError(asked.path, { place: place.mount, isUntouched: true });
    }
    const text = await exchange(place, request(name, asked));
    refuseFailure(text);
    const { answer }: { answer: FileWork[Name]['answer'] } = JSON.parse(text);
    return answer;
  }

  return {
    async run(name, asked) {
      if (platform === 'win32' && 'uid' in asked) {
        const projects = 'trusted' in asked ? Object.keys(asked.trusted) : [];
        const isForeign = isForeignShare(asked.path, [...chosen, ...projects]);
        if (isForeign) throw new Error(`"${asked.path}" is on a share of a stranger`);
      }
      const mount = farMount(asked.path, { except });
      if (mount === null) return jobs[name](asked);
      const place = placeOn(mount);
      const work = place.line.then(() => runThere(place, name, asked));
      place.line = work.catch(() => undefined);
      return work;
    },
    stop() {
      isStopped = true;
      for (const { child, probing, idling } of places.values()) {
        clearTimeout(probing);
        clearTimeout(idling);
        child?.kill('SIGKILL');
      }
    },
  };
}

function keyOf({ mount }: Place): string {
  return `hung ${mount}`;
}

function startFarChild(): ChildProcess {
  // It needs no environment, and a directory that never disappears.
  const call = { cwd: '/', env: {}, stdio: 'ignore', windowsHide: true } as const;
  return fork(programFile('farFiles'), [], { ...call, execArgv: [] });
}

/** The next message of a child; null on a timeout or when the child ends. */
function answerIn(
  child: ChildProcess,
  { send, ms }: { readonly send?: string; readonly ms: number },
): Promise<string | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(null), ms);
    const onMessage = (message: unknown): void => finish(String(message));
    const onEnd = (): void => finish(null);
    function finish(answer: string | null): void {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onEnd).off('error', onEnd);
      resolve(answer);
    }
    child.on('message', onMessage).on('exit', onEnd).on('error', onEnd);
    if (send !== undefined) child.send(send, (error) => error !== null && finish(null));
  });
}
