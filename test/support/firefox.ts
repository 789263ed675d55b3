import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { z } from 'zod';

import type { Browser } from './browser.ts';
import { connectToBrowser, type DebugConnection, RefusedByBrowser } from './debug-connection.ts';
import { environmentAt } from './environment-at.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A tab of a real Firefox, used as a person would. */
export interface FirefoxTab extends Pick<Browser, 'open' | 'press' | 'key' | 'read' | 'picture'> {}

/** A real Firefox with its first tab. */
export interface Firefox extends FirefoxTab, AsyncDisposable {
  /** Opens another tab in front of the others, which are hidden then. */
  openTab(): Promise<FirefoxTab>;
  /** Errors that the browser has logged about its pages, such as what their policy blocked. */
  readonly problems: readonly string[];
}

const contextSchema = z.looseObject({ context: z.string() });
const treeSchema = z.looseObject({ contexts: z.tuple([contextSchema], contextSchema) });
const valueSchema = z.looseObject({ result: z.looseObject({ value: z.string().optional() }) });
const pictureSchema = z.looseObject({ data: z.string() });
const logSchema = z.looseObject({ level: z.string(), text: z.string().nullable() });

/** Longer than the tests of a file take that use it, ms. */
const LONGEST_MS = 180_000;

/** Nothing but this machine: Firefox never uses a proxy for loopback addresses. The port is that of "discard". */
const preferences = `
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("app.normandy.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
`;

/** By the names of https://www.w3.org/TR/webdriver2/#keyboard-actions. */
const keys: Readonly<Record<string, string>> = { Tab: '\uE004', Enter: '\uE007', Escape: '\uE00C' };

/** Starts one, by WebDriver BiDi: https://www.w3.org/TR/webdriver-bidi/ */
export async function startFirefox(): Promise<Firefox> {
  const directory = await temporaryDirectory();
  const profile = join(directory.path, 'profile');
  await mkdir(profile);
  await writeFile(join(profile, 'user.js'), preferences);
  const child = spawn(
    'firefox-esr',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0', 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...environmentAt(directory.path), MOZ_CRASHREPORTER_DISABLE: '1' },
    },
  );
  const limit = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  const { send, on, close } = await connectToBrowser(`${await addressOf(child.stderr)}/session`);
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const problems: string[] = [];
  on('log.entryAdded', (params) => {
    const { level, text } = logSchema.parse(params);
    if (level === 'error') problems.push(text ?? '');
  });
  const [{ context: first }] = treeSchema.parse(await send('browsingContext.getTree')).contexts;
  return {
    ...tabOf(first, send),
    problems,
    async openTab() {
      const created = await send('browsingContext.create', { type: 'tab' });
      return tabOf(contextSchema.parse(created).context, send);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(limit);
      close();
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await directory[Symbol.asyncDispose]();
    },
  };
}

function tabOf(context: string, send: DebugConnection['send']): FirefoxTab {
  const act = (id: string, type: string, actions: readonly object[]): Promise<unknown> =>
    send('input.performActions', { context, actions: [{ type, id, actions }] });
  const read: FirefoxTab['read'] = async (expression) => {
    const target = { context };
    try {
      const found = await send('script.evaluate', { expression, target, awaitPromise: true });
      return valueSchema.parse(found).result.value ?? '';
    } catch (error) {
      // A page that is replaced by the next just then has no result.
      if (error instanceof RefusedByBrowser) return '';
      throw error;
    }
  };
  return {
    read,
    open: async (url) =>
      void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    async press(selector) {
      const box = `(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({ block: 'nearest' }); const b = e.getBoundingClientRect(); return b.x + b.width / 2 + ' ' + (b.y + b.height / 2); })()`;
      const [x = 0, y = 0] = (await read(box)).split(' ').map((part) => Math.round(Number(part)));
      await act('mouse', 'pointer', [
        { type: 'pointerMove', x, y },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]);
    },
    async key(name) {
      const value = keys[name] ?? name;
      await act('keyboard', 'key', [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]);
    },
    async picture(path) {
      const shot = await send('browsingContext.captureScreenshot', { context });
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, Buffer.from(pictureSchema.parse(shot).data, 'base64'));
    },
  };
}

async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stderr });
  for await (const line of lines) {
    const address = /WebDriver BiDi listening on (ws:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
    if (address === undefined) continue;
    // A full pipe would stop it.
    stderr.resume();
    return address;
  }
  throw new Error('Firefox ended before it listened');
}
