import { join } from 'node:path';

import type { FileChannelHome } from './file-channel-home.ts';
import { readLines } from './file-channel-home.ts';
import type { HookbellHome } from './hookbell-home.ts';
import { hookbellHome, projectRoot } from './hookbell-home.ts';
import type { Finished } from './run-process.ts';
import { runProcess } from './run-process.ts';

/** Two machines: one that listens and sends every event to the file channel "out", and one that relays to it. */
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
  /** Address of a pretended Slack that receives questions at home: a channel that people read. */
  readonly team?: string;
}

/** Neither daemon runs yet. */
export async function relayPair({
  listen = 'listen: {}',
  team,
}: RelayPairOptions = {}): Promise<RelayPair> {
  const place = await hookbellHome();
  const remote = await hookbellHome({ folder: 'far' });
  const out = join(place.home, 'out.jsonl');
  const home = { ...place, lines: () => readLines(out) };
  const slack = `type: slack, webhook: "${team}/services/T0/B0/x", allow_any_host: true`;
  const channels = `out: { type: file, path: ${out} }${team === undefined ? '' : `, team: { ${slack} }`}`;
  const toTeam = team === undefined ? '' : ', { match: { kind: waiting }, notify: team }';
  await home.writeConfig(`channels: { ${channels} }
routes: [{ match: {}, notify: out, also: true }${toTeam}]
${listen}
`);
  return {
    home,
    remote,
    socket: join(home.paths.runtime, 'relay.sock'),
    async pair(name, to, words = []) {
      const paired = await home.cli('remote', 'pair', name);
      return withInput(remote, paired.stdout, ['remote', 'pair', '--to', to, ...words]);
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
