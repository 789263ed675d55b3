import { lineFormats, type LineFormat, statusLine } from '../../core/status-line.ts';
import type { DefineCommand } from '../context.ts';
import { readWord } from '../option-values.ts';

interface LineOptions {
  readonly format: LineFormat;
  readonly template?: string;
}

/** `hookbell line`: one line about the sessions that wait, for tmux, Waybar and other bars. */
export const defineLine: DefineCommand = (program, run) => {
  program
    .command('line', { hidden: true })
    .description('print one line for a status bar: how many sessions wait, and which one longest')
    .option('--format <format>', lineFormats.join(', '), readWord(lineFormats), 'plain')
    .option('--template <text>', 'text with {count}, {name}, {age} and {line}')
    .action(
      run(async ({ ask, output }, { format, template }: LineOptions) => {
        const sessions = await ask('GET /v1/sessions', { query: { state: 'waiting' } });
        const waiting = sessions.map(({ project, title, agent, since }) => ({
          name: project ?? title ?? agent,
          since: Date.parse(since),
        }));
        output.line(statusLine(waiting, Date.now(), format, template));
      }),
    );
};
