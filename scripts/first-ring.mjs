// A smoke test of a built program, on any system: installs it into a temporary home directory, runs the hook that it
// registered with a payload of Claude Code, waits for the notification at a webhook on the loopback, uninstalls, and compares
// the home directory with what it was. `node scripts/first-ring.mjs [PROGRAM]`: PROGRAM is the folder of the package, by
// default this checkout. Ends with status 1 and the reason if a step fails, and removes what it made in any case.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PATIENCE_MS = 30_000;
const checkout = fileURLToPath(new URL('..', import.meta.url));
const program = resolve(process.argv[2] ?? checkout);
const commandLine = join(program, 'dist', 'program', 'cli.js');
const payload = {
  session_id: '5d0f7a52-2c31-4a8e-9a5b-6f1f0c7f3e11',
  transcript_path: '',
  cwd: tmpdir(),
  hook_event_name: 'Notification',
  message: 'Claude needs your permission to use Bash',
};

const place = await mkdtemp(join(tmpdir(), 'hookbell-first-ring-'));
const home = join(place, 'home');
const receiver = await startReceiver();
const startedAt = performance.now();
try {
  const env = homeEnvironment();
  await mkdir(join(home, '.claude'), { recursive: true });
  await writeFile(join(home, '.claude', 'settings.json'), '{ "model": "opus" }\n');
  const { path: config } = JSON.parse(await hookbell(env, ['--json', 'config', 'check']));
  await mkdir(dirname(dirname(config)), { recursive: true });
  const untouched = await pathsBelow(home);

  await mkdir(dirname(config), { mode: 0o700 });
  await writeFile(config, configuration(receiver.port), { mode: 0o600 });
  await hookbell(env, ['install', '--yes', '--no-service', '--agent', 'claude']);
  step('installed, and the daemon runs');

  const line = await registeredLine('Notification');
  const hook = await run('sh', ['-c', line], {
    env: { ...env, CLAUDECODE: '1' },
    input: JSON.stringify(payload),
  });
  if (hook.code !== 0 || hook.stdout !== '' || hook.stderr !== '') {
    throw new Error(`The hook ended with ${JSON.stringify(hook)}, expected status 0 and no output`);
  }
  const message = await within(receiver.delivered, 'No notification arrived at the webhook');
  step(`notified: ${message.kind}, "${message.title}"`);

  const { pid } = JSON.parse(await hookbell(env, ['status', '--json']));
  await hookbell(env, ['uninstall', '--purge', '--yes']);
  await gone(pid);
  const left = (await pathsBelow(home)).filter((path) => !untouched.includes(path));
  if (left.length > 0) throw new Error(`"hookbell uninstall --purge" left ${left.join(', ')}`);
  const settings = await readFile(join(home, '.claude', 'settings.json'), 'utf8');
  if (settings !== '{ "model": "opus" }\n')
    throw new Error(`Claude Code's settings are ${settings}`);
  step('uninstalled, and nothing is left');
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
  // The daemon of a failed run would keep the directory.
  await hookbell(homeEnvironment(), ['uninstall', '--purge', '--yes']).catch(() => {});
} finally {
  receiver.stop();
  await rm(place, { recursive: true, force: true, maxRetries: 5 });
}

function step(words) {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${seconds} s: ${words}\n`);
}

/** The variables that name the home directory and the places below it, on each system; of this process only PATH and those of Windows itself. */
function homeEnvironment() {
  const { PATH, SystemRoot, ComSpec, PATHEXT } = process.env;
  const windows = {
    SystemRoot,
    ComSpec,
    PATHEXT,
    USERPROFILE: home,
    APPDATA: join(home, 'AppData', 'Roaming'),
    LOCALAPPDATA: join(home, 'AppData', 'Local'),
    TEMP: place,
  };
  return { PATH, HOME: home, LANG: 'C.UTF-8', ...(process.platform === 'win32' && windows) };
}

function configuration(port) {
  return `channels:
  here: { type: webhook, url: "http://127.0.0.1:${port}/", allow_http: true, allow_private: true }
routes: [{ match: {}, notify: here }]
alerts: { settle: 0 }
`;
}

/** An HTTP server on a free port of the loopback; `delivered` is the first message about the session of the payload. */
async function startReceiver() {
  const { promise: delivered, resolve: deliver } = deferred();
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    delivered,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };

  async function receive(request, response) {
    const message = JSON.parse(await text(request));
    response.end();
    if (message.session?.id === payload.session_id) deliver(message);
  }
}

/** Node 20 has no Promise.withResolvers. */
function deferred() {
  const parts = {};
  parts.promise = new Promise((done) => (parts.resolve = done));
  return parts;
}

/** The line that `install` registered for an event, as the agent gives it to a shell. */
async function registeredLine(event) {
  const settings = JSON.parse(await readFile(join(home, '.claude', 'settings.json'), 'utf8'));
  const line = settings.hooks?.[event]?.[0]?.hooks?.[0]?.command;
  if (typeof line !== 'string') throw new Error(`No hook is registered for ${event}`);
  return line;
}

async function hookbell(env, words) {
  const done = await run(process.execPath, [commandLine, ...words], { env });
  if (done.code === 0) return done.stdout;
  throw new Error(`"hookbell ${words.join(' ')}" ended with ${done.code}:\n${done.stderr}`);
}

async function run(command, words, { env, input = '' }) {
  const child = spawn(command, words, { env, cwd: place, stdio: ['pipe', 'pipe', 'pipe'] });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr] = await within(
    Promise.race([
      failed,
      Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]),
    ]),
    `"${command} ${words.join(' ')}" did not end`,
  );
  return { code: child.exitCode, stdout, stderr };
}

async function within(promise, otherwise) {
  const giveUp = new AbortController();
  const late = delay(PATIENCE_MS, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(`${otherwise} within ${PATIENCE_MS / 1000} s`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    giveUp.abort();
  }
}

/** Waits until there is no process with this id. */
async function gone(pid) {
  const deadline = Date.now() + PATIENCE_MS;
  while (isAlive(pid)) {
    if (Date.now() > deadline) throw new Error(`The daemon still runs as process ${pid}`);
    await delay(50);
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function pathsBelow(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.map((entry) => relative(directory, join(entry.parentPath, entry.name))).toSorted();
}
