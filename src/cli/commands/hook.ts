import { spawn } from 'node:child_process';
import { once } from 'node:events';

import type { Command } from 'commander';

import type { NotAnEvent } from '../../agents/decode.ts';
import type { AgentName, Kind } from '../../core/hook-event.ts';
import type { DefineCommand } from '../context.ts';
import type { Output } from '../output.ts';
import { programFile } from '../../platform/program-files.ts';

/** How hookbell interprets a payload; unknown fields of an unreadable one are null. */
interface Explanation {
  readonly valid: boolean;
  /** Why it is not an event: "empty", "invalid-json", "not-object" or "no-event"; null if it is one. */
  readonly reason: string | null;
  readonly agent: AgentName;
  readonly kind: Kind | null;
  readonly sessionId: string | null;
  readonly message: string | null;
  readonly cwd: string | null;
  readonly project: string | null;
}

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
    .action((_payload: string | undefined, { explain, agent, event }: Options) =>
      run(async ({ output }) => {
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

/** Prints how hookbell reads the payload and, for people, what to change if it is not an event. */
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
  const explanation: Explanation = {
    valid: decoded.ok,
    reason,
    agent,
    kind,
    sessionId,
    message,
    cwd,
    project,
  };
  output.json(explanation);
  if (!decoded.ok) output.complain(`Not an event. ${remedyOf(decoded)}`);
}

function remedyOf({ reason, wrapper }: NotAnEvent): string {
  switch (reason) {
    case 'empty':
      return 'Send one JSON object on standard input';
    case 'invalid-json':
      return 'Send one complete JSON object';
    case 'not-object':
      return 'Send the JSON object of one event, without anything around it';
    case 'no-event':
      return wrapper === undefined
        ? 'Add "hook_event_name", such as "Notification", or name the event with --event. A script can run: hookbell notify TEXT'
        : `Send the object in "${wrapper}" by itself: it names the event`;
  }
}
