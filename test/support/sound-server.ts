import { spawn } from 'node:child_process';

import { until } from './hookbell-home.ts';
import { runProcess } from './run-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export const soundPrograms = ['pulseaudio', 'pactl', 'parec'] as const;

const RATE = 8_000;
/** Samples that are looked at together: 10 ms. */
const WINDOW = 80;
/** Windows of silence between two sounds: more than a voice pauses in a sentence, or a busy machine in a sound. */
const PAUSE = 150;

/** Seconds since the server listens. */
interface Heard {
  readonly from: number;
  readonly to: number;
  /** Without the pauses in it. */
  readonly loud: number;
}

export interface SoundServer extends AsyncDisposable {
  /** With it, programs play here. */
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
  /** All that was heard, once at least `count` sounds were and it is silent again. */
  heard(count: number): Promise<readonly Heard[]>;
}

/** A sound server of this test with an output that can only be heard by it. */
export async function startSoundServer(): Promise<SoundServer> {
  const place = await temporaryDirectory();
  const directory = place.path;
  const env = { HOME: directory, XDG_RUNTIME_DIR: directory, PATH: process.env['PATH'] ?? '' };
  const words = ['-n', '--daemonize=no', '--exit-idle-time=-1', '--use-pid-file=no'];
  const modules = ['-L', 'module-native-protocol-unix', '-L', 'module-null-sink sink_name=ear'];
  const server = spawn('pulseaudio', [...words, ...modules], { env, stdio: 'ignore' });
  await until(async () => (await runProcess('pactl', ['info'], { env })).code === 0);
  const format = ['--format=s16le', `--rate=${RATE}`, '--channels=1', '--latency-msec=20'];
  const ear = spawn('parec', ['--device=ear.monitor', ...format], { env });
  const chunks: Buffer[] = [];
  ear.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await until(() => chunks.length > 0);
  return {
    env,
    directory,
    async heard(count) {
      let found = soundsIn(chunks);
      await until(() => {
        found = soundsIn(chunks);
        return found.isSilent && found.sounds.length >= count;
      }, 60_000);
      return found.sounds;
    },
    async [Symbol.asyncDispose]() {
      ear.kill('SIGKILL');
      // What it has started itself ends when it leaves.
      await runProcess('pactl', ['exit'], { env });
      server.kill('SIGKILL');
      await place[Symbol.asyncDispose]();
    },
  };
}

function soundsIn(chunks: readonly Buffer[]) {
  const all = Buffer.concat(chunks);
  const sounds: { from: number; to: number; loud: number }[] = [];
  const seconds = (window: number): number => (window * WINDOW) / RATE;
  const windows = Math.floor(all.length / 2 / WINDOW);
  let last = Number.NEGATIVE_INFINITY;
  for (let window = 0; window < windows; window += 1) {
    const samples = all.subarray(window * WINDOW * 2, (window + 1) * WINDOW * 2);
    if (!isLoud(samples)) continue;
    if (window - last > PAUSE) sounds.push({ from: seconds(window), to: 0, loud: 0 });
    last = window;
    const sound = sounds.at(-1);
    if (sound === undefined) continue;
    sound.to = seconds(window + 1);
    sound.loud += seconds(1);
  }
  return { sounds, isSilent: windows - last > PAUSE };
}

function isLoud(samples: Buffer): boolean {
  for (let at = 0; at < samples.length; at += 2) {
    if (Math.abs(samples.readInt16LE(at)) > 200) return true;
  }
  return false;
}

/** A tone of 440 Hz, as a WAV file. */
export function toneFile(seconds: number): Buffer {
  const data = Buffer.alloc(RATE * seconds * 2);
  for (let n = 0; n < RATE * seconds; n += 1) {
    data.writeInt16LE(Math.round(12_000 * Math.sin((n * 2 * Math.PI * 440) / RATE)), n * 2);
  }
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}
