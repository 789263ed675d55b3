import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Kind } from '../../src/core/hook-event.ts';
import type { LiveAgent } from './live-agent.ts';
import type { LiveHome, Terminal } from './live-home.ts';
import type { ScriptedModel } from './model.ts';
import type { Row } from './scenarios.ts';
import type { Step } from './steps.ts';

/** The recorded run of a row, before its notifications are judged. */
export interface Played {
  readonly row: Row;
  readonly from: number;
  readonly to: number;
  /** Why it could not be played to its end, with what the screen showed; null: it was. */
  readonly stuck: string | null;
}

/** Longer than this nothing is waited for, ms: an agent that hangs must not hang the run. The machine may be busy. */
const PATIENCE_MS = 60_000;
/** The first start of an agent unpacks and compiles much. */
const START_MS = 120_000;
const RING_MS = 30_000;
/** A key that changes nothing for this time came too early, ms. */
const IGNORED_MS = 5_000;
/** How long a screen may take to draw before the text is typed again, ms. */
const SHOWN_MS = 10_000;
/** A prompt that no hook and no request has reported by then was not taken, ms. */
const SENT_MS = 15_000;
const TRIES = 5;
const COMPLETION_MS = 1_000;
/** A row is over when nothing has come in for this time, ms. */
const QUIET_MS = 1_000;
/** Time by which notifications that wait for an immediate answer to the request have been sent, ms. */
const SETTLED_MS = 6_000;

/** The kinds of notification expected from an agent in a row. */
export function expectedRings({ agent }: LiveAgent, { but, rings }: Row): readonly Kind[] {
  const exception = but?.[agent];
  return exception !== undefined && 'rings' in exception ? exception.rings : rings;
}

