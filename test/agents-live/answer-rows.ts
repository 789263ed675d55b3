import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

import { type Scene, until } from './answer-scene.ts';
import type { Scripts } from './tools.ts';

export type Rows = Readonly<Record<string, (scene: Scene) => Promise<void>>>;

export const WORDS = 'Say seven: "so", /clear and $(this)';

export async function closedInTerminal(scene: Scene): Promise<void> {
  const { state, outcome } = await scene.closed();
  assert.match(`${state}: ${outcome}`, /^released: Answered in the terminal at \d\d:\d\d$/);
}

/** The prompt for a request that is held comes only when the person is back. */
export async function promptReturns(scene: Scene): Promise<void> {
  const { permission } = scene.agent.asking;
  await scene.held();
  assert.doesNotMatch(await scene.terminal.screen(), permission);
  scene.setPresent(true);
  const backAt = performance.now();
  await scene.shows(permission);
  process.stdout.write(`    native prompt after ${Math.round(performance.now() - backAt)} ms\n`);
  const { state, outcome } = await scene.closed();
  assert.match(`${state}: ${outcome}`, /^released: You are back at this machine at/);
}

export const serialScripts: Scripts = {
  'Make one': [{ run: 'touch one.txt' }, { say: 'One is made' }],
  'Make two': [{ run: 'touch two.txt' }, { say: 'I use staging' }],
  'Make three': [{ run: 'touch three.txt' }, { say: 'Three is made' }],
};

/** For agents whose prompt waits for the hook. */
export const serialRows: Rows = {
  'away: allow': async (scene) => {
    scene.setPresent(false);
    await scene.type('Make one');
    await scene.held();
    assert.match(await scene.person(['allow']), /Allowed: the answer was sent/);
    await scene.shows(/One is made/);
    assert.ok(scene.made('one.txt'));
    assert.equal((await scene.closed()).state, 'confirmed');
  },
  'away: deny with words': async (scene) => {
    await scene.type('Make two');
    await scene.held();
    assert.match(await scene.person(['deny', 'Use the staging bucket']), /Denied/);
    await scene.shows(/I use staging/);
    assert.equal(scene.made('two.txt'), false);
    assert.ok(scene.modelWasSent('Use the staging bucket'));
    assert.equal((await scene.closed()).state, 'confirmed');
  },
  'the person returns: the prompt of the agent comes': async (scene) => {
    await scene.type('Make three');
    await promptReturns(scene);
    assert.equal(scene.made('three.txt'), false);
    await delay(500);
    await scene.terminal.press(...scene.agent.keys.yes);
    await scene.shows(/Three is made/);
    assert.ok(scene.made('three.txt'));
  },
};

export const opencodeScripts: Scripts = {
  'Rest now': [{ say: 'I rest now' }],
  'Say seven': [{ say: 'Seven is said' }],
  'Make one': [{ run: 'touch one.txt' }, { say: 'One is made' }],
  'Make two': [{ run: 'touch two.txt' }, { say: 'I use staging' }],
  'Make three': [{ run: 'touch three.txt' }, { say: 'Three is made' }],
  'Make four': [{ run: 'touch four.txt' }, { say: 'Four is made' }],
  'Make five': [{ run: 'touch five.txt' }, { run: 'touch six.txt' }, { say: 'Both are made' }],
  'Make both1': [{ run: 'mkdir both1.txt' }, { say: 'both1 is over' }],
  'Make both2': [{ run: 'rmdir both1.txt' }, { say: 'both2 is over' }],
  'Make a pair': [
    { together: [{ run: 'touch pair1.txt' }, { run: 'touch pair2.txt' }] },
    { say: 'The pair is made' },
    { say: 'The pair is made' },
  ],
  'Choose one': [{ ask: 'Which database should I use?' }, { say: 'Thanks for one' }],
  'Choose words': [{ ask: 'What should I call it?' }, { say: 'Thanks for words' }],
};

