import type { HubInvitationView } from '../../control/hub-contract.ts';
import { emailAddress } from '../../core/hub/directory.ts';
import { ConfigError, UsageError } from '../../platform/errors.ts';
import { programFile } from '../../platform/program-files.ts';
import { displayLine } from '../../text/sanitize.ts';
import { runInForeground } from '../commands/daemon.ts';
import { type CommandContext, type DefineCommand, type ExitCode, exitCodes } from '../context.ts';
import { readLimit } from '../option-values.ts';
import { requireConfig } from '../read-config.ts';
import { ageSince, agoText } from '../time-text.ts';
import { forget, resetSecretOfHub } from './erase.ts';
import { importFile } from './import.ts';
import { defineHubPolicy } from './policy.ts';
import { documentationPage } from '../../text/documentation.ts';

interface InviteOptions {
  readonly name?: string;
  readonly team?: string;
}

/** `hookbell hub`: runs a process of a team's hub, and administers its people and machines. */
export const defineHub: DefineCommand = (program, run) => {
  const hub = program
    .command('hub')
    .description("run a team's hub, and administer its people and machines");
  hub
    .command('run')
    .description('run a process of the hub in the foreground and log to standard error')
    .action(run(runHub));
  hub
    .command('invite')
    .argument('<email>', 'address of the person')
    .description('create a one-time code with which a person enrols one machine')
    .option('--name <name>', 'name of the person')
    .option('--team <team>', 'team of the person, which routes can match')
    .action(run(invite));
  hub.command('people').description('list the people').action(run(listPeople));
  hub
    .command('machines')
    .description('list the machines and when each last sent something')
    .action(run(listMachines));
  hub
    .command('revoke')
    .argument('<machine-or-person>', 'name of a machine, or email address of a person')
    .description('revoke a machine, or a person and all their machines')
    .action(run(revoke));
  hub
    .command('import')
    .argument('[file]', 'CSV with the columns email, name and team')
    .description('add people from a file, or from the directory of the agent service')
    .option('--directory', "from the vendor's directory of the organization")
    .option('--prune', 'also remove people of earlier imports who are no longer there')
    .option(
      '--most <n>',
      'with --prune: remove at most this many (default: a tenth, or 5)',
      readLimit,
    )
    .option('--dry-run', 'with --prune: only show who would be removed')
    .option('--yes', 'do not prompt')
    .action(run(importFile));
  hub
    .command('forget')
    .argument('<email>', 'address of the person')
    .description('erase everything stored about a person: sessions, events, machines and settings')
    .option('--yes', 'do not prompt')
    .action(run(forget));
  hub
    .command('audit')
    .description('list who enrolled, revoked, answered and changed what')
    .option('--limit <n>', 'number of entries', readLimit, 50)
    .option('--verify', 'verify the chain of hashes instead')
    .option('--expect <hash>', 'check that it still contains this hash', readHash)
    .action(run(audit));
  defineHubPolicy(hub, run);
  hub
    .command('reset-secret')
    .description('after the loss of hub.secret, with all processes stopped: revoke all machines')
    .option('--yes', 'do not prompt')
    .action(run(resetSecretOfHub));
  hub.command('status').description('show the state of the hub').action(run(showStatus));
};

async function runHub({ paths }: CommandContext): Promise<ExitCode> {
  const config = await requireConfig(paths.config);
  if (config.hub === null) {
    throw new ConfigError(`"${paths.config}" has no section "hub"`, {
      hint: `${documentationPage('docs/hub.md')} shows a complete configuration`,
    });
  }
  return runInForeground(programFile('daemon'), ['--foreground']);
}

async function invite(
  { ask, output, json }: CommandContext,
  email: string,
  options: InviteOptions,
): Promise<void> {
  if (emailAddress(email) === null) throw new UsageError(`"${email}" is not an email address`);
  const invitation = await ask('POST /v1/hub-invite', { body: { email, ...options } });
  if (json) return output.json({ ...invitation, command: joinCommand(invitation) });
  output.line(joinCommand(invitation));
  output.say(
    `Send this line to ${displayLine(invitation.email)}. The code works once, until ${invitation.expiresAt}.`,
  );
}

function joinCommand({ url, code }: HubInvitationView): string {
  return `hookbell join ${url} --code ${code}`;
}

