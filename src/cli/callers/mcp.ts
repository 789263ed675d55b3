import type { DefineCommand } from '../context.ts';

/** `hookbell mcp`: two tools for agents, over standard input and output. */
export const defineMcp: DefineCommand = (program, run) => {
  program
    .command('mcp', { hidden: true })
    .description('serve agents over MCP: they can notify you and ask you')
    .action(
      run(async (context) => {
        // The SDK is loaded by nothing else.
        const { serveMcp } = await import('./mcp-server.ts');
        await serveMcp(context);
      }),
    );
};
