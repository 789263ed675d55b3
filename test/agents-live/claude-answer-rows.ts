import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { openLink } from '../support/page-home.ts';
import { closedInTerminal, promptReturns, type Rows, WORDS } from './answer-rows.ts';
import { type Scene, claudeProcess, cli, until } from './answer-scene.ts';
import type { Scripts } from './tools.ts';

/** Leaves the shell of the agent, has a terminal, and says yes; again where the request has not come yet. */
const byItself = `(for n in 1 2 3 4 5 6 7; do sleep 4; printf 'y\\n' | HOME="$HOME" script -qec '${process.execPath} ${cli} allow' itself.txt >/dev/null 2>&1; grep -q 'Cannot answer' itself.txt && break; done) &`;

export const claudeScripts: Scripts = {
  'Rest now': [{ say: 'I rest now' }],
  'Rest again': [{ say: 'I rest again' }],
  'Rest at last': [{ say: 'I rest at last' }],
  'Say seven': [{ say: 'Seven is said' }],
  'Go on': [{ say: 'It goes on' }],
  'Work on': [{ say: 'The work goes on' }],
  'Make one': [{ run: 'touch one.txt' }, { say: 'One is made' }],
  'Make two': [{ run: 'touch two.txt' }, { say: 'I use staging' }],
  'Make three': [{ run: 'touch three.txt' }, { say: 'Three is made' }],
  'Make slow': [{ run: 'sleep 6; touch slow.txt' }, { say: 'Slow is made' }],
  'Make four': [{ run: 'touch four.txt' }, { say: 'Four is made' }],
  'Make six': [{ run: 'touch six.txt' }, { say: 'Six is made' }],
  'Make seven': [{ run: 'touch seven.txt' }, { say: 'Seven is made' }],
  'Make eight': [{ run: 'touch eight.txt' }, { say: 'Eight is made' }],
  'Make both1': [{ run: 'touch both1.txt' }, { say: 'both1 is over' }],
  'Make both2': [{ run: 'touch both2.txt' }, { say: 'both2 is over' }],
  'Make both3': [{ run: 'touch both3.txt' }, { say: 'both3 is over' }],
  'Make nine': [{ run: 'touch nine.txt' }, { say: 'Nine is made' }],
  'Make eleven': [{ run: 'touch eleven.txt' }, { say: 'Eleven is made' }],
  'Make ten': [{ run: 'touch ten.txt' }, { say: 'Ten is made' }],
  'Make long': [{ run: `touch long.txt # ${'x'.repeat(20_000)}` }, { say: 'Long is over' }],
  'Choose one': [{ ask: 'Which database should I use?' }, { say: 'Thanks for one' }],
  'Choose several': [
    { ask: 'Which databases should I test?', several: true },
    { say: 'Thanks for several' },
  ],
  'Choose words': [{ ask: 'What should I call it?' }, { say: 'Thanks for words' }],
  'Help yourself': [{ run: byItself }, { run: 'touch five.txt' }, { say: 'Five is made' }],
  'Read both': [
    { together: [{ read: '/etc/hostname' }, { read: '/etc/os-release' }] },
    { say: 'Both are read' },
    { say: 'Both are read' },
  ],
  'Delegate one': [{ agent: 'Make nested1' }, { say: 'One is delegated' }],
  'Make nested1': [{ run: 'touch nested1.txt' }, { say: 'Nested1 is made' }],
  // The report of a subagent is a separate prompt.
  'Nested1 is made': [{ say: 'The first report is read' }],
  'Nested2 is made': [{ say: 'The second report is read' }],
  'Delegate two': [{ agent: 'Make nested2' }, { say: 'Two is delegated' }],
  'Make nested2': [{ run: 'touch nested2.txt' }, { say: 'Nested2 is made' }],
  'Plan nothing': [{ plan: 'Nothing' }, { say: 'I plan again' }],
  'Plan well': [
    { writePlan: '# Plan\n\n1. Write the tests first' },
    { plan: '# Plan\n\n1. Write the tests first' },
    { say: 'The plan is approved' },
  ],
};