async function listPeople({ ask, output, json }: CommandContext): Promise<void> {
  const people = await ask('GET /v1/hub-people');
  if (json) return output.json(people);
  if (people.length === 0)
    return output.say('The hub has no people yet: run "hookbell hub invite ADDRESS"');
  output.table(
    ['PERSON', 'NAME', 'TEAM', 'MACHINES', 'STATE'],
    people.map(({ email, name, team, machines, removedAt }) => [
      displayLine(email),
      displayLine(name ?? '-'),
      displayLine(team ?? '-'),
      machines.join(' ') || '-',
      removedAt === null ? 'active' : 'removed',
    ]),
  );
}

async function listMachines({ ask, output, json }: CommandContext): Promise<void> {
  const machines = await ask('GET /v1/hub-machines');
  if (json) return output.json(machines);
  if (machines.length === 0)
    return output.say('No machine has joined yet: run "hookbell hub invite ADDRESS"');
  output.table(
    ['MACHINE', 'PERSON', 'ENROLLED', 'LAST HEARD', 'STATE'],
    machines.map(({ name, person, enrolledAt, heardAt, revokedAt }) => [
      name,
      displayLine(person),
      agoText(enrolledAt),
      agoText(heardAt),
      revokedAt === null ? 'active' : 'revoked',
    ]),
  );
}

async function revoke({ ask, output, json }: CommandContext, what: string): Promise<void> {
  const revoked = await ask('POST /v1/hub-revoke', { body: { what } });
  if (json) return output.json(revoked);
  const names = revoked.machines.map(displayLine).join(', ');
  if (revoked.type === 'machine') output.say(`"${names}" can no longer send events`);
  else output.say(`Removed ${displayLine(what)}; revoked machines: ${names || 'none'}`);
}

async function audit(
  context: CommandContext,
  options: { readonly limit: number; readonly verify?: true; readonly expect?: string },
): Promise<ExitCode | void> {
  const { limit, verify: isVerified = false, expect } = options;
  if (isVerified || expect !== undefined) return verify(context, expect);
  const { ask, output, json } = context;
  const rows = await ask('GET /v1/hub-audit', { query: { limit: String(limit) } });
  if (json) return output.json(rows);
  if (rows.length === 0) return output.say('The audit is empty');
  output.table(
    ['NO', 'TIME', 'WHO', 'DID', 'TO', 'DETAIL'],
    rows.map(({ seq, at, actor, action, target, detail }) => [
      String(seq),
      at,
      displayLine(actor),
      action,
      displayLine(target ?? '-'),
      displayLine(JSON.stringify(detail)),
    ]),
  );
}

function readHash(text: string): string {
  const hash = text.trim().toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hash)) return hash;
  throw new UsageError('--expect is not a hash: it has 64 hexadecimal digits', {
    hint: 'Use the one that "hookbell hub audit --verify" printed',
  });
}

async function verify(
  { ask, output, json }: CommandContext,
  expect: string | undefined,
): Promise<ExitCode> {
  const check = await ask('GET /v1/hub-verify', { query: { expect }, timeoutMs: 60_000 });
  const { rows, broken, lastHash, expectedAt } = check;
  const isMissing = expect !== undefined && expectedAt === null;
  if (json) output.json(check);
  else if (broken !== null) {
    output.complain(`hookbell: The audit is broken at entry ${broken.seq}: ${broken.reason}`);
  } else if (isMissing) {
    output.complain(
      `hookbell: No entry of the audit has the hash ${expect}: entries were removed, or all of them were rewritten`,
    );
  } else {
    output.line(lastHash ?? '-');
    if (expectedAt !== null) output.say(`Entry ${expectedAt} has the hash that you noted.`);
    output.say(
      `All ${rows} entries are intact. Note the hash elsewhere: it lets you detect later whether entries were removed.`,
    );
  }
  return broken === null && !isMissing ? exitCodes.ok : exitCodes.failed;
}

async function showStatus({ ask, output, json }: CommandContext): Promise<void> {
  const state = await ask('GET /v1/hub');
  if (json) return output.json(state);
  output.line(`Address      ${state.url}`);
  output.line(`Processes    ${state.processes}`);
  output.line(`People       ${state.people}`);
  output.line(`Machines     ${state.machines}, ${state.machinesHeard} active within five minutes`);
  output.line(`Invitations  ${state.invitations} open`);
  output.line(
    `Queue        ${state.dueSince === null ? 'empty' : `oldest message due for ${ageSince(state.dueSince, Date.now())}`}`,
  );
  for (const warning of state.warnings) output.say(`Warning: ${displayLine(warning)}`);
}
