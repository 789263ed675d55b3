import type { Command } from 'commander';

import type { Client, ControlChange } from '../../api/index.ts';
import { NotFoundError, UsageError } from '../../core/errors.ts';
import { createRedactor } from '../../core/redact.ts';
import type { ControlComparison, Revision } from '../../reports/compare-controls.ts';
import { compareControls, revisionOf } from '../../reports/compare-controls.ts';
import { authorText, changeText, timeText } from '../../reports/control-texts.ts';
import type { CommandAction } from '../context.ts';
import type { DefineCommand } from '../define-command.ts';
import type { Output } from '../output.ts';
import { defineRemote } from '../remote/define-remote.ts';
import { MAX_PAGE } from '../remote/page-sizes.ts';
import { withClient } from '../remote/with-client.ts';

/** `hookbell controls`: what became of the enterprise control settings. */
export const defineControls: DefineCommand = (program, run) => {
  const controls = program
    .command('controls')
    .description('show how the enterprise control settings changed');
  defineRemote(controls, run, {
    words: 'history',
    description: 'who changed which settings, the newest first; values of secrets are never shown',
    id: 'org.history',
    parameters: () => ({}),
  });
  defineDiff(controls, run);
};

function defineDiff(parent: Command, run: (action: CommandAction) => Promise<void>): void {
  const command = parent
    .command('diff')
    .argument('<revision>', 'number of a revision', readRevision)
    .argument('<other>', 'and of another one', readRevision)
    .description(
      'which settings differ between two revisions, from what to what; of secrets only that they do',
    );
  command.action((one: number, other: number) =>
    run((context) =>
      withClient(context, async ({ api, config }) => {
        const { output, json } = context;
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const history = await historyTo(api, from);
        const before = revisionIn(history, from);
        const after = revisionIn(history, to);
        const compared = compareControls(before, after, createRedactor(config.redact));
        // Who had a hand in it: of two revisions that are no neighbours, several people.
        const steps = history
          .filter(({ revision }) => revision > from && revision <= to)
          .map(revisionOf);
        if (json) output.json({ ...compared, steps });
        else printComparison(output, compared, steps);
      }),
    ),
  );
}

/** From the newest revision down to this one, or to the end. */
async function historyTo(api: Client, revision: number): Promise<readonly ControlChange[]> {
  const found: ControlChange[] = [];
  for await (const change of api.organization.history({ limit: MAX_PAGE })) {
    if (change.revision < revision) break;
    found.push(change);
  }
  return found;
}

function revisionIn(history: readonly ControlChange[], wanted: number): ControlChange {
  const found = history.find(({ revision }) => revision === wanted);
  if (found !== undefined) return found;
  throw new NotFoundError(`No revision ${wanted} of the enterprise controls`, {
    hint: 'Run "hookbell controls history" to see the revisions there are: numbers may be left out',
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
  if (changes.length === 0) output.say('No setting differs');
  output.say(`Revision ${after.revision}, against ${before?.revision ?? 'none'}`);
  for (const { revision, by, updatedAt } of steps) {
    const when = updatedAt === null ? '' : ` on ${timeText(updatedAt)}`;
    output.say(`${revision} by ${authorText(by)}${when}`);
  }
}

function readRevision(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new UsageError(`The revision is "${value}", expected a whole number`);
}
