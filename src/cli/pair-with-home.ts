import { mkdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { parse, parseDocument, stringify } from 'yaml';

import { writeAtomically } from '../platform/replace-file.ts';
import { channelCatalog } from '../channels/registry.ts';
import { RELAY_TOKEN_FILE } from '../config/endpoint-schema.ts';
import { parseConfig } from '../config/load.ts';
import type { ControlAnswers } from '../control/contract.ts';
import { parseRelayAddress } from '../core/relay.ts';
import { FailedError, HookbellError, UsageError } from '../platform/errors.ts';
import { isJsonObject } from '../platform/json.ts';
import { readToken } from '../relay/token.ts';
import { displayLine } from '../text/sanitize.ts';
import { type CommandContext, type ExitCode, exitCodes } from './context.ts';
import { findDaemon } from '../control/stop-daemon.ts';
import { readSecretLine } from './pair-machine.ts';

const CHECK_MS = 70_000;

/** Stores the token from the other machine, and lets this one relay there. */
export async function pairWithHome(
  context: CommandContext,
  to: string,
  certificate: string | undefined,
): Promise<ExitCode> {
  const { output, json, paths } = context;
  const address = parseRelayAddress(to);
  if (typeof address === 'string') throw new UsageError(`"${displayLine(to)}" ${address}`);
  const text = await readSecretLine('Token: ');
  const token = readToken(text);
  if (token === null) {
    throw new UsageError('Not a token from "hookbell remote pair"', {
      hint: 'Run "hookbell remote pair NAME" on the receiving machine, and enter the whole line it prints',
    });
  }
  const file = await keepToken(context, text);
  const section = { to, ...(certificate !== undefined && { certificate }) };
  const added = await addPairingSection(context, 'relay', section);
  const check = await pairingLinkOf(context);
  if (json) {
    output.json({ machine: token.machine, to, tokenFile: file, config: added, link: check });
    return added === 'unfit' ? exitCodes.partial : exitCodes.ok;
  }
  output.say(`Stored the token of "${token.machine}" in ${file.replace(homedir(), '~')}`);
  if (added === 'added') output.say(`Wrote "relay" into ${paths.config}`);
  if (added === 'there')
    output.say(`${paths.config} already has a "relay", which was left unchanged`);
  if (added === 'unfit') return complainUnfit(context, section);
  sayLink(context, check);
  return exitCodes.ok;
}

export function complainUnfit({ output, paths }: CommandContext, section: object): ExitCode {
  output.complain(`hookbell: Cannot add to "${paths.config}". Add this by hand:`);
  output.complain(`  relay: ${JSON.stringify(section)}`);
  return exitCodes.partial;
}

export function sayLink({ output }: CommandContext, link: Link): void {
  if (link === null) output.say('The daemon is not running yet: run "hookbell start"');
  else if (link.ok) output.say(`The link works: ${displayLine(link.summary)}`);
  else output.say(`The link does not work yet, and events wait: ${displayLine(link.summary)}`);
}

/** Stores the token beside the configuration. Returns the file, whose permissions are set: an older one may have been open to others. */
export async function keepToken(
  { paths }: Pick<CommandContext, 'paths'>,
  token: string,
): Promise<string> {
  const file = join(dirname(paths.config), RELAY_TOKEN_FILE);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await rm(file, { force: true });
    await writeAtomically(file, `${token.trim()}\n`, { mode: 0o600 });
    return file;
  } catch (error) {
    throw new FailedError(`Cannot write "${file}"`, { cause: error });
  }
}

type Link = ControlAnswers['GET /v1/relay'];

/** Asks the daemon to load the token and to try the link. Null: the daemon is not running. */
export async function pairingLinkOf(context: CommandContext): Promise<Link> {
  if ((await findDaemon(context)) === null) return null;
  try {
    await context.ask('POST /v1/reload');
    return await context.ask('GET /v1/relay', { timeoutMs: CHECK_MS });
  } catch (error) {
    if (error instanceof HookbellError) return { ok: false, summary: error.message };
    throw error;
  }
}

/** `there`: it already has the section. `unfit`: the section cannot be added; the file is unchanged. */
type SectionAdded = 'added' | 'there' | 'unfit';

/**
 * Adds a section at the end of the configuration, whose other lines are unchanged. The daemon reloads the file.
 *
 * @param value the new value of `listen` or `relay`
 */
export async function addPairingSection(
  { paths }: Pick<CommandContext, 'paths'>,
  section: 'listen' | 'relay',
  value: object,
): Promise<SectionAdded> {
  const before = await readFile(paths.config, 'utf8').catch(() => '');
  if (hasSection(before, section)) return 'there';
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  const text = `${before}${gap}${stringify({ [section]: value })}`;
  const loaded = await parseConfig(text, paths.config, { catalog: channelCatalog });
  if (!loaded.ok || !hasSection(text, section)) return 'unfit';
  await mkdir(dirname(paths.config), { recursive: true, mode: 0o700 });
  await writeAtomically(paths.config, text);
  return 'added';
}

/** Replaces `relay` by another one, or adds it. */
export async function putRelaySection(
  context: Pick<CommandContext, 'paths'>,
  value: object,
): Promise<SectionAdded> {
  const { config } = context.paths;
  const before = await readFile(config, 'utf8').catch(() => '');
  const document = parseDocument(before, { logLevel: 'silent' });
  if (document.errors.length > 0) return 'unfit';
  if (!document.has('relay')) return addPairingSection(context, 'relay', value);
  if (isDeepStrictEqual(document.toJS()?.relay, value)) return 'there';
  document.set('relay', value);
  const text = document.toString();
  const loaded = await parseConfig(text, config, { catalog: channelCatalog });
  if (!loaded.ok) return 'unfit';
  await writeAtomically(config, text);
  return 'added';
}

function hasSection(text: string, section: string): boolean {
  try {
    const document: unknown = parse(text, { logLevel: 'silent' });
    return isJsonObject(document) && document[section] !== undefined;
  } catch {
    return false;
  }
}
