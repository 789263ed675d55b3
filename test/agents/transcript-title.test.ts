import assert from 'node:assert/strict';
import { test } from 'node:test';

import { titleInTranscript } from '../../src/agents/support/transcript-lines.ts';

function lines(...entries: readonly unknown[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

const summary = { type: 'summary', summary: 'Old part', leafUuid: 'x' };
const own = { type: 'ai-title', aiTitle: 'Mend the till', sessionId: 's1' };
const renamed = { type: 'custom-title', customTitle: 'Till', sessionId: 's1' };

for (const { name, pieces, wanted } of [
  {
    name: "droid's first line",
    pieces: [lines({ type: 'session_start', title: 'A' })],
    wanted: 'A',
  },
  { name: 'a summary', pieces: [lines(summary)], wanted: 'Old part' },
  {
    name: "the agent's title before a summary",
    pieces: [lines(own, summary)],
    wanted: own.aiTitle,
  },
  { name: "a person's title before all", pieces: [lines(renamed, own)], wanted: 'Till' },
  {
    name: 'the latest of several, from whichever piece',
    pieces: [lines(own), lines({ ...own, aiTitle: 'Newer' })],
    wanted: 'Newer',
  },
  { name: 'none in an empty title', pieces: [lines({ ...own, aiTitle: ' ' })], wanted: null },
  {
    name: 'none in a title that is not text',
    pieces: [lines({ ...own, aiTitle: 42 })],
    wanted: null,
  },
  {
    name: 'none in what a message quotes',
    pieces: [lines({ type: 'user', message: JSON.stringify(own) })],
    wanted: null,
  },
  { name: 'none in half a line', pieces: [lines(own).slice(4)], wanted: null },
  { name: 'none in what is no JSON', pieces: ['"summary"\n[]\nnull\n'], wanted: null },
]) {
  test(`titleInTranscript() finds ${name}`, () => {
    assert.equal(titleInTranscript(pieces), wanted);
  });
}
