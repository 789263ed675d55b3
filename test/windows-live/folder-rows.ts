import { mkdir } from 'node:fs/promises';

import { handlerOf } from './agent-rows.ts';
import type { Run } from './jobs.ts';
import type { Wine } from './wine.ts';
import { allDone, makeHome } from './windows-home.ts';

const LONG = `D:\\${'langer Ordner '.repeat(8).trim()}\\${'y'.repeat(120)}\\${'z'.repeat(80)}`;

/** The project whose settings are trusted. */
const LABELLED = 'Laden & Söhne';

/** The same folder as agents write it, by the name of its project. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  [LABELLED]: [
    'D:\\Repos\\Laden & Söhne',
    'd:\\Repos\\Laden & Söhne',
    'D:/Repos/Laden & Söhne',
    'd:/Repos/Laden & Söhne/',
  ],
  geteilt: [
    '\\\\server\\share\\geteilt',
    '\\\\SERVER\\share\\geteilt',
    '//server/share/geteilt',
    '\\\\?\\UNC\\server\\share\\geteilt',
  ],
  [LONG.split('\\').at(-1) ?? '']: [LONG, LONG.replace('D:', 'd:'), `\\\\?\\${LONG}`],
};

/** A person whose folders are on another disk and on a share: one event for each spelling of a folder. */
export async function checkFolders(wine: Wine): Promise<string> {
  const home = await makeHome(wine, 'C:\\users\\moved', {
    APPDATA: '\\\\server\\share\\Anna & Söhne\\Roaming',
    LOCALAPPDATA: 'd:\\OneDrive – Firma ^ 👍\\Local',
  });
  for (const [folder = ''] of Object.values(spellings)) {
    await mkdir(wine.at(folder), { recursive: true });
    await home.write(`${folder}\\.hookbell.yaml`, 'label: Laden\n');
  }
  allDone(await wine.run([home.cli(['install', '--yes', '--no-service', '--agent', 'claude'])]));
  const [trusted = ''] = spellings[LABELLED] ?? [];
  const trust = home.cli(['project', 'trust', trusted.replace('D:', 'd:')], 'installed');
  allDone(await wine.run([trust]));
  const { command = '', args = [] } = await handlerOf(home, '.claude\\settings.json', 'Stop');
  const wanted = Object.entries(spellings).flatMap(([project, folders]) =>
    folders.map((cwd, at) => ({ project, cwd, id: `${project}-${at}` })),
  );
  const jobs = wanted.map(({ cwd, id }): Run => {
    const payload = { hook_event_name: 'Stop', session_id: id, cwd };
    return { argv: [command, ...args], env: home.env, input: JSON.stringify(payload) };
  });
  allDone(await wine.run(jobs, 3));

  const found = await wine.until('the events of every folder', async () => {
    const lines = (await home.read(home.lines).catch(() => '')).split('\n').slice(0, -1);
    return lines.length >= wanted.length ? lines : null;
  });
  allDone(await wine.run([home.cli(['stop'], 'installed')]));
  const notified: readonly { sessionId: string; project: string }[] = found.map((line) =>
    JSON.parse(line),
  );
  for (const { project, cwd, id } of wanted) {
    const projects = notified.filter((one) => one.sessionId === id).map((one) => one.project);
    const label = project === LABELLED ? 'Laden' : project;
    if (projects.join() !== label) throw new Error(`${cwd}: ${projects.join() || 'no event'}`);
  }
  return `${wanted.length} spellings of ${Object.keys(spellings).length} folders, each the same project and once`;
}
