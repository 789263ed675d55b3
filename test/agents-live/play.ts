import { setTimeout as delay } from 'node:timers/promises';

import type { LiveAgent } from './live-agent.ts';
import type { LiveHome, Terminal } from './live-home.ts';
import type { Action, Row } from './scenarios.ts';

/** How a row went, before its rings are looked at. */
export interface Played {
  readonly row: Row;
  readonly from: number;
  readonly to: number;
  /** Why it could not be played to its end, with what the screen showed; null: it was. */
  readonly stuck: string | null;
}

/** Longer than this nothing is waited for, ms: an agent that hangs must not hang the run. */
const PATIENCE_MS = 30_000;
/** The first start of an agent unpacks and compiles much. */
const START_MS = 60_000;
const RING_MS = 15_000;
/** News that come late, such as a reminder, belong to the row they are about, ms. */
const AFTERWARDS_MS = 1_200;

/** Plays the rows with an agent, one after the other. */
export async function* play(
  agent: LiveAgent,
  home: LiveHome,
  rows: readonly Row[],
): AsyncGenerator<Played, void> {
  const terminals = home.projects.map((project) => home.openTerminal(project));
  let needsStart = false;
  let wanted = 0;
  for (const row of rows) {
    const from = Date.now();
    wanted = home.rings();
    const [first] = row.play;
    let stuck: string | null = null;
    try {
      if (needsStart && first?.[0] !== 'start' && first?.[0] !== 'run')
        await perform(['start'], terminals);
      for (const action of row.play) await perform(action, terminals);
      needsStart = false;
    } catch (error) {
      stuck = error instanceof Error ? error.message : String(error);
      needsStart = true;
    }
    await delay(AFTERWARDS_MS);
    yield { row, from, to: Date.now(), stuck };
  }

  async function perform(
    action: Action,
    [terminal, ...others]: readonly Terminal[],
  ): Promise<void> {
    if (terminal === undefined) throw new Error('There is no terminal');
    switch (action[0]) {
      case 'start':
      case 'resume':
        await terminal.start(action[0] === 'start' ? agent.interactive : agent.resume);
        return untilReady(terminal);
      case 'type':
        await terminal.type(action[1]);
        await shows(terminal, new RegExp(action[1]));
        await delay(200);
        return terminal.press('Enter');
      case 'command':
        return terminal.press(...agent.commands[action[1]]);
      case 'see':
        return shows(terminal, new RegExp(action[2]?.[agent.agent] ?? action[1]));
      case 'asked':
        await shows(terminal, agent.asking[action[1]]);
        // A prompt that has just appeared takes no keys yet.
        return delay(500);
      case 'ring':
        wanted += 1;
        await until(() => home.rings() >= wanted, RING_MS);
        return;
      case 'press':
        return terminal.press(...agent.keys[action[1]]);
      case 'pass':
        return delay(action[1]);
      case 'run': {
        const { code, stderr } = await home.headless(agent.headless(action[1]));
        if (code === 124 || code === 137) throw new Error(`It did not end: ${stderr.slice(-500)}`);
        return;
      }
      case 'kill':
        return terminal.kill();
      case 'beside':
        for (const one of action[1]) await perform(one, others);
    }
  }

  async function untilReady(terminal: Terminal): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (Date.now() < deadline) {
      const screen = await terminal.screen();
      const dialog = agent.dialogs.find(([shown]) => shown.test(screen));
      if (dialog === undefined && agent.ready.test(screen)) return delay(500);
      if (dialog !== undefined) await terminal.press(...dialog.slice(1).map(String));
      await delay(250);
    }
    throw new Error(`It takes no prompt:\n${await terminal.screen()}`);
  }
}

async function shows(terminal: Terminal, words: RegExp): Promise<void> {
  const isShown = await until(async () => words.test(await terminal.screen()), PATIENCE_MS);
  if (!isShown)
    throw new Error(`The screen does not show ${String(words)}:\n${await terminal.screen()}`);
}

/** Whether something came true within a time, ms. */
async function until(
  holds: () => boolean | Promise<boolean>,
  patienceMs: number,
): Promise<boolean> {
  const deadline = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > deadline) return false;
    await delay(100);
  }
  return true;
}