/** OpenCode shows its prompt meanwhile, and reports who answered it. */
export const opencodeRows: Rows = {
  'allow: the command runs': async (scene) => {
    await scene.type('Make one');
    await scene.held();
    await scene.shows(scene.agent.asking.permission);
    assert.match(
      await scene.person(['allow']),
      /command: touch one\.txt[^]*Allowed: the answer was/,
    );
    await scene.shows(/One is made/);
    assert.ok(scene.made('one.txt'));
    assert.equal((await scene.closed()).state, 'confirmed');
  },
  'deny with words: they are in the next request to the model': async (scene) => {
    await scene.type('Make two');
    await scene.held();
    assert.match(await scene.person(['deny', 'Use the "staging" bucket']), /Denied/);
    await scene.shows(/I use staging/);
    assert.equal(scene.made('two.txt'), false);
    assert.ok(scene.modelWasSent('Use the "staging" bucket'));
    assert.equal((await scene.closed()).state, 'confirmed');
  },
  'the terminal is first: the hook is let go': async (scene) => {
    await scene.type('Make three');
    await scene.held();
    await scene.shows(scene.agent.asking.permission);
    await delay(500);
    await scene.terminal.press(...scene.agent.keys.yes);
    await until(() => scene.made('three.txt'));
    await closedInTerminal(scene);
    assert.match(await scene.person(['allow']), /No agent is waiting for an answer/);
    await scene.shows(/Three is made/);
  },
  'two requests at once, the terminal answers one: the other stays, and is allowed from elsewhere':
    async (scene) => {
      await scene.type('Make a pair');
      await until(async () => (await scene.asked()).length === 2);
      await scene.shows(scene.agent.asking.permission);
      await delay(500);
      await scene.terminal.press(...scene.agent.keys.yes);
      await until(async () => (await scene.asked()).length === 1);
      const [left] = await scene.asked();
      assert.match(left ?? '', /command: touch pair2\.txt/);
      assert.equal(await scene.alerts(), 1);
      assert.match(await scene.person(['allow']), /pair2\.txt[^]*Allowed: the answer was sent/);
      await scene.shows(/The pair is made/);
      assert.ok(scene.made('pair1.txt') && scene.made('pair2.txt'));
      assert.equal((await scene.closed()).state, 'confirmed');
    },
  'the terminal and the person simultaneously: one decision': async (scene) => {
    for (const [index, name] of ['both1', 'both2'].entries()) {
      await scene.type(`Make ${name}`);
      await scene.held();
      await scene.shows(scene.agent.asking.permission);
      await delay(500);
      const allowed = scene.person(['allow']);
      await delay(300 + 200 * index);
      await scene.terminal.press(...scene.agent.keys.yes);
      await scene.shows(new RegExp(`${name} is over`));
      const isSent = (await allowed).includes('Allowed: the answer was sent');
      const { state } = await scene.closed();
      assert.ok(isSent ? state !== 'released' : state === 'released', state);
      process.stdout.write(`    ${state}\n`);
    }
  },
  'a question: one option': async (scene) => {
    await scene.type('Choose one');
    await scene.held();
    assert.match(await scene.person(['answer'], '1'), /Answered/);
    await scene.shows(/Thanks for one/);
    assert.ok(scene.modelWasSent('SQLite'));
    assert.equal((await scene.closed()).state, 'confirmed');
  },
  'a question: words': async (scene) => {
    await scene.type('Choose words');
    await scene.held();
    assert.match(await scene.person(['answer'], 'The "old" name'), /Answered/);
    await scene.shows(/Thanks for words/);
    assert.ok(scene.modelWasSent('The "old" name'));
    assert.equal((await scene.closed()).state, 'confirmed');
  },
  'words to a session that has finished': async (scene) => {
    await scene.type('Rest now');
    await scene.shows(/I rest now/);
    await until(() => scene.hooks().length === 1);
    assert.match(
      await scene.person(['reply', '@last', WORDS]),
      /Read back: the session has the exact/,
    );
    await scene.shows(/Seven is said/);
    assert.ok(scene.modelWasSent(WORDS));
  },
  'the daemon is killed: the prompt of the agent decides': async (scene) => {
    await scene.type('Make four');
    await scene.held();
    await scene.shows(scene.agent.asking.permission);
    await scene.killDaemon();
    await until(() => scene.hooks().length === 0);
    await delay(500);
    assert.match(await scene.terminal.screen(), scene.agent.asking.permission);
    assert.equal(scene.made('four.txt'), false);
    await scene.terminal.press(...scene.agent.keys.yes);
    await scene.shows(/Four is made/);
    assert.ok(scene.made('four.txt'));
  },
  'allow for the session: the next command of its kind runs without a prompt': async (scene) => {
    await scene.type('Make five');
    await scene.held();
    assert.match(
      await scene.person(['allow', '--remember']),
      /for the session: \["touch \*"\][^]*the answer was sent/,
    );
    await scene.shows(/Both are made/);
    assert.ok(scene.made('five.txt') && scene.made('six.txt'));
    assert.equal((await scene.closed()).state, 'confirmed');
  },
};