export const claudeRows: Rows = {
  'allow: the command runs': async (scene) => {
    await scene.type('Make one');
    await scene.held();
    assert.match(await scene.person(['allow']), /Allowed: the answer was sent to claude/);
    await scene.shows(/One is made/);
    assert.ok(scene.made('one.txt'));
    assert.equal((await scene.closed()).state, 'confirmed');
  },
  'a click on Allow on the page: the command runs': async (scene) => {
    await scene.type('Make ten');
    await scene.held();
    const link = /http:\S+/.exec(await scene.person(['open', '--print']))?.[0] ?? '';
    await using browser = await openLink(link);
    const shown = 'document.querySelector("#waiting .request")?.textContent ?? ""';
    await until(async () => (await browser.read(shown)).includes('ten.txt'));
    assert.equal(scene.made('ten.txt'), false);
    await browser.press('#waiting .yes');
    await scene.shows(/Ten is made/);
    assert.ok(scene.made('ten.txt'));
    const { state, outcome } = await scene.closed();
    assert.match(`${state}: ${outcome}`, /^confirmed: .+ \(page\)/);
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
    await promptShown(scene);
    await scene.terminal.press('1');
    await until(() => scene.made('three.txt'));
    await closedInTerminal(scene);
    assert.match(await scene.person(['allow']), /No agent is waiting for an answer/);
    await scene.shows(/Three is made/);
  },
  'two requests at once, the terminal answers one: the other stays, and is allowed from elsewhere':
    async (scene) => {
      await scene.type('Read both');
      await promptShown(scene);
      await until(async () => (await scene.asked()).length === 2);
      await scene.shows(/1 of 2/);
      await scene.terminal.press('1');
      await until(async () => (await scene.asked()).length === 1);
      const [left] = await scene.asked();
      assert.match(left ?? '', /file_path: \/etc\/os-release/);
      assert.equal(await scene.alerts(), 1);
      assert.match(await scene.person(['allow']), /os-release[^]*Allowed: the answer was sent/);
      await scene.shows(/Both are read/);
      assert.deepEqual(await scene.bothClosed(), ['confirmed', 'released']);
      await until(async () => (await scene.alerts()) === 0);
    },
  'a no in the terminal closes the alert': async (scene) => {
    await scene.type('Make nine');
    await promptShown(scene);
    await until(async () => (await scene.alerts()) === 1);
    await scene.terminal.press(...scene.agent.keys.escape);
    const pressedAt = performance.now();
    await until(async () => (await scene.alerts()) === 0);
    process.stdout.write(`    closed after ${Math.round(performance.now() - pressedAt)} ms\n`);
    const { state, outcome } = await scene.closed();
    assert.match(`${state}: ${outcome}`, /^released: Denied in the terminal at/);
    assert.equal(scene.made('nine.txt'), false);
  },
  'an allow while the command runs that the terminal allowed: refused': async (scene) => {
    await scene.type('Make slow');
    await promptShown(scene);
    await scene.terminal.press('1');
    await delay(1_500);
    assert.match(await scene.person(['allow']), /Not sent: Answered in the terminal at \d\d:\d\d/);
    await scene.shows(/Slow is made/);
    await closedInTerminal(scene);
  },
  'the terminal and the person simultaneously: one decision': async (scene) => {
    for (const [index, name] of ['both1', 'both2', 'both3'].entries()) {
      await scene.type(`Make ${name}`);
      await promptShown(scene);
      const allowed = scene.person(['allow']);
      // About as long as the command line takes.
      await delay(300 + 100 * index);
      await scene.terminal.press('1');
      await scene.shows(new RegExp(`${name} is over`));
      const isSent = (await allowed).includes('Allowed: the answer was sent');
      assert.ok(scene.made(`${name}.txt`));
      const { state } = await scene.closed();
      assert.ok(isSent ? state !== 'released' : state !== 'confirmed', state);
      process.stdout.write(`    ${state}\n`);
    }
  },
  'a question: one option': async (scene) => {
    await scene.type('Choose one');
    await scene.held();
    assert.match(await scene.person(['answer'], '1'), /Answered/);
    await scene.shows(/Thanks for one/);
    assert.ok(scene.modelWasSent('"Which database should I use?"="SQLite"'));
    assert.equal((await scene.closed()).state, 'confirmed');
  },
  'a question: several options': async (scene) => {
    await scene.type('Choose several');
    await scene.held();
    assert.match(await scene.person(['answer'], '1,2'), /Answered/);
    await scene.shows(/Thanks for several/);
    assert.ok(scene.modelWasSent('"Which databases should I test?"="SQLite, Postgres"'));
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
  'a command of 20 KB can only be denied': async (scene) => {
    await scene.type('Make long');
    await scene.held();
    assert.match(
      await scene.person(['allow']),
      /Cannot allow the request: it cannot be shown in full/,
    );
    assert.match(await scene.person(['deny']), /Denied/);
    await scene.shows(/Long is over/);
    assert.equal(scene.made('long.txt'), false);
    assert.match((await scene.closed()).outcome, /^Denied at/);
  },
  'the hook is killed: the prompt of the agent decides': async (scene) => {
    await scene.type('Make six');
    await promptShown(scene);
    for (const pid of scene.hooks()) process.kill(pid, 'SIGKILL');
    const { state, outcome } = await scene.closed();
    assert.match(`${state}: ${outcome}`, /^released: Its hook ended at/);
    assert.equal(scene.made('six.txt'), false);
    await scene.shows(/Do you want to proceed\?/);
    await scene.terminal.press('1');
    await scene.shows(/Six is made/);
    assert.ok(scene.made('six.txt'));
  },
  'the hook is killed before it prints a denial: not confirmed': async (scene) => {
    await scene.type('Make eleven');
    await promptShown(scene);
    for (const pid of scene.hooks()) process.kill(pid, 'SIGSTOP');
    assert.match(await scene.person(['deny']), /Denied/);
    for (const pid of scene.hooks()) process.kill(pid, 'SIGKILL');
    await until(() => scene.hooks().length === 0);
    assert.match(await scene.terminal.screen(), scene.agent.asking.permission);
    await scene.terminal.press(...scene.agent.keys.escape);
    await scene.type('Go on');
    const { state, outcome } = await scene.closed();
    assert.match(`${state}: ${outcome}`, /^answered: Denied at .+, not confirmed$/);
    assert.equal(scene.made('eleven.txt'), false);
    await scene.shows(/It goes on/);
  },
  'the agent tries to allow itself: refused': async (scene) => {
    await scene.type('Help yourself');
    await scene.held();
    assert.match(await scene.person(['allow']), /Allowed/);
    await until(() => scene.model.requests('Help yourself') >= 2);
    await scene.held();
    const said = join(scene.terminal.project, 'itself.txt');
    await until(
      () => existsSync(said) && readFileSync(said, 'utf8').includes('Cannot answer for a person'),
    );
    assert.equal(scene.made('five.txt'), false);
    assert.match(await scene.person(['deny']), /Denied/);
    await scene.shows(/Five is made/);
    assert.equal(scene.made('five.txt'), false);
  },
  'the daemon is killed: the prompt of the agent decides': async (scene) => {
    await scene.type('Make four');
    await promptShown(scene);
    await scene.killDaemon();
    await until(() => scene.hooks().length === 0);
    await scene.shows(/Do you want to proceed\?/);
    assert.equal(scene.made('four.txt'), false);
    await scene.terminal.press('1');
    await scene.shows(/Four is made/);
    assert.ok(scene.made('four.txt'));
  },
  'a plan can be approved only if it is shown in full': async (scene) => {
    const { planning } = scene.agent.commands;
    await scene.terminal.press(...planning);
    await scene.type('Plan nothing');
    await scene.held();
    assert.match(await scene.person(['allow']), /Cannot allow the request/);
    assert.match(await scene.person(['deny', 'Write a plan first']), /Denied/);
    await scene.shows(/I plan again/);
    assert.ok(scene.modelWasSent('Write a plan first'));
    await scene.type('Plan well');
    await scene.held();
    assert.match(await scene.person(['allow']), /1\. Write the tests first[^]*Allowed/);
    await scene.shows(/The plan is approved/);
    assert.ok(scene.modelWasSent('approved your plan'));
    assert.equal((await scene.closed()).state, 'confirmed');
    await scene.start();
  },
  'the deadline: the prompt of the agent decides': async (scene) => {
    const config = join(scene.home, '.config/hookbell/config.yaml');
    const before = readFileSync(config, 'utf8');
    writeFileSync(config, before.replace('settle: 4s', 'settle: 4s, expire_after: 3s'));
    await delay(1_500);
    await scene.type('Make eight');
    await promptShown(scene);
    const { state, outcome } = await scene.closed();
    assert.match(`${state}: ${outcome}`, /^released: Not answered within 3 s at/);
    assert.equal(scene.made('eight.txt'), false);
    await scene.terminal.press('1');
    await scene.shows(/Eight is made/);
    writeFileSync(config, before);
    await delay(1_500);
  },
  'away: the request of a subagent is allowed': async (scene) => {
    scene.setPresent(false);
    await scene.type('Delegate one');
    await scene.held();
    assert.doesNotMatch(await scene.terminal.screen(), scene.agent.asking.permission);
    assert.match(await scene.person(['allow']), /command: touch nested1\.txt[^]*Allowed/);
    await scene.shows(/The first report is read/);
    assert.ok(scene.made('nested1.txt'));
    assert.equal((await scene.closed()).state, 'confirmed');
    scene.setPresent(true);
    await until(() => scene.hooks().length === 0);
  },
  'the person returns: the prompt for a subagent comes': async (scene) => {
    scene.setPresent(false);
    await scene.type('Delegate two');
    await promptReturns(scene);
    assert.equal(scene.made('nested2.txt'), false);
    await delay(500);
    await scene.terminal.press('1');
    await scene.shows(/The second report is read/);
    assert.ok(scene.made('nested2.txt'));
  },
  'away: words to a session that has finished': async (scene) => {
    scene.setPresent(false);
    await scene.type('Rest now');
    await until(() => scene.hooks().length === 1);
    assert.match(
      await scene.person(['reply', '@last', WORDS]),
      /Read back: the session has the exact/,
    );
    await scene.shows(/Seven is said/);
    // What docs/answers.md says that Claude Code adds.
    const before =
      'It carries no message, answer or approval from the user.\nStop hook feedback:\n';
    assert.ok(scene.modelWasSent(`${before}${WORDS}`));
  },
  'away: a prompt typed in the terminal is not kept waiting': async (scene) => {
    scene.setPresent(false);
    await scene.type('Rest again');
    await until(() => scene.hooks().length === 1);
    await scene.type('Work on');
    await scene.shows(/The work goes on/);
  },
  'the person returns: the session is at rest, and takes no words': async (scene) => {
    scene.setPresent(false);
    await scene.type('Rest at last');
    await until(() => scene.hooks().length === 1);
    scene.setPresent(true);
    await until(() => scene.hooks().length === 0);
    await scene.shows(/\? for shortcuts|shift\+tab to cycle/);
    assert.match(await scene.person(['reply', '@last', WORDS]), /it is not waiting for words/);
  },
  'the agent is killed: the hook is let go': async (scene) => {
    await scene.type('Make seven');
    await scene.held();
    process.kill(claudeProcess(scene.home), 'SIGKILL');
    const { state, outcome } = await scene.closed();
    assert.match(`${state}: ${outcome}`, /^released: The agent ended at/);
    await until(() => scene.hooks().length === 0);
    assert.equal(scene.made('seven.txt'), false);
  },
};

/** A prompt that has just appeared ignores keys. */
async function promptShown(scene: Scene): Promise<void> {
  await scene.held();
  await scene.shows(/Do you want to proceed\?/);
  await delay(500);
}
