import type { PageLinkView } from '../../control/contract-views.ts';
import { asCaller } from '../../control/caller.ts';
import { FailedError, UsageError } from '../../platform/errors.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { shortId } from '../short-id.ts';

/** The daemon runs several programs one after another, each at most 2 s. */
const TIMEOUT_MS = 20_000;

/** `hookbell open [SESSION]`: opens the page in a browser, or brings the terminal of a session to the front. */
export const defineOpen: DefineCommand = (program, run) => {
  program
    .command('open')
    .argument('[session]', 'session id or its beginning, as "sessions" shows it')
    .description("open the page in a browser, or bring a session's terminal to the front")
    .option('--print', 'print a link that signs one browser in to the page')
    .option('--sign-out', 'sign all browsers out of the page')
    .action(run(open));
};

async function open(
  context: CommandContext,
  session: string | undefined,
  { print = false, signOut = false }: { readonly print?: boolean; readonly signOut?: boolean },
): Promise<void> {
  if ([session !== undefined, print, signOut].filter(Boolean).length > 1) {
    throw new UsageError('Specify only one of a session, --print and --sign-out');
  }
  if (session !== undefined) return openSession(context, session);
  return signOut ? signOutOfPage(context) : openPage(context, print);
}

/** @throws FailedError if nothing could bring it to the front */
export async function openSession(
  { output, json, ask }: CommandContext,
  session: string,
): Promise<void> {
  const opened = await ask('POST /v1/open', { body: { session }, timeoutMs: TIMEOUT_MS });
  if (opened.reason !== null) {
    throw new FailedError(
      `Cannot open session "${shortId(opened.session)}": ${displayLine(opened.reason)}`,
      { hint: 'Run "hookbell logs --level info" to see what was tried' },
    );
  }
  if (json) output.json(opened);
  else output.say(`Session ${shortId(opened.session)} is in front`);
}

async function signOutOfPage({ output, json, ask }: CommandContext): Promise<void> {
  const { count } = await ask('POST /v1/page-sign-out');
  if (json) output.json({ count });
  else output.say(count === 0 ? 'No browser was signed in' : `${count} signed out`);
}

async function openPage(context: CommandContext, isPrinted: boolean): Promise<void> {
  const { output, json, env } = context;
  const use = isPrinted || json || !hasDisplay(env) ? 'print' : 'browser';
  const link = await linkFor(context, use);
  if (json) return output.json(link);
  if (link.file === null) {
    await printLink(context, link);
  } else {
    const { openInBrowser } = await import('../../reply/open-in-browser.ts');
    const trouble = await openInBrowser(link.file, { env, platform: process.platform });
    if (trouble !== null) {
      output.complain(`Cannot open a browser: ${trouble}. Open this link yourself:`);
      return printLink(context, await linkFor(context, 'print'));
    }
    output.say('Opened the page in your browser');
    if (link.code !== null) {
      const code = `${link.code.slice(0, 3)} ${link.code.slice(3)}`;
      output.say('To allow requests there, type this code on the page:');
      output.line(code);
    }
  }
  if (link.limit !== null) {
    output.say(`The page will not be able to allow requests: ${displayLine(link.limit)}`);
  }
}

async function linkFor({ ask }: CommandContext, use: 'print' | 'browser'): Promise<PageLinkView> {
  return asCaller(await ask('POST /v1/caller'), (caller) =>
    ask('POST /v1/page', { body: { for: use, caller } }),
  );
}

async function printLink({ output, env }: CommandContext, { url }: PageLinkView): Promise<void> {
  output.line(url);
  output.say('The link signs one browser in, within 5 minutes');
  // A phone can open the address of a proxy, but not one of this machine.
  if (!url.startsWith('https:') || !process.stdout.isTTY) return;
  const { qrCode } = await import('../init/qr-code.ts');
  const { columns, rows } = process.stdout;
  const code = await qrCode(url, { columns, rows, colours: env['NO_COLOR'] === undefined });
  if (code !== null) output.line(code);
}

function hasDisplay(env: NodeJS.ProcessEnv): boolean {
  if (process.platform !== 'linux') return true;
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['BROWSER']);
}
