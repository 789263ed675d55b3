import { join } from 'node:path';

import type { FileChannelHome } from './file-channel-home.ts';
import { readLines } from './file-channel-home.ts';
import type { HookbellHome } from './hookbell-home.ts';
import { hookbellHome, projectRoot } from './hookbell-home.ts';
import type { Finished } from './run-process.ts';
import { runProcess } from './run-process.ts';

/** Two machines: one that listens and tells the file channel "out" of everything, and one that relays to it. */
export interface RelayPair extends AsyncDisposable {
  readonly home: FileChannelHome;
  readonly remote: HookbellHome;
  /** The unix socket on which home listens. */
  readonly socket: string;
  /** Lets the remote relay to an address; answers what the command has said. */
  pair(name: string, to: string, words?: readonly string[]): Promise<Finished>;
}

export interface RelayPairOptions {
  /** More lines of the configuration at home; `listen: {}` is what it has without. */
  readonly listen?: string;
}

/** Neither daemon runs yet. */
export async function relayPair({
  listen = 'listen: {}',
}: RelayPairOptions = {}): Promise<RelayPair> {
  const place = await hookbellHome();
  const remote = await hookbellHome({ folder: 'far' });
  const out = join(place.home, 'out.jsonl');
  const home = { ...place, lines: () => readLines(out) };
  await home.writeConfig(`channels: { out: { type: file, path: ${out} } }
routes: [{ match: {}, notify: out }]
${listen}
`);
  return {
    home,
    remote,
    socket: join(home.paths.runtime, 'relay.sock'),
    async pair(name, to, words = []) {
      const paired = await home.cli('pair', name);
      return withInput(remote, paired.stdout, ['pair', '--to', to, ...words]);
    },
    async [Symbol.asyncDispose]() {
      await remote[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Runs the command line with something on standard input. */
export function withInput(
  { env }: Pick<HookbellHome, 'env'>,
  input: string,
  words: readonly string[],
): Promise<Finished> {
  const main = join(projectRoot, 'dist/program/cli.js');
  return runProcess(process.execPath, [main, ...words], { env, input });
}

/** A question of an agent, as its hook hands it in. */
export function question(session: string, fields: object = {}): object {
  return { session_id: session, hook_event_name: 'PermissionRequest', cwd: '/srv/shop', ...fields };
}
