import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { dialects } from '../../../src/agents/registry.ts';
import { defineGuide } from '../../../src/cli/doctor/check.ts';
import { checkGuides, examine } from '../../../src/cli/doctor/checks.ts';
import { doctorPorts } from '../../support/doctor-ports.ts';
import { projectRoot } from '../../support/hookbell-home.ts';
import { sampleStatusView } from '../../support/sample-views.ts';

const notInstalled = {
  installed: false,
  path: '/settings.json',
  problem: null,
  hooks: [],
  asks: [],
  off: null,
  elsewhere: [],
};

/** As the guides call a check: what comes several times has one. */
function generalName(name: string): string {
  return name.replace(/^(agent|channel) .*/, '$1 NAME').replace(/^channels$/, 'channel NAME');
}

test('checkGuides has an entry for every check of examine(), with and without a daemon, and no other', async () => {
  const agents = Object.values(dialects).flatMap(({ agent, registrations }) =>
    registrations.map((registration) => ({ agent, registration })),
  );
  const machine = { agents, inspectHooks: () => Promise.resolve(notInstalled) };
  const checks = [
    ...(await examine(doctorPorts(machine))),
    ...(await examine(
      doctorPorts({
        ...machine,
        answers: {
          'GET /v1/status': sampleStatusView(),
          'GET /v1/agents': [],
          'GET /v1/words-received': [],
          'GET /v1/waits-seen': [],
          'GET /v1/channels': [
            {
              channel: 'desktop',
              type: 'desktop',
              ok: true,
              summary: 'dunst',
              hint: null,
              can: 'replace',
              cannot: '',
            },
          ],
        },
      }),
    )),
  ];

  const guided = (checkGuides['hookbell doctor'] ?? []).map(({ name }) => name);

  assert.deepEqual(
    [...new Set(checks.map(({ name }) => generalName(name)))].toSorted(),
    guided.toSorted(),
  );
});

test('docs/troubleshooting.md has a section for every check, with every remedy of it', async () => {
  const page = await readFile(join(projectRoot, 'docs/troubleshooting.md'), 'utf8');
  const sections = new Map(
    page.split(/^### /m).map((text) => [text.slice(0, text.indexOf('\n')), text]),
  );

  for (const { name, troubles } of Object.values(checkGuides).flat()) {
    const section = sections.get(name);
    assert.ok(section !== undefined, name);
    assert.equal(
      section.match(/^\| (?:warning|problem) /gm)?.length ?? 0,
      Object.keys(troubles).length,
    );
  }
});

test('defineGuide() fills the values into the remedy and leaves a name it was given nothing for', () => {
  const guide = defineGuide('files', {
    open: { state: 'problem', remedy: 'Run: chmod {mode} "{path}"' },
  });

  assert.deepEqual(guide.found('open', 'it is open', { path: '/a $& b' }), {
    name: 'files',
    state: 'problem',
    summary: 'it is open',
    hint: 'Run: chmod {mode} "/a $& b"',
  });
});