/** Plays the rows with an agent, one after the other. */
export async function play(
  agent: LiveAgent,
  home: LiveHome,
  model: ScriptedModel,
  rows: readonly Row[],
): Promise<readonly Played[]> {
  const terminals = home.projects.map((project) => home.openTerminal(project));
  const asked = new Map<Terminal, RegExp>();
  const played: Played[] = [];
  let from = Date.now();
  let rings = 0;
  let expected = 0;
  /** How often this row has waited for the same thing. */
  const waits = new Map<string, number>();
  let wasStuck = false;
  /** Every step of the row was done. */
  let isPlayed = false;
  for (const row of rows) {
    let one = await playOnce(row);
    // A terminal that took no keys on a busy machine does not concern hookbell; after a ring that does not come, no row is repeated.
    if (one.stuck !== null && !isPlayed) {
      process.stdout.write(`    played again: "${row.name}": ${one.stuck.split('\n')[0]}\n`);
      one = await playOnce(row);
    }
    played.push(one);
  }
  await home.quiet(SETTLED_MS);
  return played;

  async function playOnce(row: Row): Promise<Played> {
    from = Date.now();
    rings = 0;
    waits.clear();
    expected = expectedRings(agent, row).length;
    isPlayed = false;
    let stuck: string | null = null;
    try {
      await begin(row);
      for (const step of row.play) await perform(step, terminals);
      isPlayed = true;
      await until(async () => (await ringsInRow()) >= expected, RING_MS);
    } catch (error) {
      stuck = error instanceof Error ? error.message : String(error);
    }
    wasStuck = stuck !== null;
    await home.quiet(QUIET_MS);
    return { row, from, to: Date.now(), stuck };
  }

  /** A row goes on in the session of the one before, where that is still there. */
  async function begin(row: Row): Promise<void> {
    const [first] = row.play;
    if (first === undefined || ['start', 'resume', 'run'].includes(first[0])) return;
    const [terminal] = terminals;
    if (wasStuck || (terminal !== undefined && (await terminal.hasEnded())))
      await perform(['start'], terminals);
  }

  async function perform(step: Step, [terminal, ...others]: readonly Terminal[]): Promise<void> {
    if (terminal === undefined) throw new Error('There is no terminal');
    switch (step[0]) {
      case 'start':
      case 'resume':
        await terminal.start(step[0] === 'start' ? agent.interactive : agent.resume);
        return untilReady(
          terminal,
          step[0] === 'start' ? agent.ready : (agent.resumed ?? agent.ready),
        );
      case 'type':
        return prompt(terminal, step[1]);
      case 'command':
        return command(terminal, agent.commands[step[1]]);
      case 'see':
        return shows(terminal, step[2]?.[agent.agent] ?? step[1]);
      case 'asked':
        await shows(terminal, agent.asking[step[1]]);
        asked.set(terminal, agent.asking[step[1]]);
        // A prompt that has just appeared takes no keys yet.
        return delay(500);
      case 'ring':
        rings = Math.min(rings + 1, expected);
        await until(async () => (await ringsInRow()) >= rings, step[1] ?? RING_MS);
        return;
      case 'answered':
        return wanted(terminal, 'end of the request', async () => !(await home.isAsked()));
      case 'press':
        return press(terminal, agent.keys[step[1]]);
      case 'event': {
        const count = nextOf(`event ${step[1]}`);
        const came = async () =>
          (await home.events(from)).filter(({ kind }) => kind === step[1]).length >= count;
        return wanted(terminal, `event ${count} of the kind "${step[1]}"`, came);
      }
      case 'file': {
        const path = join(terminal.project, step[1]);
        return wanted(terminal, `file "${step[1]}"`, () => existsSync(path));
      }
      case 'model': {
        const count = nextOf(`model ${step[1]}`);
        const came = () => model.requests(step[1]) >= count;
        return wanted(terminal, `request ${count} to the model about "${step[1]}"`, came);
      }
      case 'wait':
        return delay(step[1]);
      case 'run': {
        const { code, stderr } = await home.headless(agent.headless(step[1]));
        if (code === 124 || code === 137) throw new Error(`It did not end: ${stderr.slice(-500)}`);
        return;
      }
      case 'kill':
        return terminal.kill();
      case 'gone':
        return wanted(terminal, 'end of the agent', () => terminal.hasEnded());
      case 'beside':
        for (const one of step[1]) await perform(one, others);
    }
  }

  async function ringsInRow(): Promise<number> {
    return (await home.events(from)).filter(({ rangAt }) => rangAt !== null).length;
  }

  function nextOf(what: string): number {
    const count = (waits.get(what) ?? 0) + 1;
    waits.set(what, count);
    return count;
  }

  /** Some agents drop what is typed while they are busy, and take an Enter that follows too soon for a part of the text. */
  async function prompt(terminal: Terminal, words: string): Promise<void> {
    nextOf(`model ${words}`);
    for (let tries = 0; tries < TRIES; tries += 1) {
      // One that Ctrl-C ends may take its time.
      if (await terminal.hasEnded()) await perform(['start'], [terminal]);
      if (!(await isShown(terminal, words))) await terminal.type(words);
      if (!(await until(() => isShown(terminal, words), SHOWN_MS))) continue;
      await delay(500);
      const sent = Date.now();
      await terminal.press('Enter');
      const wasTaken = async (): Promise<boolean> =>
        model.requests(words) > 0 ||
        (await home.events(sent)).some(({ kind }) => kind === 'prompt');
      if (!(await until(wasTaken, SENT_MS))) continue;
      return wanted(terminal, 'request to the model', () => model.requests(words) > 0);
    }
    throw new Error(`It does not send the prompt:\n${await terminal.screen()}`);
  }

  /** An answer is pressed once more where the question stays: on a busy machine it came too early. */
  async function press(terminal: Terminal, keys: readonly string[]): Promise<void> {
    const question = asked.get(terminal);
    asked.delete(terminal);
    await terminal.press(...keys);
    if (question === undefined) return;
    const isGone = await until(async () => !(await isShown(terminal, question)), IGNORED_MS);
    if (!isGone) await terminal.press(...keys);
  }

  async function untilReady(terminal: Terminal, ready: RegExp): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (Date.now() < deadline) {
      const screen = await terminal.screen();
      const dialog = agent.dialogs.find(([shown]) => shown.test(screen));
      if (dialog === undefined && ready.test(screen)) return delay(500);
      if (dialog !== undefined) await terminal.press(...dialog.slice(1).map(String));
      await delay(250);
    }
    throw new Error(`It takes no prompt:\n${await terminal.screen()}`);
  }
}

/** Where commands are completed while they are typed, Enter may have to come later. */
async function command(terminal: Terminal, keys: readonly string[]): Promise<void> {
  await terminal.press(...keys);
  const [typed = ''] = keys;
  if (!typed.startsWith('/')) return;
  const waits = new RegExp(`[>❯›] *${typed} *│?$`, 'm');
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await until(async () => !(await isShown(terminal, waits)), COMPLETION_MS)) return;
    if (await terminal.hasEnded()) return;
    await terminal.press('Enter');
  }
}

async function isShown(terminal: Terminal, words: string | RegExp): Promise<boolean> {
  return new RegExp(words).test(await terminal.screen());
}

async function wanted(
  terminal: Terminal,
  what: string,
  came: () => boolean | Promise<boolean>,
): Promise<void> {
  if (await until(came, PATIENCE_MS)) return;
  throw new Error(`No ${what} within a minute:\n${await terminal.screen()}`);
}

async function shows(terminal: Terminal, words: string | RegExp): Promise<void> {
  if (await until(() => isShown(terminal, words), PATIENCE_MS)) return;
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
