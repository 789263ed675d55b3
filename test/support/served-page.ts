import { request as httpRequest } from 'node:http';
import { join } from 'node:path';

import type { ControlAnswers } from '../../src/control/contract.ts';
import type { WhatDiffers } from '../../src/control/what-differs.ts';
import type { OfferedAnswer, ShownQuestion } from '../../src/core/question.ts';
import { createSignal } from '../../src/platform/lifecycle.ts';
import { idleTimer, type StartTimer } from '../../src/platform/time.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { PageRights } from '../../src/page/page-access.ts';
import { createPageHost } from '../../src/page/page-host.ts';
import type { AskInside } from '../../src/page/page-views.ts';
import type { PersonsAnswer } from '../../src/reply/decisions.ts';
import { samplePolicy } from './decisions.ts';
import { manualClock } from './manual-clock.ts';
import { askPage, type PageAnswer } from './reply-page-home.ts';
import { sampleStatusView, sampleWaitingView } from './sample-views.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface ServedPageOptions {
  readonly answers?: Partial<{ [Name in keyof ControlAnswers]: ControlAnswers[Name] }>;
  readonly questions?: readonly ShownQuestion[];
  readonly url?: string | null;
  readonly startTimer?: StartTimer;
  readonly explain?: () => WhatDiffers | null;
  /** Called before each answer; may return other answers. */
  readonly onAsk?: (
    name: string,
    by: string | undefined,
  ) => Promise<ServedPageOptions['answers']> | void;
}

/** The page of a daemon whose answers are given; `asked` lists what it was asked to do. */
export async function servedPage({
  answers = {},
  questions = [],
  url = null,
  startTimer = idleTimer,
  explain = () => null,
  onAsk = () => undefined,
}: ServedPageOptions = {}) {
  const directory = await temporaryDirectory();
  const clock = manualClock();
  const asked: [name: string, body: unknown][] = [];
  const given: OfferedAnswer[] = [];
  const changed = createSignal();
  const all: ServedPageOptions['answers'] = {
    'GET /v1/status': sampleStatusView(),
    'GET /v1/sessions': [],
    'GET /v1/history': [],
    'GET /v1/waiting': sampleWaitingView(),
    ...answers,
  };
  const ask: AskInside = async (name, { query, body } = {}) => {
    Object.assign(all, await onAsk(name, query?.['by']));
    if (name.startsWith('POST')) asked.push([name, body]);
    const answer = all[name];
    if (answer === undefined) throw new Error(`No answer for ${name}`);
    return name === 'GET /v1/sessions' ? inStates(answer, query?.['state']) : answer;
  };
  const options = {
    ask,
    questions: { shown: () => questions },
    redact: (text: string) => text.replaceAll('hunter2', '***'),
    config: () => ({ page: null, api: null, budget: null, policy: samplePolicy }),
    api: { get: () => Promise.reject(new Error('No service is configured')) },
    startTimer,
    explain,
    decisions: {
      find: async (id: string) => {
        const shown = questions.find(({ question }) => question.id === id);
        return shown === undefined
          ? { type: 'unknown' as const }
          : { type: 'open' as const, shown };
      },
      answer: async (_: string, answer: PersonsAnswer) => {
        given.push({ by: 'me', ...answer });
        return { ok: true as const };
      },
    },
    sessionsFile: join(directory.path, 'page-sessions.json'),
    runtime: directory.path,
    changed,
    now: clock.now,
    log: silentLog,
  };
  const host = await createPageHost(options);
  const server = await host.serve({ host: '127.0.0.1', port: 0, url });
  const { origin } = server;
  const root = `${origin}/${host.access.key}/`;

  /** Signs a browser in; returns its cookie. */
  async function signIn(rights: PageRights = 'decide', withCode = false) {
    const { token, code } = host.access.makeLink({ rights, withCode });
    const answer = await post(`${origin}/open/${token}`, {});
    return { cookie: cookieOf(answer), code };
  }

  return {
    ...options,
    host,
    origin,
    root,
    clock,
    asked,
    given,
    signIn,
    async restart() {
      return createPageHost(options);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** Of a list of sessions, those in these states; the type is that of the list. */
function inStates<Sessions>(sessions: Sessions, states: string | undefined): Sessions {
  if (states === undefined || !Array.isArray(sessions)) return sessions;
  const kept = sessions.filter(({ state }) => states.split(',').includes(state));
  return JSON.parse(JSON.stringify(kept));
}

/** What a browser sends back. */
export function cookieOf({ headers }: PageAnswer): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** The token that forms repeat. */
export function tokenIn({ body }: PageAnswer): string {
  return /name="token" value="(\w{64})"/.exec(body)?.[1] ?? '';
}

/** Posts a form as the page itself does; `headers` win. */
export function post(
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<PageAnswer> {
  return askPage(url, {
    method: 'POST',
    headers: {
      origin: new URL(url).origin,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });
}

export interface Stream extends Disposable {
  readonly status: number;
  /** All that came so far. */
  text(): string;
  readonly ended: Promise<void>;
}

/** Follows the changes of a page, as its script does. */
export function openStream(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(url, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', () => undefined);
      const ended = new Promise<void>((end) => response.once('close', end));
      const status = response.statusCode ?? 0;
      resolve({ status, text: () => text, ended, [Symbol.dispose]: () => void asked.destroy() });
    });
    asked.once('error', reject);
    asked.end();
  });
}
