import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';

import { freePort } from './free-port.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** Programs of two releases: 2.27 of Debian sid, 2.11 of Debian trixie, which cannot withdraw a message. */
export const ntfyPrograms = { '2.27': 'ntfy-sid', '2.11': 'ntfy-trixie' } as const;
export type NtfyVersion = keyof typeof ntfyPrograms;

const received = z.object({
  event: z.string(),
  id: z.string(),
  sequence_id: z.string().optional(),
  title: z.string().optional(),
  message: z.string().optional(),
  priority: z.int().optional(),
  actions: z
    .array(
      z.object({
        label: z.string(),
        url: z.string(),
        method: z.string(),
        headers: z.record(z.string(), z.string()).optional(),
        body: z.string(),
      }),
    )
    .optional(),
});
export type NtfyReceived = z.output<typeof received>;

/** The real client, which receives messages with their buttons. It does not report what is cleared. */
export interface NtfyPhone extends AsyncDisposable {
  readonly received: readonly NtfyReceived[];
  /** Does what the app does when a button is pressed: sends its request, exactly as it was delivered. */
  press(label: string, of: NtfyReceived): Promise<number>;
}

export interface NtfyServer extends AsyncDisposable {
  readonly url: string;
  /** May write to "agents" and read "answers": what hookbell gets. */
  readonly token: string;
  /** May only write to "answers": what the phone gets in buttons. */
  readonly answerToken: string;
  /** The real `ntfy subscribe`, as a user that may only read "agents"; or of another topic, without a token where it is null. */
  phone(of?: { readonly topic: string; readonly token?: string | null }): Promise<NtfyPhone>;
  /** Runs a command of the administrator, such as "ntfy access …". */
  administer(words: readonly string[]): Promise<void>;
  /** What a phone shows: the latest message of each sequence that was neither cleared nor deleted, oldest first. */
  shown(): Promise<readonly NtfyReceived[]>;
  /** Ends the server as a crash would. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/**
 * A real ntfy server on the loopback that denies everything without a token.
 *
 * @param more lines of its configuration
 * @param access of the token that publishes, to the topic
 */
export async function startNtfy(
  version: NtfyVersion,
  more = '',
  access: 'write-only' | 'read-write' = 'write-only',
): Promise<NtfyServer> {
  const program = ntfyPrograms[version];
  const directory = await temporaryDirectory();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(directory.path, 'server.yml');
  await writeFile(
    config,
    `base-url: "${url}"
listen-http: "127.0.0.1:${port}"
cache-file: "${directory.path}/cache.db"
auth-file: "${directory.path}/auth.db"
auth-default-access: "deny-all"
${more}
`,
  );
  let server: ChildProcess | null = null;

  async function start(): Promise<void> {
    server = spawn(program, ['serve', '--config', config], { stdio: 'ignore' });
    for (let tries = 0; tries < 600; tries += 1) {
      const isReady = await fetch(`${url}/v1/health`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return;
      await delay(25);
    }
    throw new Error('ntfy did not start within 15 s');
  }

  async function kill(): Promise<void> {
    if (server === null || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
    server = null;
  }

  async function user(name: string, rights: readonly [string, string][]): Promise<string> {
    const env = { ...process.env, NTFY_PASSWORD: `password of ${name}` };
    const manage = (...words: readonly string[]) =>
      run(program, [words[0] ?? '', '--config', config, ...words.slice(1)], { env });
    await manage('user', 'add', name);
    for (const [topic, right] of rights) await manage('access', name, topic, right);
    const { stdout, stderr } = await manage('token', 'add', name);
    return /tk_\w+/.exec(stdout + stderr)?.[0] ?? '';
  }

  await start();
  const token = await user('hookbell', [
    ['agents', access],
    ['answers', 'read-only'],
  ]);
  const answerToken = await user('buttons', [['answers', 'write-only']]);
  const phoneToken = await user('phone', [['agents', 'read-only']]);

  return {
    url,
    token,
    answerToken,
    kill,
    start,
    async shown() {
      const headers = { authorization: `Bearer ${phoneToken}` };
      let response = await fetch(`${url}/agents/json?poll=1&since=all`, { headers });
      // The server counts these requests like all others of this machine, and refuses some while it starts.
      while (response.status !== 200) {
        await response.body?.cancel();
        await delay(100);
        response = await fetch(`${url}/agents/json?poll=1&since=all`, { headers });
      }
      const lines = (await response.text()).split('\n').filter((line) => line !== '');
      return shownOf(lines.map((line) => received.parse(JSON.parse(line))));
    },
    async administer([command = '', ...words]) {
      await run(program, [command, '--config', config, ...words]);
    },
    async phone({ topic, token: using = phoneToken } = { topic: 'agents' }) {
      const login = using === null ? [] : ['--token', using];
      const words = ['subscribe', ...login, '--since', 'all', `${url}/${topic}`];
      const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] });
      const messages: NtfyReceived[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => {
        const { data } = received.safeParse(JSON.parse(line));
        // One that is published while the subscription starts comes twice: live, and as one of the earlier ones.
        if (data !== undefined && messages.every(({ id }) => id !== data.id)) messages.push(data);
      });
      return {
        received: messages,
        async press(label, { actions = [] }) {
          const action = actions.find((one) => one.label === label);
          if (action === undefined) throw new Error(`No button "${label}"`);
          const { method, headers, body } = action;
          const response = await fetch(action.url, { method, body, ...(headers && { headers }) });
          await response.body?.cancel();
          return response.status;
        },
        async [Symbol.asyncDispose]() {
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function shownOf(messages: readonly NtfyReceived[]): readonly NtfyReceived[] {
  const screen = new Map<string, NtfyReceived>();
  for (const one of messages) {
    const key = one.sequence_id ?? one.id;
    screen.delete(key);
    if (one.event === 'message') screen.set(key, one);
  }
  return [...screen.values()];
}
