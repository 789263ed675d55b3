import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { NODE, type Wine } from './wine.ts';
import { allDone, type WindowsHome } from './windows-home.ts';

const RECORDED = 'C:\\recorded';
const MESSAGE = `May I run <b>"rm" & 'x'</b> $(calc) %PATH% 👍?`;

/** A notification as a person at Windows gets it, up to the call of PowerShell, and what a click on it does. */
export async function checkToasts(wine: Wine, home: WindowsHome): Promise<string> {
  const hook = `${home.program}\\dist\\program\\hookbell-hook.cjs`;
  const payload = {
    hook_event_name: 'Notification',
    notification_type: 'permission_prompt',
    session_id: 'toast',
    message: MESSAGE,
    cwd: 'C:\\toasts',
  };
  const argv = [NODE, hook, '--state', home.state];
  allDone(await wine.run([{ argv, env: home.env, input: JSON.stringify(payload) }]));
  const { key, xml = '' } = await recordedToast(
    wine,
    ({ action, xml: shown = '' }) => action === 'show' && shown.includes('toasts'),
  );
  const words = (await recorded(wine, 'words'))[0] ?? Buffer.alloc(0);
  const line = words.toString('utf16le');
  if (
    !/\\powershell\.exe"? -NoLogo -NoProfile -NonInteractive -EncodedCommand [\w+/=]+$/.test(line)
  )
    throw new Error(`PowerShell was called by: ${line}`);
  const escaped = MESSAGE.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const shown = escaped.replaceAll('"', '&quot;').replaceAll("'", '&#39;');
  if (!xml.includes(shown) || !xml.includes('toasts')) throw new Error(`The toast is: ${xml}`);
  const [, link = ''] = / launch="(hookbell:\d+\/default)"/.exec(xml) ?? [];
  if (link === '') throw new Error(`The toast cannot be clicked: ${xml}`);

  await click(wine, home, link);
  await recordedToast(wine, (wish) => wish.action === 'withdraw' && wish.key === key);
  const focus = await wine.until(
    'PowerShell to get the terminal',
    async () => (await recorded(wine, 'focus')).map(String).join('') || null,
  );
  if (!/^\$next = [1-9]\d*$/m.test(focus)) throw new Error(`No terminal was asked for: ${focus}`);
  const again = await wine.work(home.cli(['ack', 'toast'], 'installed'));
  if (!again.stderr.includes('has no open alert')) throw new Error(again.stderr + again.stdout);
  const wrong = await wine.work(home.cli(['open', '--', 'hookbell:1/default'], 'installed'));
  if (wrong.status === 0) throw new Error('A made-up link was taken');
  const doctor = await wine.work(home.cli(['doctor', '--all'], 'installed'));
  const [idle = ''] = /idle for \d+ s/.exec(doctor.stdout) ?? [];
  if (idle === '') throw new Error(`Presence is not known: ${doctor.stdout}`);
  return `who, where and what arrive; a click by the registered command acknowledges; ${idle}`;
}

/** As Windows would, by the command that is registered for links. Wine's console host cannot be started like that. */
async function click(wine: Wine, home: WindowsHome, link: string): Promise<void> {
  const key = String.raw`HKCU\Software\Classes\hookbell\shell\open\command`;
  const asked = await wine.work({ argv: ['reg.exe', 'query', key, '/ve'], env: home.env });
  const [, line = ''] =
    /REG_SZ\s+"[^"]*\\conhost\.exe" --headless (.*?)\r?\n/.exec(asked.stdout) ?? [];
  if (!line.endsWith('"%1"')) throw new Error(`Registered for links: ${asked.stdout}`);
  // What `reg` prints lost the letters that the code page of a console does not have.
  const cli = `${home.program}\\dist\\program\\cli.js`;
  const words = [NODE, cli, 'open', '--', link];
  if ([...line.matchAll(/"([^"]*)"|(\S+)/g)].length !== words.length) throw new Error(line);
  allDone(await wine.run([{ argv: words, env: home.env }]));
}

async function recorded(wine: Wine, kind: string): Promise<readonly Buffer[]> {
  const folder = wine.at(RECORDED);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(`.${kind}`));
  return Promise.all(names.map((name) => readFile(join(folder, name))));
}

interface Wish {
  readonly action: string;
  readonly key: string;
  readonly xml?: string;
}

/** The first call that is meant, as soon as it is there. */
async function recordedToast(wine: Wine, isMeant: (wish: Wish) => boolean): Promise<Wish> {
  return wine.until('PowerShell to get the toast of the session', async () => {
    const texts = (await recorded(wine, 'toast')).map(String).filter((text) => text.endsWith('\n'));
    const wishes: readonly Wish[] = texts.map((text) => JSON.parse(text));
    return wishes.find(isMeant) ?? null;
  });
}

/** The control pipe: its name is not known before, and only the token in a private folder opens it. */
export async function checkPipe(wine: Wine, home: WindowsHome, standIn: string): Promise<string> {
  const token = (await home.read(`${home.state}\\run\\token`)).trim();
  const script = `
const { connect } = require('node:net');
const { createHmac } = require('node:crypto');
const [, state, token] = process.argv;
const slug = state.toLowerCase().replace(/[\\\\/:]+/g, '-').slice(-200);
const plain = '\\\\\\\\.\\\\pipe\\\\hookbell-' + slug;
const named = plain + '-' + createHmac('sha256', token).update('hookbell:pipe').digest('hex').slice(0, 32);
const ask = (path, headers) => new Promise((done) => {
  const request = require('node:http').request({ socketPath: path, path: '/v1/status', headers }, (r) => (r.resume(), done(r.statusCode)));
  request.once('error', (error) => done(error.code));
  request.end();
});
(async () => {
  const all = [await ask(plain), await ask(named), await ask(named, { authorization: 'Bearer ' + token })];
  process.stdout.write(JSON.stringify({ all, named }));
})();`;
  const said = allDone(
    await wine.run([{ argv: [NODE, '-e', script, home.state, token], env: home.env }]),
  );
  const { all, named }: { all: readonly unknown[]; named: string } = JSON.parse(said.stdout);
  if (all.join(' ') !== 'ENOENT 401 200') throw new Error(`The pipe answers ${all.join(' ')}`);
  const access = await wine.work({ argv: [standIn, '--pipe', named] });
  const shown = access.stdout.trim();
  return `a name by the token, 401 without it; ${shown === '' ? 'Wine keeps no access list of a pipe' : `Wine shows ${shown}`}`;
}
