import { displayLine } from '../../core/sanitize.ts';
import type { DefineCommand } from '../define-command.ts';
import type { Check, CheckState } from '../doctor/check.ts';
import { examine } from '../doctor/examine.ts';
import { systemPorts } from '../doctor/system-ports.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';

/** `hookbell doctor`: is everything as it should be, and what to do about what is not. */
export const defineDoctor: DefineCommand = (program, run) => {
  program
    .command('doctor')
    .description('check everything hookbell depends on and say what to do about what is wrong')
    .action(() =>
      run(async (context) => {
        const { output, json } = context;
        const checks = await examine(systemPorts(context));
        const isWell = checks.every(({ state }) => state !== 'problem');
        if (json) output.json({ ok: isWell, checks });
        else printChecks(output, checks);
        return isWell ? exitCodes.ok : exitCodes.failed;
      }),
    );
};

const colours = { ok: 'green', warning: 'yellow', problem: 'red', skipped: 'dim' } as const;

function printChecks(output: Output, checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, state, summary, hint } of checks) {
    const word = output.paint(colours[state], state.padEnd(7));
    output.line(`${word}  ${displayLine(name).padEnd(width)}  ${displayLine(summary)}`);
    if (hint !== null) output.line(`${' '.repeat(width + 11)}${displayLine(hint)}`);
  }
  const count = (wanted: CheckState): number =>
    checks.filter(({ state }) => state === wanted).length;
  output.say(`Problems: ${count('problem')}, warnings: ${count('warning')}`);
}
