import { freePort } from './free-port.ts';
import { type Browser, startBrowser } from './browser.ts';
import { type HookbellHome, hookbellHome, projectRoot, until } from './hookbell-home.ts';
import { typedCommand } from './typed-command.ts';

/** A daemon that serves the page, and notifies on a channel that is a file; `more`: other sections of its configuration. */
export async function pageHome(more = ''): Promise<HookbellHome> {
  const place = await hookbellHome();
  await place.writeConfig(`
channels:
  log: { type: file, path: ${place.home}/log.jsonl }
page: { listen: "127.0.0.1:${await freePort()}" }
${more}
`);
  await place.start();
  return place;
}

/** The link that a person gets at a terminal. */
export async function printedLink(place: Pick<HookbellHome, 'env'>): Promise<string> {
  const line = `${process.execPath} ${projectRoot}/dist/program/cli.js open --print`;
  await using command = typedCommand(line, place.env);
  const { screen } = await command.ended();
  const link = /https?:\S+/.exec(screen)?.[0];
  if (link === undefined) throw new Error(`No link was printed:\n${screen}`);
  return link;
}

type BrowserOptions = Parameters<typeof startBrowser>[0];

/** A browser that a person signed in. */
export async function signedIn(
  place: Pick<HookbellHome, 'env'>,
  options?: BrowserOptions,
): Promise<Browser> {
  return openLink(await printedLink(place), options);
}

/** A browser that opened a link and follows the page. */
export async function openLink(link: string, options?: BrowserOptions): Promise<Browser> {
  const browser = await startBrowser(options);
  await browser.open(link);
  await until(
    async () =>
      (await browser.read('String(document.querySelector("#live.on") !== null)')) === 'true',
  );
  return browser;
}
