/**
 * Runs the benchmarks behind every figure in docs/figures.md: `node dist/bench/main.js [NAME …]`. Status 1 when a bound
 * is missed, 2 for a name that is none. `compare` measures other tools beside hookbell (compare.ts).
 */
import { answers } from './answers.ts';
import { api } from './api.ts';
import { boundaries } from './boundaries.ts';
import { compare } from './compare.ts';
import { backlog } from './backlog.ts';
import { day } from './day.ts';
import { delivery } from './delivery.ts';
import { history } from './history.ts';
import { hook } from './hook.ts';
import { hub } from './hub.ts';
import { idle } from './idle.ts';
import { latency } from './latency.ts';
import { phone } from './ntfy.ts';
import { page } from './page.ts';
import { throughput } from './hub/throughput.ts';
import { prompt } from './prompt.ts';
import { redact } from './redact.ts';
import { relay } from './relay.ts';
import { restart } from './restart.ts';
import { retention } from './retention.ts';
import { sessions } from './sessions.ts';
import { slack } from './slack.ts';
import { start } from './start.ts';
import { store } from './store.ts';
import { storm } from './storm.ts';
import { witness } from './witness.ts';
import { verdictOn } from './support/benchmark.ts';
import type { Benchmark, Figure } from './support/benchmark.ts';
import { table } from './support/table.ts';

const benchmarks: readonly Benchmark[] = [
  hook,
  latency,
  start,
  idle,
  store,
  backlog,
  delivery,
  history,
  answers,
  api,
  redact,
  prompt,
  witness,
  relay,
  slack,
  boundaries,
];
/** Take minutes on a small machine, or need a program of another release: run only when they are named. */
const onRequest: readonly Benchmark[] = [
  page,
  storm,
  sessions,
  retention,
  restart,
  phone,
  throughput,
  hub,
  day,
];
const all = [...benchmarks, ...onRequest];

// It prints its own tables: nothing in it has a bound.
if (process.argv[2] === 'compare') process.exit(await compare(process.argv.slice(3)));

const wanted = process.argv.slice(2);
const unknown = wanted.filter((word) => !all.some(({ name }) => name === word));
if (unknown.length > 0) {
  const names = all.map(({ name }) => name).join(', ');
  console.error(`No benchmark is called "${unknown.join('", "')}": there are ${names}, compare`);
  process.exit(2);
}

const figures: Figure[] = [];
for (const benchmark of wanted.length === 0 ? benchmarks : all) {
  if (wanted.length > 0 && !wanted.includes(benchmark.name)) continue;
  console.error(`Measuring ${benchmark.name}`);
  try {
    figures.push(...(await benchmark.run()));
  } catch (error) {
    // The others are worth having all the same.
    console.error(error);
    process.exitCode = 1;
  }
}
console.log(table(figures));
if (figures.some((figure) => verdictOn(figure) === 'MISSED')) process.exitCode = 1;
