import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { z } from 'zod';

import { connectToBrowser, RefusedByBrowser } from './debug-connection.ts';
import { environmentAt } from './environment-at.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** One page in a real Chromium, used as a person would. */
export interface Browser extends AsyncDisposable {
  /** Goes there and waits until the page is loaded. */
  open(url: string): Promise<void>;
  /** Types into what has the focus. */
  type(text: string): Promise<void>;
  /** Clicks the middle of an element; waits for the page that comes of it. */
  click(selector: string): Promise<void>;
  /** Clicks the middle of an element of a page that stays. */
  press(selector: string): Promise<void>;
  /** Presses one key. */
  key(name: string): Promise<void>;
  /** What an expression of the page is, as text. */
  read(expression: string): Promise<string>;
  /** What a promise of the page settles with, as text. */
  evaluate(expression: string): Promise<string>;
  /** Shows the page on another screen; waits until it is drawn. */
  show(screen: Screen): Promise<void>;
  collectGarbage(): Promise<void>;
  /** Why the browser would not offer to install the page as an application; empty if it would. */
  reasonsNotToInstall(): Promise<readonly string[]>;
  /** Keeps a picture of the page. */
  picture(path: string): Promise<void>;
}

/** How a page is shown. */
export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
  /** As the browser of a phone with a screen of this size does. */
  readonly isPhone: boolean;
  /** As where the system replaces colours by few that differ much, such as with a contrast theme of Windows. */
  readonly isHighContrast: boolean;
}

/** A frame later, with what moves where it ends. */
const drawn = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  .then(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished))).then(() => '')`;

/** The parts of its own window: each would be loaded as a page, which is half of what a start takes. */
const WINDOW_PARTS = ['WebUIOmniboxPopup', 'WebUIOmniboxFullPopup', 'WebUIOmniboxAimPopup'];

const highContrast = [
  { name: 'forced-colors', value: 'active' },
  { name: 'prefers-contrast', value: 'more' },
];

const valueSchema = z.looseObject({ result: z.looseObject({ value: z.unknown() }) });
const dataSchema = z.looseObject({ data: z.string() });
const installabilitySchema = z.looseObject({
  installabilityErrors: z.array(z.looseObject({ errorId: z.string() })),
});
const targetsSchema = z.array(
  z.looseObject({ type: z.string(), webSocketDebuggerUrl: z.string() }),
);

/** Longer than any use of it takes, and shorter than the time limit of the tests that use it. */
const LONGEST_MS = 45_000;

/** Starts one, by the protocol of its developer tools: https://chromedevtools.github.io/devtools-protocol/ */
export async function startBrowser({
  width = 760,
  height = 640,
  scheme = 'light',
  limitMs = LONGEST_MS,
  isPhone = false,
  options = [],
}: {
  /** Killed after this time, ms. */
  readonly limitMs?: number;
  /** Further options of the command line. */
  readonly options?: readonly string[];
} & Partial<Omit<Screen, 'isHighContrast'>> = {}): Promise<Browser> {
  const directory = await temporaryDirectory();
  const child = spawn(
    'chromium',
    [
      ...'--headless --no-sandbox --disable-gpu --hide-scrollbars --remote-debugging-port=0'.split(
        ' ',
      ),
      `--blink-settings=preferredColorScheme=${scheme === 'dark' ? 0 : 1}`,
      `--disable-features=${WINDOW_PARTS.join(',')}`,
      `--window-size=${width},${height}`,
      `--user-data-dir=${join(directory.path, 'chromium')}`,
      ...options,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: environmentAt(directory.path) },
  );
  // A browser that hangs must fail its test, and not keep the process of the test from ending.
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const port = await portOf(child.stderr);
  const { send, on, ended, close } = await connectToBrowser(await pageSocket(port));
  const loads: (() => void)[] = [];
  on('Page.loadEventFired', () => {
    for (const resolve of loads.splice(0)) resolve();
  });
  const loaded = (): Promise<void> =>
    Promise.race([ended, new Promise<void>((resolve) => loads.push(resolve))]);
  const read: Browser['read'] = async (expression) => {
    try {
      const found = await send('Runtime.evaluate', { expression, returnByValue: true });
      return String(valueSchema.parse(found).result.value);
    } catch (error) {
      // A page that is replaced by the next just then has no result.
      if (error instanceof RefusedByBrowser) return '';
      throw error;
    }
  };
  async function press(selector: string): Promise<void> {
    const box = `(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({ block: 'nearest' }); const b = e.getBoundingClientRect(); return b.x + b.width / 2 + ' ' + (b.y + b.height / 2); })()`;
    const [x, y] = (await read(box)).split(' ').map(Number);
    for (const type of ['mousePressed', 'mouseReleased']) {
      await send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    }
  }
  await send('Page.enable');
  const evaluate: Browser['evaluate'] = async (expression) => {
    const awaited = { expression, returnByValue: true, awaitPromise: true };
    return String(valueSchema.parse(await send('Runtime.evaluate', awaited)).result.value);
  };
  async function size(screen: Pick<Screen, 'width' | 'height' | 'isPhone'>): Promise<void> {
    const metrics = {
      ...screen,
      deviceScaleFactor: screen.isPhone ? 3 : 1,
      mobile: screen.isPhone,
    };
    await send('Emulation.setDeviceMetricsOverride', metrics);
    await send('Emulation.setTouchEmulationEnabled', { enabled: screen.isPhone });
  }
  if (isPhone) await size({ width, height, isPhone });
  return {
    read,
    async open(url) {
      const done = loaded();
      await send('Page.navigate', { url });
      await done;
    },
    evaluate,
    async show(screen) {
      await size(screen);
      const features = [
        { name: 'prefers-color-scheme', value: screen.scheme },
        ...(screen.isHighContrast ? highContrast : []),
      ];
      await send('Emulation.setEmulatedMedia', { features });
      await evaluate(drawn);
    },
    collectGarbage: async () => void (await send('HeapProfiler.collectGarbage')),
    async reasonsNotToInstall() {
      const { installabilityErrors } = installabilitySchema.parse(
        await send('Page.getInstallabilityErrors'),
      );
      return installabilityErrors.map(({ errorId }) => errorId);
    },
    type: async (text) => void (await send('Input.insertText', { text })),
    async click(selector) {
      const done = loaded();
      await press(selector);
      await done;
    },
    press,
    async key(name) {
      const codes: Readonly<Record<string, number>> = { Tab: 9, Enter: 13, Escape: 27 };
      const text = name === 'Enter' ? '\r' : name.length === 1 ? name : undefined;
      const event = { key: name, text, windowsVirtualKeyCode: codes[name] ?? 0 };
      await send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    },
    async picture(path) {
      const { data } = dataSchema.parse(await send('Page.captureScreenshot', { format: 'png' }));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, Buffer.from(data, 'base64'));
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

async function portOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(line)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error('Chromium ended before it listened');
}

async function pageSocket(port: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
  const page = targetsSchema.parse(await answer.json()).find(({ type }) => type === 'page');
  if (page === undefined) throw new Error('Chromium shows no page');
  return page.webSocketDebuggerUrl;
}
