import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChannelDependencies } from '../../../src/core/channel.ts';
import type { RecordedRun, Recorder } from '../../support/recorder.ts';
import { createRecorder } from '../../support/recorder.ts';
import type { Arrival, Stage } from '../conformance.ts';
import { createDesktop } from './bus-stage.ts';

/** A backend whose program cannot run here. */
export interface RecordedBackend {
  readonly name: string;
  readonly platform: NodeJS.Platform;
  /** Where its program lies below the recorder's directory. */
  readonly program: string;
  /** Shell commands that answer the backend's probe, and exit. */
  readonly probe?: string;
  /** True where it reads what to show from standard input. */
  readonly readsInput?: true;
  /** What a run shows. */
  readonly arrivalOf: (run: RecordedRun) => Arrival;
  /** True where the program runs until its notification closes, so that a hang is not a fault. */
  readonly stays?: true;
}

export interface RecordedStage extends Stage {
  readonly programs: Recorder;
}

/** A desktop channel of that platform with a recorder in place of the program. */
export async function openRecordedStage(
  recorded: RecordedBackend,
  options: Record<string, unknown> = {},
  onReaction: ChannelDependencies['onReaction'] = () => undefined,
): Promise<RecordedStage> {
  const { name, platform, program, probe = '', readsInput = false, arrivalOf, stays } = recorded;
  const programs = await createRecorder();
  await mkdir(join(programs.directory, program, '..'), { recursive: true });
  const isHanging = join(programs.directory, 'hang');
  const script = `[ -e "${isHanging}" ] && exec /bin/sleep 600; exit 0`;
  await programs.add(program, { script, probe, readsInput });
  const channel = await createDesktop(
    { backend: name, ...options },
    // SystemRoot is where Windows says that it lies.
    { platform, env: { PATH: programs.directory, SystemRoot: programs.directory }, onReaction },
  );
  let taken = 0;
  return {
    channel,
    programs,
    arrivals: () => {
      const fresh = programs.runs(program).slice(taken);
      taken += fresh.length;
      return Promise.resolve(fresh.map(arrivalOf));
    },
    ...(stays === undefined && {
      hang: () => {
        writeFileSync(isHanging, '');
        return { reached: programs.reached(program, programs.runs(program).length + 1) };
      },
    }),
    break: () => programs.add(program, { script: 'echo "$@" >&2; exit 1', probe, readsInput }),
    async [Symbol.asyncDispose]() {
      await channel.close();
      await programs[Symbol.asyncDispose]();
    },
  };
}
