import { spawn } from 'node:child_process';
import { once } from 'node:events';

import type { Command } from 'commander';

import type { NotAnEvent } from '../../agents/decode.ts';
import type { DefineCommand } from '../context.ts';
import type { Output } from '../output.ts';
import { programFile } from '../../platform/program-files.ts';

interface Options {
  readonly explain?: boolean;
  readonly agent?: string | true;
  readonly event?: string | true;
}

/** `hookbell hook < payload`: sends an event like the installed hook, or prints how hookbell interprets it. */
export const defineHook: DefineCommand = (program, run) => {
  // If a user registers this command with an agent, status 2 means "do not stop": so it accepts any arguments.
  const command: Command = program
    .command('hook', { hidden: true })
    .argument('[payload]', 'the payload, for agents that pass it as an argument')
    .description(
      'send the event on standard input, as the installed hook does; always exits with 0',
    )
    .option('--explain', 'do not send it; print how hookbell reads it, as JSON')
    .option('--agent [name]', 'agent that sends the event')
    .option('--event [name]', 'name of the event, if the payload has none')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(
      run(async ({ output }, _payload: string | undefined, { explain, agent, event }: Options) => {
        const words = [...wordsOf('--agent', agent), ...wordsOf('--event', event), ...command.args];
        if (explain === true) await explainPayload(words, output);
        else await runHook(words);
      }),
    );
};

function wordsOf(option: string, value: string | true | undefined): readonly string[] {
  return typeof value === 'string' ? [option, value] : [];
}

/** Runs the hook with our standard input. The hook promises never to fail. */
async function runHook(words: readonly string[]): Promise<void> {
  const hook = programFile('hook');
  const child = spawn(process.execPath, [hook, ...words], {
    stdio: ['inherit', 'ignore', 'ignore'],
  });
  await once(child, 'exit').catch(() => undefined);
}

/**
 * Prints how hookbell reads the payload, with null for what is unknown of one that is not an event, and why it is not; for
 * people also what to change.
 */
async function explainPayload(words: readonly string[], output: Output): Promise<void> {
  // Sending an event must not wait until the payload parsers are loaded.
  const [{ decodePayload }, { readHookCall }, { readPayloadFromInput }] = await Promise.all([
    import('../../agents/decode.ts'),
    import('../hook-call.ts'),
    import('../read-payload.ts'),
  ]);
  const { facts, payload } = readHookCall(words);
  const bytes = payload === null ? await readPayloadFromInput() : Buffer.from(payload);
  const decoded = decodePayload({ payload: bytes, facts });
  const unknown = { kind: null, sessionId: null, message: null, cwd: null, project: null };
  const { agent, kind, sessionId, message, cwd, project } = decoded.ok
    ? decoded.event
    : { ...unknown, agent: decoded.agent };
  const reason = decoded.ok ? null : decoded.reason;
  output.json({ valid: decoded.ok, reason, agent, kind, sessionId, message, cwd, project });
  if (!decoded.ok) output.complain(`Not an event. ${remedyOf(decoded)}`);
}

const remedies: Readonly<Record<NotAnEvent['reason'], string>> = {
  empty: 'Send one JSON object on standard input',
  'invalid-json': 'Send one complete JSON object',
  'not-object': 'Send the JSON object of one event, without anything around it',
  'no-event':
    'Add "hook_event_name", such as "Notification", or name the event with --event. A script can run: hookbell notify TEXT',
};

function remedyOf({ reason, wrapper }: NotAnEvent): string {
  if (wrapper === undefined) return remedies[reason];
  return `Send the object in "${wrapper}" by itself: it names the event`;
}
