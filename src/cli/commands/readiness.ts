import type { Command } from 'commander';

import { createRedactor } from '../../core/redact.ts';
import type { ReadinessComparison } from '../../reports/compare-readiness.ts';
import { compareReadiness } from '../../reports/compare-readiness.ts';
import { reportText, resultText } from '../../reports/readiness-texts.ts';
import type { CommandAction } from '../context.ts';
import type { DefineCommand } from '../define-command.ts';
import type { Output } from '../output.ts';
import { defineRemote } from '../remote/define-remote.ts';
import { DEFAULT_MAX, MAX_PAGE } from '../remote/page-sizes.ts';
import { lastCleanReports, namedReports } from '../remote/pick-reports.ts';
import { withClient } from '../remote/with-client.ts';

interface Options {
  readonly repo?: string;
}

/** `hookbell readiness`: how ready repositories are for agents. */
export const defineReadiness: DefineCommand = (program, run) => {
  const readiness = program
    .command('readiness')
    .description('show how ready repositories are for agents');
  defineRemote<Options>(readiness, run, {
    words: 'list',
    description: 'readiness reports, the newest first',
    id: 'readiness.list',
    configure: (command) => command.option('--repo <id>', 'only of this repository'),
    parameters: (_, { repo }) => ({ ...(repo !== undefined && { repoId: repo }) }),
  });
  defineDiff(readiness, run);
};

function defineDiff(parent: Command, run: (action: CommandAction) => Promise<void>): void {
  const command = parent
    .command('diff')
    .argument('[reports...]', 'ids of two reports, or their beginnings')
    .description(
      'what became of each criterion between two reports, or the last two clean ones of a repository',
    )
    .option('--repo <address>', 'of this repository, such as acme/api');
  command.action(() =>
    run((context) =>
      withClient(context, async ({ api, config }) => {
        const { output, json } = context;
        const { repo } = command.opts<Options>();
        const reports = await api.readiness.list({ limit: MAX_PAGE }).all({ max: DEFAULT_MAX });
        const { earlier, later } =
          command.args.length > 0
            ? namedReports(reports, command.args)
            : lastCleanReports(reports, repo);
        const redactor = createRedactor(config.redact);
        const compared = compareReadiness(earlier, later, redactor.text);
        if (json) output.json(compared);
        else printComparison(output, compared);
      }),
    ),
  );
}

function printComparison(output: Output, compared: ReadinessComparison): void {
  const { repository, before, after, moves, unchanged } = compared;
  if (moves.length > 0) {
    output.table(
      ['CRITERION', 'BECAME', 'BEFORE', 'AFTER', 'WHY'],
      moves.map(({ criterion, move, rationale, warning, ...results }) => [
        criterion,
        warning === null ? move : `${move} (${warning})`,
        resultText(results.before),
        resultText(results.after),
        rationale ?? '-',
      ]),
    );
  }
  output.say(
    `${repository ?? 'A repository'}: ${reportText(after)}, against ${reportText(before)}`,
  );
  output.say(`Criteria that are the same: ${unchanged}`);
}
