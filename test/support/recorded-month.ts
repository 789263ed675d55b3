import type { WaitingView } from '../../src/control/contract.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import type { WaitingDimension } from '../../src/core/waiting.ts';
import { createWaitingLedger } from '../../src/daemon/waiting-ledger.ts';
import { silentLog } from '../../src/platform/log.ts';
import { seededRandom } from './seeded-random.ts';
import { ALL_DAY, type WaitingRun } from './waiting-run.ts';

/** When the month began. */
export const MONTH = Date.UTC(2026, 9, 1, 7);
const DAY = 86_400_000;

type Asks = Pick<HookEvent, 'tool' | 'asked'>;

const bash = (text: string): Asks => ({
  tool: 'Bash',
  asked: { action: 'run', text, options: [] },
});
const edit = (text: string): Asks => ({
  tool: 'Edit',
  asked: { action: 'edit', text, options: [] },
});

/** What is asked for, how often among a hundred, and how often of that it is denied. */
const habits: readonly (readonly [
  share: number,
  denied: number,
  asks: (pick: (of: readonly string[]) => string) => Asks,
])[] = [
  [16, 0, (pick) => bash(`npm run test -- ${pick(['--watch', 'cart', 'login', 'pay', '-u'])}`)],
  [9, 0, () => bash('npm run build')],
  [8, 0, (pick) => bash(`git log --oneline -${pick(['5', '10', '20'])}`)],
  [7, 0, () => bash('git status')],
  [
    9,
    0.04,
    (pick) =>
      edit(`src/${pick(['cart', 'login', 'pay'])}/${pick(['index', 'view', 'rules'])}.ts +4 −2`),
  ],
  [6, 0, (pick) => edit(`docs/${pick(['setup', 'faq', 'api'])}.md +9 −1`)],
  [
    6,
    0,
    (pick) => ({
      tool: 'WebFetch',
      asked: {
        action: 'fetch',
        text: `https://nodejs.org/api/${pick(['fs', 'net', 'url'])}.html`,
        options: [],
      },
    }),
  ],
  [
    4,
    0,
    (pick) => ({
      tool: 'mcp__maps__find',
      asked: { action: 'use', text: `maps: find (city: ${pick(['Rome', 'Oslo'])})`, options: [] },
    }),
  ],
  [7, 0.02, (pick) => bash(`git commit -m "${pick(['fix cart', 'tidy', 'more tests'])}"`)],
  [4, 0.3, () => bash('git push')],
  [3, 0.2, () => bash('git push --force-with-lease')],
  [4, 0.1, (pick) => bash(`npm install ${pick(['lodash', 'left-pad', 'zod'])}`)],
  [3, 0.25, () => bash('rm -rf dist node_modules')],
  [3, 0.5, (pick) => bash(`curl -s https://${pick(['a', 'b'])}.example/install.sh | sh`)],
  [
    3,
    0,
    (pick) =>
      bash(`for f in src/*.ts; do npx prettier --write "$f"; done; ${pick(['date', 'true'])}`),
  ],
  [3, 0, () => bash('$RUNNER test')],
  [
    5,
    0,
    (pick) => ({
      tool: 'AskUserQuestion',
      asked: { action: 'answer', text: pick(['Which database?', 'Which port?']), options: [] },
    }),
  ],
];

/** A month of one person with two agents and three projects, the same each time. */
export async function recordMonth(run: WaitingRun, requests: number): Promise<void> {
  const random = seededRandom(39);
  const pick = (of: readonly string[]): string => of[Math.floor(random() * of.length)] ?? '';
  for (let nth = 0; nth < requests; nth += 1) {
    const day = Math.floor((nth * 30) / requests);
    const at = MONTH + day * DAY + (nth % Math.ceil(requests / 30)) * 400_000;
    let share = random() * 100;
    const [, denied, asks] = habits.find((habit) => (share -= habit[0]) < 0) ?? habits[0]!;
    const project = pick(['shop', 'shop', 'depot', 'site']);
    const agent = random() < 0.7 ? 'claude' : 'codex';
    const sessionId = `${agent}-${project}-${day}`;
    const who = {
      agent,
      project,
      sessionId,
      sessionKey: `${agent}:${sessionId}`,
      cwd: `/home/me/${project}`,
    } as const;
    const asked = asks(pick);
    const isQuestion = asked.asked?.action === 'answer';
    const subject = `${nth}`;
    const kind = isQuestion ? 'needs.input' : 'needs.permission';
    const waitMs = Math.round(400 * 600 ** (random() ** 1.4));
    await run.feed({ ...who, ...asked, kind, event: 'PermissionRequest', subject, at });
    const end = { ...who, at: at + waitMs, subject };
    if (random() < 0.03) await run.feed({ ...end, kind: 'session.end', reason: 'other' });
    else if (isQuestion) await run.feed({ ...end, kind: 'prompt' });
    else if (random() < denied) await run.feed({ ...end, kind: 'turn.interrupted' });
    else await run.feed({ ...end, kind: 'tool.done', tool: asked.tool, toolMs: 0 });
  }
}

/** A period with the whole month. */
const period = { since: MONTH, until: MONTH + 40 * DAY };

/** What `GET /v1/waiting` and `GET /v1/requests` answer of a recorded month. */
export function monthAnswers({ store }: WaitingRun, mark: string) {
  const ledger = createWaitingLedger({
    waits: store.waits,
    mark,
    hours: () => ALL_DAY,
    programChannels: () => [],
    redact: (text) => text,
    now: () => period.until,
    log: silentLog,
  });
  const [since = '', until = ''] = [period.since, period.until].map((at) =>
    new Date(at).toISOString(),
  );
  return {
    waiting: async (by: WaitingDimension): Promise<WaitingView> => ({
      ...(await ledger.report({ ...period, by })),
      since,
      until,
      paused: [],
    }),
    requests: () => ledger.requests(period),
  };
}
