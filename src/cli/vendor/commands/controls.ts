import {
  type Client,
  type ControlChange,
  controlSettingNames,
  pairRevisions,
  readControlSettings,
  routes,
} from '../../../vendor/client/index.ts';
import { NotFoundError, UsageError } from '../../../platform/errors.ts';
import { isJsonObject, type JsonObject } from '../../../platform/json.ts';
import { createRedactor } from '../../../text/redact.ts';
import {
  compareControls,
  type ControlComparison,
  type Revision,
  revisionOf,
  authorText,
  changeText,
  timeText,
} from '../../../vendor/reports/compare-controls.ts';
import { diffSettings } from '../../../vendor/reports/diff-settings.ts';
import type { CommandContext, DefineCommand, ExitCode } from '../../context.ts';
import { readLimit } from '../../option-values.ts';
import type { Output } from '../../output.ts';
import { makeCall, printCall } from '../collect.ts';
import { DEFAULT_MAX, MAX_PAGE } from '../define-remote.ts';
import { type ServiceAccess, withService } from '../with-client.ts';

/** `hookbell service controls`: enterprise control settings and their history. */
export const defineControls: DefineCommand = (program, run) => {
  const controls = program
    .command('controls')
    .description('show enterprise control settings and their history');
  controls
    .command('history')
    .description('show who changed which settings, newest first; secret values are never shown')
    .option('--csv', 'print CSV, for spreadsheets')
    .option('--max <n>', 'maximum number of items', readLimit, DEFAULT_MAX)
    .action(run(withService(showHistory)));
  controls
    .command('get')
    .argument('[revision]', 'revision number; the newest by default', readRevision)
    .description('show the settings of a revision; a missing one is "not set", which is not "no"')
    .action(run(withService(get)));
  controls
    .command('diff')
    .argument('<revision>', 'revision number', readRevision)
    .argument('<other>', 'revision number to compare with', readRevision)
    .description('compare the settings of two revisions; secret values are never shown')
    .action(run(withService(diff)));
};

async function showHistory(
  context: CommandContext,
  { api }: ServiceAccess,
  { max, csv }: { readonly max: number; readonly csv?: boolean },
): Promise<ExitCode> {
  // One more than shown: the changes of the last one are relative to the one before.
  const parameters = { limit: Math.min(max + 1, MAX_PAGE) };
  const call = { route: routes['org.history'], parameters, extent: max + 1, csv };
  const found = await makeCall(api, call);
  const items = await withChanges(found.items.filter(isJsonObject));
  const isCut = items.length > max;
  const json = (Array.isArray(found.json) ? found.json : []).slice(0, max);
  const notes = [
    ...(found.notes ?? []).filter((note) => !note.startsWith('Showing the first')),
    ...(isCut ? [`Showing the first ${max}: raise --max to see more`] : []),
  ];
  return printCall(context, call, { ...found, items: items.slice(0, max), json, notes });
}

async function get(
  { output, json }: CommandContext,
  { api, config }: ServiceAccess,
  revision: number | undefined,
): Promise<void> {
  const history = await historyTo(api, revision ?? Number.POSITIVE_INFINITY);
  const change = revision === undefined ? history[0] : revisionIn(history, revision);
  if (change === undefined) {
    throw new NotFoundError('The organization has no enterprise controls yet');
  }
  if (json) return output.json(change);
  const { settings, misfits } = readControlSettings(change.settings ?? {});
  const { text: redact } = createRedactor(config.redact);
  const names = new Set([...controlSettingNames, ...Object.keys(change.settings ?? {})]);
  const rows = [...names].map((name) => {
    const value = settings[name] ?? change.settings?.[name] ?? null;
    return [name, redact(value === null ? 'not set' : JSON.stringify(value))];
  });
  output.table(['SETTING', 'VALUE'], rows);
  for (const path of misfits) output.say(`Type differs from the documentation: ${path}`);
  output.say(`Revision ${change.revision}`);
}

async function diff(
  { output, json }: CommandContext,
  { api, config }: ServiceAccess,
  one: number,
  other: number,
): Promise<void> {
  const [from, to] = [Math.min(one, other), Math.max(one, other)];
  const history = await historyTo(api, from);
  const before = revisionIn(history, from);
  const after = revisionIn(history, to);
  const compared = compareControls(before, after, createRedactor(config.redact));
  // Between revisions that are not adjacent, several people may have made the changes.
  const steps = history.filter(({ revision }) => revision > from && revision <= to).map(revisionOf);
  if (json) output.json({ ...compared, steps });
  else printComparison(output, compared, steps);
}

/** Revisions from the newest down to this one, or to the end. */
async function historyTo(api: Client, revision: number): Promise<readonly ControlChange[]> {
  const found: ControlChange[] = [];
  for await (const change of api.organization.history({ limit: MAX_PAGE })) {
    if (change.revision < revision && found.length > 0) break;
    found.push(change);
  }
  return found;
}

function revisionIn(history: readonly ControlChange[], wanted: number): ControlChange {
  const found = history.find(({ revision }) => revision === wanted);
  if (found !== undefined) return found;
  throw new NotFoundError(`No revision ${wanted} of the enterprise controls`, {
    hint: 'Run "hookbell service controls history" to list the revisions: numbers may be skipped',
  });
}

function printComparison(
  output: Output,
  { before, after, changes }: ControlComparison,
  steps: readonly Revision[],
): void {
  for (const change of changes) {
    const text = changeText(change);
    output.line(change.loosens === null ? text : output.paint('red', text));
  }
  if (changes.length === 0) output.say('No settings differ');
  output.say(`Revision ${after.revision}, compared with ${before?.revision ?? 'none'}`);
  for (const { revision, by, updatedAt } of steps) {
    const when = updatedAt === null ? '' : ` on ${timeText(updatedAt)}`;
    output.say(`${revision} by ${authorText(by)}${when}`);
  }
}

function readRevision(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new UsageError(`The revision is "${value}", expected a whole number`);
}

/**
 * The changes with the settings that differ from the next lower revision present, by name only: the meaning of settings is
 * not documented, and some hold secrets.
 */
async function withChanges(items: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  const { changes: schema } = routes['org.history'].response.shape;
  const known = schema.parse(items).toSorted((left, right) => right.revision - left.revision);
  const pairs: JsonObject[] = [];
  for await (const { change, before } of pairRevisions(walk(known))) {
    pairs.push({
      ...change,
      changed: before === null ? '(first available revision)' : changedSettings(before, change),
    });
  }
  return pairs;
}

async function* walk<Item>(items: readonly Item[]): AsyncGenerator<Item, void, undefined> {
  yield* items;
}

/** Each changed setting, listed once. */
function changedSettings(
  { settings: before }: JsonObject,
  { settings: after }: JsonObject,
): string[] {
  const names = new Set(diffSettings(before, after).map(({ path: [name = ''] }) => name));
  return [...names].map((name) => {
    if (!hasSetting(before, name)) return `${name} set`;
    return hasSetting(after, name) ? `${name} changed` : `${name} removed`;
  });
}

function hasSetting(settings: unknown, name: string): boolean {
  return isJsonObject(settings) && (settings[name] ?? null) !== null;
}
