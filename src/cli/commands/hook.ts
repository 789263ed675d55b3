import { spawn } from 'node:child_process';
import { once } from 'node:events';

import type { Command } from 'commander';

import type { AgentName, Kind } from '../../core/hook-event.ts';
import type { DefineCommand } from '../context.ts';
import { programFile } from '../../platform/program-files.ts';

/** How hookbell interprets a payload; unknown fields of an unreadable one are null. */
interface Explanation {
  readonly valid: boolean;
  /** Why it is not an event: "empty", "invalid-json" or "not-object"; null if it is one. */
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
        if (explain === true) output.json(await explainPayload(words));
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

async function explainPayload(words: readonly string[]): Promise<Explanation> {
  // Sending an event must not wait until the payload parsers are loaded.
  const [{ decodePayload }, { readHookCall }, { readPayloadFromInput }] = await Promise.all([
    import('../../agents/decode.ts'),
    import('../hook-call.ts'),
    import('../read-payload.ts'),
  ]);
  const { facts, payload } = readHookCall(words);
  const bytes = payload === null ? await readPayloadFromInput() : Buffer.from(payload);
  const decoded = decodePayload({ payload: bytes, facts });
  if (!decoded.ok) {
    const { reason, agent } = decoded;
    const unknown = { kind: null, sessionId: null, message: null, cwd: null, project: null };
    return { valid: false, reason, agent, ...unknown };
  }
  const { agent, kind, sessionId, message, cwd, project } = decoded.event;
  return { valid: true, reason: null, agent, kind, sessionId, message, cwd, project };
}
