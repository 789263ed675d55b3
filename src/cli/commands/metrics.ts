import { expositionText } from '../../core/metrics.ts';
import type { DefineCommand } from '../define-command.ts';

/** `hookbell metrics`: the daemon in numbers, as Prometheus takes them. */
export const defineMetrics: DefineCommand = (program, run) => {
  program
    .command('metrics')
    .description('print the numbers of the daemon in the text format of Prometheus')
    .action(() =>
      run(async ({ output, json, ask }) => {
        const families = await ask('GET /v1/metrics');
        if (json) output.json(families);
        else output.line(expositionText(families).trimEnd());
      }),
    );
};
