import { readFile, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { appendLines, checkAppend } from '../../channels/file.ts';
import { readConfigFile } from '../../config/load.ts';
import { findProjectFile, settingsOf } from '../../config/project-file.ts';
import { readSecretFile } from '../../config/secrets.ts';
import type { FarFiles, FileJobs } from '../../core/far-files.ts';
import { makePrivateDirectory } from '../../platform/private-directory.ts';
import { writeAtomically } from '../../platform/replace-file.ts';
import { readTranscriptTail, readTranscriptTitle } from '../transcripts/transcript-title.ts';

export const fileJobs: FileJobs = {
  appendLines,
  checkAppend,
  transcriptTitle: ({ path, uid }) => readTranscriptTitle(path, { uid }),
  transcriptTail: ({ path, uid, bytes }) => readTranscriptTail(path, { uid }, bytes),
  async projectSettings({ path, uid, trusted }) {
    const file = await findProjectFile(path, uid);
    return file === null ? null : settingsOf(file, new Map(Object.entries(trusted)));
  },
  secret: ({ path, platform }) => readSecretFile(path, platform),
  configuration: ({ path }) => readConfigFile(path),
  async replaceConfiguration({ path, before, text }) {
    if (!isDeepStrictEqual(await readConfigFile(path), before)) return false;
    await makePrivateDirectory(dirname(path));
    await writeAtomically(path, text);
    return true;
  },
  async stamp({ path }) {
    const { dev, ino, size, mtimeMs, ctimeMs } = await stat(path);
    return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
  },
  text: ({ path }) => readFile(path, 'utf8'),
  async probe({ path }) {
    await statfs(path);
    return null;
  },
};

/** File work in this process, for short-lived programs. */
export const nearFiles: FarFiles = {
  run: (name, asked) => fileJobs[name](asked),
};
