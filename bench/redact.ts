import { redactText } from '../src/text/redact.ts';
import type { Benchmark } from './support/benchmark.ts';
import { nodeStartMs, slownessOf } from './support/machine.ts';
import { median } from './support/statistics.ts';
import { workday } from './support/workday.ts';

const LENGTH = 1_000_000;
const ROUNDS = 20;

/** Every text passes here before it leaves the machine, on the daemon's only thread. */
export const redact: Benchmark = {
  name: 'redact',
  run() {
    const prose = repeated(JSON.stringify([...workday(200)]));
    // Words that look like the beginning of a secret at every place.
    const suspicious = repeated(
      'api_key: token= Bearer sk-1 https://a:b eyJx.y --token ?key= AKIA ',
    );
    const starts = Array.from({ length: 20 }, () => nodeStartMs());
    return Promise.resolve(
      [
        { name: 'redaction of 1 MB of payloads', text: prose },
        { name: 'redaction of 1 MB of near misses', text: suspicious },
      ].map(({ name, text }) => ({
        name,
        value: medianMs(text),
        unit: 'ms',
        bound: 50,
        better: 'lower',
        slowness: slownessOf(starts),
        note: `median of ${ROUNDS}`,
      })),
    );
  },
};

function repeated(text: string): string {
  return text.repeat(Math.ceil(LENGTH / text.length)).slice(0, LENGTH);
}

function medianMs(text: string): number {
  return median(
    Array.from({ length: ROUNDS }, () => {
      const startedAt = performance.now();
      redactText(text);
      return performance.now() - startedAt;
    }),
  );
}
