/** What goes on around the installation: another person of the machine, another version, and a disk that ignores capitals. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  arrived,
  home,
  hookbell,
  isMac,
  messages,
  node,
  pidFile,
  program,
  registered,
  ring,
  ringBy,
  run,
  state,
  until,
  worked,
  world,
} from './world.ts';

/** Becomes another user, and prints what that one could do; as root, because only root can. */
const AS_ANOTHER = `
const fs = require('node:fs'), { connect } = require('node:net');
process.setgroups([]);
process.setgid('${isMac ? 'nobody' : 'nogroup'}');
process.setuid('nobody');
const { open, folders, files, socket, pid } = JSON.parse(process.argv[1]);
const done = [];
const attempt = (name, what) => { try { what(); done.push(name); } catch ({ code }) { if (code !== 'EACCES' && code !== 'EPERM') done.push(name + ': ' + code); } };
attempt('reach ' + open, () => fs.readdirSync(open));
for (const path of folders) {
  attempt('list ' + path, () => fs.readdirSync(path));
  attempt('plant in ' + path, () => fs.writeFileSync(path + '/planted', ''));
}
for (const path of files) {
  attempt('read ' + path, () => fs.readFileSync(path));
  attempt('write ' + path, () => fs.openSync(path, 'r+'));
}
attempt('signal', () => process.kill(pid, 0));
const client = connect(socket);
client.on('connect', () => { done.push('connect'); end(); });
client.on('error', ({ code }) => { if (code !== 'EACCES') done.push('connect: ' + code); end(); });
const end = () => { console.log(JSON.stringify(done)); process.exit(); };
`;

/** Why another person cannot be played; false: they can. */
export async function noOtherPerson(): Promise<string | false> {
  if (!isMac) return false;
  const { code } = await run(['/usr/bin/sudo', '-n', '/usr/bin/true']).catch(() => ({ code: 1 }));
  return code === 0 ? false : 'only root can act as another person, and "sudo" wants a password';
}

/** Everything down to the state directory is open to all, so that only the modes of hookbell protect it. */
export async function checkOtherPerson(): Promise<void> {
  await ringBy(await registered('Notification'), 'no json at all');
  const folders = [state, ...['spool', 'quarantine', 'run'].map((name) => join(state, name))];
  await until('put aside', () => existsSync(join(state, 'quarantine')));
  const kept = folders.filter((folder) => !folder.endsWith('spool'));
  const files = kept.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(folder, name)),
  );
  const socket = join(state, 'run/control.sock');
  for (const name of ['hookbell.db', 'daemon.log', 'daemon.pid', 'run/token'])
    assert.ok(files.includes(join(state, name)), name);
  for (const path of folders) assert.equal((await stat(path)).mode & 0o777, 0o700, path);
  // The lock holds nothing.
  for (const path of files.filter((name) => !/\/lock(?:-journal)?$/.test(name)))
    assert.equal((await stat(path)).mode & 0o077, 0, path);
  for (let path = dirname(state); !/^(?:\/private)?\/tmp$/.test(path); path = dirname(path))
    await chmod(path, 0o755);
  // However loose the socket itself is, its directory is closed.
  await chmod(socket, 0o777);
  const pid = Number((await pidFile())[0]);
  const asked = JSON.stringify({ open: dirname(state), folders, files, socket, pid });
  const words = [process.execPath, '-e', AS_ANOTHER, asked];
  const { printed } = await run(isMac ? ['/usr/bin/sudo', '-n', ...words] : words);

  assert.deepEqual(JSON.parse(printed), [`reach ${dirname(state)}`]);
  await ring('after the visit');
  await until('read', arrived('after the visit'));
}

const NEXT = '99.0.0';

/** Where a package manager would have unpacked the next version. */
async function nextVersion(): Promise<string> {
  const from = fileURLToPath(new URL('../../../', import.meta.url));
  const to = join(world, 'next/node_modules/hookbell');
  const manifest = await readFile(join(from, 'package.json'), 'utf8');
  const { files }: { files: readonly string[] } = JSON.parse(manifest);
  // Patterns are those of types, which no program needs.
  for (const name of files.filter((path) => !path.includes('*')))
    await cp(join(from, name), join(to, name), { recursive: true });
  const zod = join(from, 'node_modules/zod');
  await cp(zod, join(to, '../zod'), { recursive: true, dereference: true });
  const next = manifest.replace(/"version": "[^"]*"/, `"version": "${NEXT}"`);
  await writeFile(join(to, 'package.json'), next);
  return join(to, 'dist/program/cli.js');
}

