import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';

import { codeHash } from '../../hub/code.ts';
import { parseRelayAddress } from '../../core/relay.ts';
import { FailedError, UsageError } from '../../platform/errors.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { askToEnrol, type Enrolling, type EnrolOptions } from '../../relay/ask-to-enrol.ts';
import { makeToken, readToken } from '../../relay/token.ts';
import { durationText } from '../../text/duration.ts';
import { displayLine } from '../../text/sanitize.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { readSecretLine, refuseMachineName } from '../pair-machine.ts';
import {
  complainUnfit,
  keepToken,
  pairingLinkOf,
  putRelaySection,
  sayLink,
} from '../pair-with-home.ts';
import { loadFullConfig } from '../read-config.ts';
import { readInput } from '../vendor/column.ts';

interface JoinOptions {
  readonly code?: string;
  readonly name?: string;
  readonly certificate?: string;
  readonly replace?: true;
}

/** `hookbell join`: enrols this machine in a team's hub. */
export const defineJoin: DefineCommand = (program, run) => {
  program
    .command('join')
    .argument('<url>', "address of the hub, as in its administrator's message")
    .description("join your team's hub with the code of an invitation")
    .option(
      '--code <code>',
      'the code; prompted for if omitted, which keeps it out of process lists',
    )
    .option('--name <machine>', 'name of this machine at the hub (default: its host name)')
    .option('--certificate <file>', 'certificate of the hub or of its issuer, as PEM')
    .option('--replace', 'stop relaying to another address')
    .action(run(join));
};

async function join(context: CommandContext, url: string, options: JoinOptions): Promise<ExitCode> {
  const { output, json } = context;
  const address = parseRelayAddress(url);
  if (typeof address === 'string') throw new UsageError(`"${displayLine(url)}" ${address}`);
  if (address.type !== 'url')
    throw new UsageError('A hub has an address such as https://hub.example.com');
  const to = url.replace(/\/$/, '');
  const machine = options.name ?? hostMachineName();
  refuseMachineName(machine);
  await refuseOther(context, to, options);
  const code = options.code ?? (await readSecretLine('Code of the invitation: '));
  if (codeHash(code) === codeHash(''))
    throw new UsageError('The code is empty, expected the one of your invitation');
  const token = makeToken(machine, randomBytes(32));
  const key = readToken(token)?.key;
  if (key === undefined) throw new Error('Cannot read the new token');
  const certificate = options.certificate === undefined ? null : resolve(options.certificate);
  const { person } = await enrol(context, { code, machine, key }, address, certificate);
  const file = await keepToken(context, token);
  const section = { to, ...(certificate === null ? {} : { certificate }) };
  const added = await putRelaySection(context, section);
  const link = added === 'unfit' ? null : await pairingLinkOf(context);
  if (json) {
    output.json({ machine, person, to, tokenFile: file, config: added, link });
    return added === 'unfit' ? exitCodes.partial : exitCodes.ok;
  }
  output.say(`This machine is "${machine}" of ${displayLine(person)} now`);
  if (added === 'unfit') return complainUnfit(context, section);
  sayLink(context, link);
  output.say(
    'Agents that wait here now notify you through the hub. Send a test: hookbell notify "Hello"',
  );
  return exitCodes.ok;
}

/** @throws FailedError if this machine relays elsewhere, unless it is to be replaced */
async function refuseOther(
  { paths }: CommandContext,
  to: string,
  { replace }: JoinOptions,
): Promise<void> {
  const loaded = await loadFullConfig(paths.config);
  const former = loaded.ok ? loaded.config.relay?.to : undefined;
  if (former === undefined || former.replace(/\/$/, '') === to || replace === true) return;
  throw new FailedError(`This machine already relays to ${displayLine(former)}`, {
    hint: 'Add --replace to relay to the hub instead',
  });
}

/** @throws FailedError if the hub refuses, or cannot be reached */
async function enrol(
  { env, paths }: CommandContext,
  body: { readonly code: string; readonly machine: string; readonly key: string },
  address: EnrolOptions['address'],
  certificate: string | null,
): Promise<Extract<Enrolling, { readonly type: 'enrolled' }>> {
  const loaded = await loadFullConfig(paths.config);
  const authorities = loaded.ok ? loaded.config.authorities : null;
  const outbound = createOutbound({ env, authorities: () => authorities });
  try {
    const pem = certificate === null ? null : readInput(certificate);
    const options = { address, certificate: pem, outbound };
    const enrolled = await askToEnrol({ version: 1, ...body }, options);
    if (enrolled.type === 'enrolled') return enrolled;
    throw refusal(enrolled, body.machine);
  } finally {
    await outbound.close();
  }
}

type Refused = Exclude<Enrolling, { readonly type: 'enrolled' }>;

function refusal(enrolling: Refused, machine: string): FailedError {
  switch (enrolling.type) {
    case 'code':
      return new FailedError('The hub does not accept the code: it is wrong, used or expired', {
        hint: 'Ask the administrator for another one: hookbell hub invite YOUR-ADDRESS',
      });
    case 'name':
      return new FailedError(`The hub knows another person's machine as "${machine}"`, {
        hint: 'Choose another name with --name; the code is still valid',
      });
    case 'later':
      return new FailedError('The hub cannot enrol machines now, or has had too many attempts', {
        hint: `Try again in ${durationText(enrolling.afterMs)}`,
      });
    case 'failed':
      return new FailedError(`Cannot reach the hub: ${displayLine(enrolling.reason)}`, {
        hint: 'Check the address, and --certificate if the hub uses a private certificate',
      });
  }
}

/** The host name, reduced to what a machine name may contain. */
function hostMachineName(): string {
  const [name = ''] = hostname().split('.');
  return (
    name
      .replaceAll(/[^\w-]/g, '-')
      .replace(/^[-_]+/, '')
      .slice(0, 32) || 'machine'
  );
}
