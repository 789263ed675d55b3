import type { Imported, MissingPeople, RemovedPerson } from '../../core/hub/hub-records.ts';
import { FailedError, UsageError } from '../../platform/errors.ts';
import { countOf } from '../../text/count.ts';
import { displayLine } from '../../text/sanitize.ts';
import { confirm } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { parseCsv } from '../../text/csv.ts';
import { readInput } from '../vendor/column.ts';

interface Person {
  readonly email: string;
  readonly name: string;
  readonly team?: string;
}

/**
 * Reads a CSV with the columns email, name and team; the first line may name them, in any order.
 *
 * @throws UsageError with the line of the first row without an address, or with a fault in its quotes
 */
function readPeople(text: string): readonly Person[] {
  const rows = parseCsv(text);
  const names = rows[0]?.fields.map((field) => field.trim().toLowerCase()) ?? [];
  const hasHead = names.includes('email');
  const columns = hasHead ? names : ['email', 'name', 'team'];
  return rows.slice(hasHead ? 1 : 0).flatMap(({ line, fields, fault }): readonly Person[] => {
    if (fault !== null) throw new UsageError(`Row ${line} cannot be read: ${fault}`);
    if (fields.every((field) => field.trim() === '')) return [];
    const of = (name: string): string => fields[columns.indexOf(name)]?.trim() ?? '';
    const email = of('email');
    if (!email.includes('@')) throw new UsageError(`Row ${line} has no email address`);
    return [{ email, name: of('name'), team: of('team') }];
  });
}

const PATIENCE_MS = 60_000;
/** If more people than this are missing, the file was probably cut off. */
const FEW = 5;
const FEW_OF_ALL = 0.1;
/** How many are listed. */
const SHOWN = 20;

interface ImportOptions {
  readonly directory?: true;
  readonly prune?: true;
  readonly most?: number;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** `hookbell hub import`: adds people, and with `--prune` removes those who are gone. */
export async function importFile(
  context: CommandContext,
  file: string | undefined,
  options: ImportOptions,
): Promise<void> {
  const { ask, output, json } = context;
  const { directory, prune, most, dryRun } = options;
  if ((file === undefined) === (directory === undefined)) {
    throw new UsageError('Specify either a file or --directory');
  }
  if (prune === undefined && (most !== undefined || dryRun !== undefined)) {
    throw new UsageError('"--most" and "--dry-run" need "--prune"');
  }
  const people = file === undefined ? await fromDirectory(context) : readPeople(readInput(file));
  const source = file === undefined ? 'directory' : 'csv';
  const emails = people.map(({ email }) => email);
  const shown = prune === true ? await whoMayGo() : [];
  if (dryRun === true) return;
  const timeoutMs = PATIENCE_MS;
  const imported = await ask('POST /v1/hub-import', { body: { people, source }, timeoutMs });
  const body = { emails, source, shown };
  const { removed } =
    prune === true ? await ask('POST /v1/hub-prune', { body, timeoutMs }) : { removed: [] };
  if (json) output.json(prune === true ? { ...imported, removed } : imported);
  else for (const line of linesOf(imported, people.length, removed)) output.say(line);

  /** Shows who is gone, and asks. Returns their addresses: someone may be missing only since then. */
  async function whoMayGo(): Promise<readonly string[]> {
    if (people.length === 0) {
      throw new FailedError(`The ${source} names no people`, { hint: 'Nothing was changed' });
    }
    const call = { body: { emails, source }, timeoutMs: PATIENCE_MS };
    const missing = await ask('POST /v1/hub-missing', call);
    const gone = missing.people;
    const allowed = most ?? Math.max(FEW, Math.floor(missing.known * FEW_OF_ALL));
    if (dryRun === true && json) output.json(missing);
    else for (const line of goneLines(missing)) output.say(line);
    if (gone.length > allowed) {
      throw new FailedError(
        `${gone.length} of ${missing.known} people are not in the ${source}, expected at most ${allowed}`,
        { hint: `Nothing was changed. If they are gone, add "--most ${gone.length}"` },
      );
    }
    const isSure = gone.length === 0 || options.yes === true || dryRun === true;
    if (!isSure) await confirm(`Remove ${peopleOf(gone.length)} and revoke their machines?`);
    return gone.map(({ email }) => email);
  }
}

function peopleOf(count: number): string {
  return countOf(count, 'person', 'people');
}

function goneLines({ people }: MissingPeople): readonly string[] {
  if (people.length === 0) return ['Everyone is still there'];
  const shown = people
    .slice(0, SHOWN)
    .map(({ email, machines }) => `${email} (${machines.join(', ') || 'no machines'})`);
  const more = people.length - shown.length;
  return [
    `${peopleOf(people.length)} ${people.length === 1 ? 'is' : 'are'} gone:`,
    ...shown.map((line) => `  ${displayLine(line)}`),
    ...(more === 0 ? [] : [`  and ${more} more`]),
  ];
}

function linesOf(
  { added, changed, readmitted, stayRemoved }: Imported,
  total: number,
  removed: readonly RemovedPerson[],
): readonly string[] {
  const machines = removed.reduce((sum, person) => sum + person.machines.length, 0);
  return [
    `Added ${peopleOf(added)}, changed ${changed} of ${total}`,
    ...(removed.length === 0
      ? []
      : [`Removed ${peopleOf(removed.length)}; revoked ${countOf(machines, 'machine')}`]),
    ...(readmitted.length === 0
      ? []
      : [
          `Readmitted ${readmitted.map(displayLine).join(', ')}: their machines stay revoked until they enrol again (hookbell hub invite ADDRESS)`,
        ]),
    ...(stayRemoved === 0
      ? []
      : [
          `${peopleOf(stayRemoved)} removed by hand stayed removed: "hookbell hub invite ADDRESS" readmits one`,
        ]),
  ];
}

async function fromDirectory(context: CommandContext): Promise<readonly Person[]> {
  const { withClient } = await import('../vendor/with-client.ts');
  return withClient(context, async ({ api }) => {
    const users = await api.organization.users().all({ max: 100_000 });
    return users.flatMap(({ email, firstName, lastName }) => {
      const name = [firstName, lastName].filter((part) => (part ?? '') !== '').join(' ');
      return (email ?? '') === '' ? [] : [{ email: email ?? '', name }];
    });
  });
}
