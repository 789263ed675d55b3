import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { nearFiles } from '../../../src/daemon/far-files/file-jobs.ts';
import {
  readTranscriptTitle,
  transcriptTitles,
} from '../../../src/daemon/transcripts/transcript-title.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const line = '{"type":"ai-title","aiTitle":"Mend the till","sessionId":"s1"}\n';
const filler = `${JSON.stringify({ type: 'user', message: 'x'.repeat(1_000) })}\n`;
const uid = process.geteuid?.() ?? null;

describe('readTranscriptTitle()', () => {
  test('finds a title at the beginning or the end of a long transcript, and reads nothing between', async () => {
    await using directory = await temporaryDirectory();
    const { path: home } = directory;
    const read = (name: string) => readTranscriptTitle(join(home, name), { uid });
    await writeFile(join(home, 'first.jsonl'), line + filler.repeat(500));
    await writeFile(join(home, 'last.jsonl'), filler.repeat(500) + line);
    await writeFile(join(home, 'middle.jsonl'), filler.repeat(250) + line + filler.repeat(250));
    await writeFile(join(home, 'short.jsonl'), filler + line);

    assert.deepEqual(
      [
        await read('first.jsonl'),
        await read('last.jsonl'),
        await read('middle.jsonl'),
        await read('short.jsonl'),
      ],
      ['Mend the till', 'Mend the till', null, 'Mend the till'],
    );
  });

  test('takes a leading tilde for the home directory', async () => {
    await using directory = await temporaryDirectory();
    await writeFile(join(directory.path, 't.jsonl'), line);

    const read = transcriptTitles({ files: nearFiles, home: directory.path, uid });
    const title = await read('~/t.jsonl');

    assert.equal(title, 'Mend the till');
  });

  test('opens neither links, pipes, directories, foreign files, relative paths nor other kinds of file', async () => {
    await using directory = await temporaryDirectory();
    const { path: home } = directory;
    const file = join(home, 't.jsonl');
    await writeFile(file, line);
    await writeFile(join(home, 'secret.txt'), line);
    await symlink(file, join(home, 'link.jsonl'));
    execFileSync('mkfifo', [join(home, 'pipe.jsonl')]);

    for (const path of [
      join(home, 'link.jsonl'),
      join(home, 'pipe.jsonl'),
      join(home, 'secret.txt'),
      join(home, 'missing.jsonl'),
      home,
      't.jsonl',
      `${file}\0.jsonl`,
    ]) {
      assert.equal(await readTranscriptTitle(path, { uid }), null, path);
    }
    assert.equal(await readTranscriptTitle(file, { uid: (uid ?? 0) + 1 }), null);
  });
});
