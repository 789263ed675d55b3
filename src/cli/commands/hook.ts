import { spawn } from 'node:child_process';
import { once } from 'node:events';

import type { Command } from 'commander';

import type { AgentName, Kind } from '../../core/hook-event.ts';
import type { DefineCommand } from '../context.ts';
import { programFile } from '../../core/program-files.ts';

/** What hookbell makes of a payload; what cannot be known of an unreadable one is null. */
interface Explanation {
  readonly valid: boolean;
  /** Why it is no event: "empty", "invalid-json" or "not-object"; null when it is one. */
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

/** `hookbell hook < payload`: hands an event in like the installed hook, or says what hookbell would make of it. */
export const defineHook: DefineCommand = (program, run) => {
  // Somebody may register this command with an agent, which takes status 2 for "do not stop": so no words are wrong.
  const command: Command = program
    .command('hook', { hidden: true })
    .argument('[payload]', 'the payload, for agents that pass it as an argument')
    .description(
      'hand in the event on standard input, as the installed hook does; always ends well',
    )
    .option('--explain', 'do not hand it in, but say what hookbell makes of it, as JSON')
    .option('--agent [name]', 'the agent it comes from')
    .option('--event [name]', 'the name of the event, where the payload has none')
    .allowUnknownOption()
    .allowExcessArguments()
    .action((_payload: string | undefined, { explain, agent, event }: Options) =>
      run(async ({ output }) => {
        const words = [...wordsOf('--agent', agent), ...wordsOf('--event', event), ...command.args];
        if (explain === true) output.json(await explainPayload(words));
        else await handIn(words);
      }),
    );
};

function wordsOf(option: string, value: string | true | undefined): readonly string[] {
  return typeof value === 'string' ? [option, value] : [];
}

/** Runs the hook with our own standard input. That it never fails is its promise. */
async function handIn(words: readonly string[]): Promise<void> {
  const hook = programFile('hook');
  const child = spawn(process.execPath, [hook, ...words], {
    stdio: ['inherit', 'ignore', 'ignore'],
  });
  await once(child, 'exit').catch(() => undefined);
}

async function explainPayload(words: readonly string[]): Promise<Explanation> {
  // Handing in must not wait for what reads payloads.
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
