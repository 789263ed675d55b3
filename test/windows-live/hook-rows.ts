import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expectedPayloads, readPayloadFixture } from '../support/payload-fixtures.ts';
import type { Run } from './jobs.ts';
import { NODE, PACKAGE, type Wine } from './wine.ts';
import { assertSilent, makeHome } from './windows-home.ts';

const hook = `${PACKAGE}\\dist\\program\\hookbell-hook.cjs`;

/** Every so many-th recorded payload, and all that are an argument. */
const EVERY = 9;
const ROUNDS = 7;
/** What the hook may cost of the cheapest process, in the same run. */
const BOUND = 1.5;
/** How often a ratio beyond it is measured. */
const ATTEMPTS = 3;

/** The hook's promises to an agent, as `test/hooks/hand-off.test.ts` has them on Linux. */
export async function checkHook(wine: Wine): Promise<string> {
  const { env } = await makeHome(wine, 'C:\\users\\hook');
  const run = (
    state: string,
    more: Partial<Run> & { readonly words?: readonly string[] } = {},
  ): Run => {
    const { words = [], ...others } = more;
    return { argv: [NODE, hook, '--state', state, ...words], env, ...others };
  };
  await mkdir(wine.at('C:\\in'), { recursive: true });
  const payloads = expectedPayloads().filter(
    ({ input }, at) => at % EVERY === 0 || input === 'argv',
  );
  const cases: {
    readonly name: string;
    readonly job: Run;
    readonly state?: string;
    readonly bytes?: Uint8Array;
    readonly whole?: boolean;
  }[] = [];
  for (const [at, { file, input, args, env: own }] of payloads.entries()) {
    const bytes = readPayloadFixture(file);
    const state = `C:\\states\\${at}`;
    await writeFile(wine.at(`C:\\in\\${at}`), bytes);
    const more =
      input === 'argv'
        ? { words: [...args, Buffer.from(bytes).toString()] }
        : { words: args, inputFile: `C:\\in\\${at}` };
    cases.push({ name: file, job: run(state, { ...more, env: { ...env, ...own } }), state, bytes });
  }
  const large = Buffer.alloc(
    5_000_000,
    Uint8Array.from({ length: 256 }, (_, index) => index),
  );
  await writeFile(wine.at('C:\\in\\large'), large);
  const long = `C:\\states\\${'long '.repeat(12)}\\${'länger👍'.repeat(8)}\\${'x'.repeat(120)}\\${'y'.repeat(80)}`;
  const small = Buffer.from('{"a":1}');
  cases.push(
    {
      name: '5 MB of every byte',
      job: run('C:\\states\\large', { inputFile: 'C:\\in\\large' }),
      state: 'C:\\states\\large',
      bytes: large,
    },
    {
      name: 'no byte',
      job: run('C:\\states\\none'),
      state: 'C:\\states\\none',
      bytes: new Uint8Array(),
    },
    {
      name: 'input that never ends',
      job: run('C:\\states\\open', { input: '{"a":1}', staysOpen: true }),
      state: 'C:\\states\\open',
      whole: false,
    },
    { name: 'a long path', job: run(long, { input: '{"a":1}' }), state: long, bytes: small },
    {
      name: 'the other case of the drive, and slashes',
      job: run('c:/states/case', { input: '{"a":1}' }),
      state: 'C:\\states\\case',
      bytes: small,
    },
    {
      name: 'a path without limits',
      job: run('\\\\?\\C:\\states\\plain', { input: '{"a":1}' }),
      state: 'C:\\states\\plain',
      bytes: small,
    },
    {
      name: 'a UNC path',
      job: run('\\\\server\\share\\Söhne & Co\\state', { input: '{"a":1}' }),
      state: '\\\\server\\share\\Söhne & Co\\state',
      bytes: small,
    },
    {
      name: 'another disk, in small letters',
      job: run('d:\\Ordner\\state', { input: '{"a":1}' }),
      state: 'D:\\Ordner\\state',
      bytes: small,
    },
    { name: 'a disk that is not there', job: run('Q:\\state', { input: '{"a":1}' }) },
    { name: 'a relative state directory', job: run('state', { input: '{"a":1}' }) },
    {
      name: 'a file in place of the state directory',
      job: run('C:\\in\\large\\state', { input: '{"a":1}' }),
    },
  );

  const gone = ['-e', 'try{require(process.argv[1])}catch{}', 'C:\\gone\\hookbell-hook.cjs'];
  cases.push({
    name: 'a hook that was deleted',
    job: { argv: [NODE, ...gone, '--state', 'C:\\in'], env },
  });

  const outcomes = await wine.run(cases.map(({ job }) => job));

  for (const [at, { name, state, bytes, whole = true }] of cases.entries()) {
    assertSilent(name, outcomes[at]);
    if (state === undefined) continue;
    const envelope = await onlyEnvelope(wine, state, name);
    if (envelope.isWhole !== whole) throw new Error(`${name}: whole is ${envelope.isWhole}`);
    if (bytes !== undefined && !envelope.payload.equals(bytes)) {
      throw new Error(`${name}: ${envelope.payload.length} bytes, expected ${bytes.length}`);
    }
  }
  return `${cases.length} ways, all silent with status 0`;
}

/** The payload of the only event in a spool. */
export async function onlyEnvelope(wine: Wine, state: string, name: string) {
  const spool = wine.at(`${state}\\spool`);
  const [file, ...others] = await readdir(spool).catch((): string[] => []);
  if (file === undefined || others.length > 0) {
    throw new Error(`${name}: ${file === undefined ? 'no' : 'more than one'} envelope`);
  }
  const bytes = await readFile(join(spool, file));
  const head = bytes.indexOf('\n\n') + 2;
  const end = Buffer.from(`\nhookbell-end ${file}\n`);
  const isWhole = bytes.subarray(-end.length).equals(end);
  return { isWhole, payload: bytes.subarray(head, isWhole ? -end.length : undefined) };
}

/** Compares the hook with the cheapest process of Node, one after the other in the same process. */
export async function checkCost(wine: Wine): Promise<string> {
  const { env, state } = await makeHome(wine, 'C:\\users\\cost');
  const guard = ['-e', 'try{require(process.argv[1])}catch{}'];
  const least: Run = { argv: [NODE, '-e', '0'], env };
  const full: Run = { argv: [NODE, ...guard, hook, '--state', `${state}-cost`], env, input: '{}' };
  // What else runs makes one slower than the other, but not the fastest of each, and not each time.
  for (let attempt = 1; ; attempt += 1) {
    const outcomes = await wine.run(Array.from({ length: ROUNDS }, () => [least, full]).flat());
    const fastest = (parity: number): number =>
      Math.min(...outcomes.filter((_, at) => at % 2 === parity).map(({ ms }) => ms));
    const [node, ours] = [fastest(0), fastest(1)];
    const text = `${ours.toFixed(0)} ms, "node -e 0" takes ${node.toFixed(0)} ms: ${(ours / node).toFixed(2)} times`;
    if (ours <= BOUND * node) return text;
    if (attempt === ATTEMPTS) throw new Error(text);
  }
}
