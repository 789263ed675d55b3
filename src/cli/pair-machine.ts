import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { writeAtomically } from '../platform/replace-file.ts';
import { FailedError, NotFoundError, UsageError } from '../platform/errors.ts';
import { machinesText, type PairedMachine, readMachines } from '../relay/machines.ts';
import { isMachineName, makeToken, readToken } from '../relay/token.ts';
import { displayLine } from '../text/sanitize.ts';
import type { CommandContext } from './context.ts';
import { findDaemon } from '../control/stop-daemon.ts';
import { agoText } from './time-text.ts';
import { documentationPage } from '../text/documentation.ts';

/** @throws UsageError for what is not the name of a machine */
export function refuseMachineName(name: string): void {
  if (isMachineName(name)) return;
  throw new UsageError(
    `"${displayLine(name)}" is not a valid machine name, expected up to 32 letters, digits, "-" and "_", starting with a letter or digit`,
  );
}

/** Lets a machine relay to this one, and shows its token once, because only a hash is stored. */
export async function pairMachine(context: CommandContext, name: string): Promise<void> {
  const { output, json, paths } = context;
  refuseMachineName(name);
  const machines = await readMachines(paths.machines);
  if (machines.some((machine) => machine.name === name)) {
    throw new FailedError(`"${name}" is already paired`, {
      hint: `Run "hookbell remote revoke ${name}" first if its token is lost`,
    });
  }
  const token = makeToken(name, randomBytes(32));
  const key = readToken(token)?.key;
  if (key === undefined) throw new Error('Cannot read the new token');
  const added: PairedMachine = { name, key, scope: 'events', pairedAt: Date.now() };
  await write(context, [...machines, added]);
  if (json) return output.json({ machine: name, scope: added.scope, token });
  output.line(token);
  output.say(`Paired "${name}", which may only send events. This token is not shown again.`);
  output.say(`On "${name}", run: hookbell remote pair --to ADDRESS`);
  output.say(
    `and enter the token. ADDRESS is the address of this machine as reached from there: ${documentationPage('docs/remote.md')}`,
  );
  const status = await findDaemon(context);
  if (status !== null && status.listen === null) {
    output.say('This machine does not listen yet: run "hookbell remote listen"');
  }
}

export async function listPairedMachines(context: CommandContext): Promise<void> {
  const { output, json, paths } = context;
  const machines = await readMachines(paths.machines);
  const status = machines.length === 0 ? null : await findDaemon(context);
  const seen = new Map(status?.listen?.machines.map((one) => [one.name, one.lastSeenAt]));
  const rows = machines.map(({ name, scope, pairedAt }) => ({
    machine: name,
    scope,
    pairedAt: new Date(pairedAt).toISOString(),
    lastSeenAt: seen.get(name) ?? null,
  }));
  if (json) return output.json(rows);
  if (rows.length === 0) return output.say('No machine is paired with this one');
  output.table(
    ['MACHINE', 'SCOPE', 'PAIRED', 'LAST SEEN'],
    rows.map((row) => [row.machine, row.scope, agoText(row.pairedAt), agoText(row.lastSeenAt)]),
  );
}

/** The daemon reads the list for each request: the token is rejected immediately. */
export async function revokePairedMachine(context: CommandContext, name: string): Promise<void> {
  const { output, json, paths } = context;
  const machines = await readMachines(paths.machines);
  const left = machines.filter((machine) => machine.name !== name);
  if (left.length === machines.length) {
    throw new NotFoundError(`No machine is paired as "${displayLine(name)}"`, {
      hint: 'Run "hookbell remote list" to see which are',
    });
  }
  await write(context, left);
  if (json) output.json({ machine: name, revoked: true });
  else output.say(`"${name}" can no longer send events`);
}

async function write({ paths }: CommandContext, machines: readonly PairedMachine[]): Promise<void> {
  try {
    await writeAtomically(paths.machines, machinesText(machines));
  } catch (error) {
    throw new FailedError(`Cannot write "${paths.machines}"`, {
      hint: 'Run "hookbell start" once: it creates the directory',
      cause: error,
    });
  }
}

/**
 * Reads a secret from standard input, or from a terminal without echo.
 *
 * @param prompt printed on standard error, only at a terminal
 */
export async function readSecretLine(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/)[0]?.trim() ?? '';
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const typed = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Only now: a secret that is pasted as soon as the prompt is there must not be echoed by the terminal.
  process.stderr.write(prompt);
  try {
    return (await typed.question('')).trim();
  } finally {
    typed.close();
    process.stderr.write('\n');
  }
}
