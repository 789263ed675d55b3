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

/** Of these transcripts only the first may be opened: the others are on a share that only a payload names. */
const transcripts = [
  '\\\\server\\share\\eigen.jsonl',
  '\\\\fremd\\share\\fremd.jsonl',
  '//fremd/share/fremd.jsonl',
  '\\\\?\\UNC\\fremd\\share\\fremd.jsonl',
];
const TITLE = 'Aus dem Protokoll';

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
  const titled = JSON.stringify({ type: 'ai-title', aiTitle: TITLE });
  for (const path of transcripts.slice(0, 2)) await home.write(path, `${titled}\n`);
  allDone(await wine.run([home.cli(['install', '--yes', '--no-service', '--agent', 'claude'])]));
  const [trusted = ''] = spellings[LABELLED] ?? [];
  const trust = home.cli(['project', 'trust', trusted.replace('D:', 'd:')], 'installed');
  allDone(await wine.run([trust]));
  const { command = '', args = [] } = await handlerOf(home, '.claude\\settings.json', 'Stop');
  const named = transcripts.map((transcript, at) => {
    return { project: 'ort', cwd: 'D:\\ort', id: `transcript-${at}`, transcript };
  });
  const spelled = Object.entries(spellings).flatMap(([project, folders]) =>
    folders.map((cwd, at) => ({ project, cwd, id: `${project}-${at}`, transcript: null })),
  );
  const wanted = [...spelled, ...named];
  const jobs = wanted.map(({ cwd, id, transcript }): Run => {
    const payload = { hook_event_name: 'Stop', session_id: id, cwd, transcript_path: transcript };
    // Of an agent whose transcripts need no proof.
    const words = transcript === null ? [] : ['--agent', 'droid'];
    return { argv: [command, ...args, ...words], env: home.env, input: JSON.stringify(payload) };
  });
  allDone(await wine.run(jobs, 3));

  const found = await wine.until('the events of every folder', async () => {
    const lines = (await home.read(home.lines).catch(() => '')).split('\n').slice(0, -1);
    return lines.length >= wanted.length ? lines : null;
  });
  const doctor = await wine.work(home.cli(['doctor', '--all'], 'installed'));
  if (!doctor.stdout.includes('is outside of your profile')) throw new Error(doctor.stdout);
  allDone(await wine.run([home.cli(['stop'], 'installed')]));
  const notified: readonly { sessionId: string; project: string }[] = found.map((line) =>
    JSON.parse(line),
  );
  for (const { project, cwd, id } of wanted) {
    const projects = notified.filter((one) => one.sessionId === id).map((one) => one.project);
    const label = project === LABELLED ? 'Laden' : project;
    if (projects.join() !== label) throw new Error(`${cwd}: ${projects.join() || 'no event'}`);
  }
  const read = found.flatMap((line, at) => (line.includes(TITLE) ? notified[at]?.sessionId : []));
  if (read.join() !== 'transcript-0') throw new Error(`titles of ${read.join() || 'none'}`);
  return `${spelled.length} spellings of ${Object.keys(spellings).length} folders, each the same project and once`;
}
