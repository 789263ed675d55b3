import { FailedError, HookbellError } from '../../platform/errors.ts';
import { acts } from './acts.ts';
import { createPlay } from './play.ts';
import { setStage, type StageOptions, tempoOf } from './stage.ts';
import { createTimeline, type Entry, type Show } from './timeline.ts';

export interface DemoOptions extends Omit<StageOptions, 'tempo'> {
  /** 2: waits half as long. */
  readonly speed: number;
  readonly show: Show;
  /** Called with the home directory of the demo once it exists. */
  readonly onHome: (home: string) => void;
}

export interface DemoReport {
  readonly durationMs: number;
  readonly timeline: readonly Entry[];
  /** The failure; null if everything went as expected. */
  readonly failure: HookbellError | null;
}

/** Plays all acts on a separate stage, which is always removed afterwards. */
export async function runDemo(options: DemoOptions, interrupted: AbortSignal): Promise<DemoReport> {
  const tempo = tempoOf(options.speed);
  const timeline = createTimeline(options.show, () => performance.now());
  let failure: HookbellError | null = null;
  try {
    await using stage = await setStage({ ...options, tempo });
    options.onHome(stage.home);
    const pid = await stage.startDaemon();
    timeline.add({ type: 'daemon', what: `The daemon runs (pid ${pid})`, pid });
    const play = createPlay(stage, { tempo, timeline, interrupted });
    for (const act of acts) await act(play);
    await play.finish();
  } catch (error) {
    failure = failureOf(error, interrupted);
  }
  return { durationMs: timeline.elapsedMs(), timeline: timeline.entries, failure };
}

/** @throws errors that are bugs */
function failureOf(error: unknown, interrupted: AbortSignal): HookbellError {
  if (interrupted.aborted) return new FailedError('The demo was interrupted', { cause: error });
  if (error instanceof HookbellError) return error;
  throw error;
}
