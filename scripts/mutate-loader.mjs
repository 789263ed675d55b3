// Makes the change that HOOKBELL_MUTANT describes while its file is loaded: for mutate.mjs.
// As a reporter it ends the process when a test fails.
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const text = process.env.HOOKBELL_MUTANT;
const mutant = text === undefined ? null : JSON.parse(text);
const url = mutant === null ? null : pathToFileURL(mutant.path).href;
if (mutant !== null && isMainThread) register(import.meta.url);

/** A hook of Node's loader. */
export async function load(wanted, context, next) {
  const loaded = await next(wanted, context);
  if (wanted !== url) return loaded;
  const code = String(loaded.source);
  return { ...loaded, source: code.slice(0, mutant.start) + mutant.text + code.slice(mutant.end) };
}

// eslint-disable-next-line import/no-default-export -- Node takes a reporter so
export default async function* reportFailure(events) {
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.todo === undefined) process.exit(1);
  }
  yield '';
}