/** @param words of `install`, besides `--yes` */
export async function checkUpgrade(words: readonly string[]): Promise<void> {
  const next = await nextVersion();
  const [before = ''] = await pidFile();
  const command = await registered('Notification');
  const id = randomUUID();
  const handed: string[] = [];
  const over = new AbortController();
  const work = async (name: string): Promise<void> => {
    for (let count = 0; !over.signal.aborted; count += 1) {
      const text = `${id} ${name}${count}.`;
      await ring(text, { command });
      handed.push(text);
    }
  };
  const working = Promise.all(['a', 'b'].map(work));
  const { code, printed } = await run([node, next, 'install', '--yes', ...words]);
  over.abort();
  await working;

  assert.equal(code, 0, printed);
  assert.ok(handed.length > 2, printed);
  assert.match(await worked('status', '--json'), new RegExp(NEXT.replaceAll('.', '\\.')));
  assert.notEqual((await pidFile())[0], before);
  assert.throws(() => process.kill(Number(before), 0));
  const last = `${id} by the command of before.`;
  await ring(last, { command });
  const wanted = [...handed, last].toSorted();
  await until('all are stored', async () => {
    const found = (await messages()).flatMap((text) => wanted.filter((one) => text.includes(one)));
    if (found.length < wanted.length) return false;
    assert.deepEqual(found.toSorted(), wanted);
    return true;
  });
}

const users = dirname(home);

/** A path of a person in other capitals. */
const otherCase = (path: string): string => join(users, path.slice(users.length).toUpperCase());

/** Why a path in other capitals is another one here; false: it is the same. */
export async function tellsCapitalsApart(): Promise<string | false> {
  await mkdir(home, { recursive: true });
  if (existsSync(otherCase(home))) return false;
  const reason = 'this disk tells capitals apart: install the package ntfs-3g';
  if (process.env['HOOKBELL_REQUIRE_SYSTEM'] === '1') throw new Error(reason);
  return reason;
}

const countHooks = (text: string): number => text.split('exec ').length;

/** Shells and agents keep the capitals that a person typed. */
export async function checkCapitals(): Promise<void> {
  const command = await registered('Notification');
  const [before = ''] = await pidFile();
  const id = randomUUID();
  const texts = ['as ever', 'hook', 'folder'].map((name) => `${id} ${name}.`);
  const [usual = '', byHook = '', inFolder = ''] = texts;
  await ring(usual);
  await ring(byHook, { command: command.replaceAll(home, otherCase(home)) });
  await ring(inFolder, { cwd: otherCase(join(home, 'shop')) });
  const status = await run([node, program, 'status'], '', { HOOKBELL_STATE_DIR: otherCase(state) });
  assert.match(status.printed, /^running/m);

  // Neither a second hook nor a second daemon.
  const settings = await readFile(join(home, '.claude/settings.json'), 'utf8');
  const words = ['install', '--refresh', '--no-service', '--yes'];
  const other = await run([node, program, ...words], '', { HOME: otherCase(home) });
  assert.equal(other.code, 0, other.printed);
  const mixed = await readFile(join(home, '.claude/settings.json'), 'utf8');
  assert.equal(countHooks(mixed), countHooks(settings));
  const again = `${id} again.`;
  await ring(again);
  const { code, printed } = await hookbell(...words);
  assert.equal(code, 0, printed);
  assert.equal(await readFile(join(home, '.claude/settings.json'), 'utf8'), settings);

  await until('each once', async () => {
    const found = (await messages()).filter((text) => text.includes(id));
    return [...texts, again].every((text) => found.some((one) => one.includes(text)));
  });
  assert.equal((await messages()).filter((text) => text.includes(id)).length, 4);
  const [now = ''] = await pidFile();
  if (now !== before) assert.throws(() => process.kill(Number(before), 0));
}
