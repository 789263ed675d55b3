// The pictures of the page for scripts/picture.mjs: a real daemon with requests of real hooks, in Chromium. The ages are set
// in the browser, since nothing here has waited for minutes.
import { permissionRequest, startAsking } from '../dist/test/support/asking-hook.js';
import { until } from '../dist/test/support/hookbell-home.js';
import { openLink, pageHome, printedLink } from '../dist/test/support/page-home.js';
import { monthAnswers, recordMonth } from '../dist/test/support/recorded-month.js';
import { sampleWaitingView } from '../dist/test/support/sample-views.js';
import { servedPage } from '../dist/test/support/served-page.js';
import { waitingRun } from '../dist/test/support/waiting-run.js';

const story = [
  {
    project: 'icons',
    agent: 'claude',
    prompt: 'Delete unused icons',
    next: { hook_event_name: 'SessionEnd', reason: 'exit' },
  },
  {
    project: 'site',
    agent: 'claude',
    prompt: 'Rewrite the landing page in the new design',
    next: { hook_event_name: 'Stop' },
  },
  {
    project: 'billing',
    agent: 'droid',
    prompt: 'Round amounts to the smallest unit of the currency',
    next: { hook_event_name: 'Stop' },
  },
  { project: 'orders', agent: 'claude', prompt: 'Upgrade the ORM and fix the failing tests' },
  { project: 'search', agent: 'droid', prompt: 'Index the product descriptions' },
  {
    project: 'infra',
    agent: 'droid',
    prompt: 'Rotate the certificates',
    next: {
      hook_event_name: 'Notification',
      message: 'droid needs your approval to run "terraform apply"',
    },
  },
];

const minutesOf = { waiting: [9, 4, 1], working: [3, 12], done: [6, 31], ended: [55] };

/** Draws the page; `size` is that of the window. */
export async function drawPagePicture(picture, size) {
  const place = await pageHome();
  for (const { project, agent, prompt, next } of story) {
    const common = { session_id: `session-${project}`, cwd: `/home/ada/${project}` };
    await place.hook({ ...common, hook_event_name: 'UserPromptSubmit', prompt }, [
      '--agent',
      agent,
    ]);
    if (next !== undefined) await place.hook({ ...common, ...next }, ['--agent', agent]);
  }
  const shop = { session_id: 'session-shop', cwd: '/home/ada/shop' };
  const prompt = {
    hook_event_name: 'UserPromptSubmit',
    prompt: 'Publish version 2.4 of the client',
  };
  await place.hook({ ...shop, ...prompt }, ['--agent', 'claude']);
  const input = {
    command: 'npm publish --access public --tag next',
    description: 'Publish the client',
  };
  const publish = startAsking(place, { ...permissionRequest, ...shop, tool_input: input });
  const stock = { session_id: 'session-stock', cwd: '/home/ada/stock' };
  const first = {
    hook_event_name: 'UserPromptSubmit',
    prompt: 'Move the stock service to its own database',
  };
  await place.hook({ ...stock, ...first }, ['--agent', 'claude']);
  const questions = [
    {
      question: 'Which database should the service use?',
      options: [{ label: 'PostgreSQL, as the others do' }, { label: 'SQLite' }],
    },
  ];
  const ask = startAsking(place, {
    ...permissionRequest,
    ...stock,
    tool_name: 'AskUserQuestion',
    tool_input: { questions },
  });
  await until(async () => (await place.ask('GET /v1/questions')).length === 2);
  await place.cli('mute', '4h', '--project', 'icons');
  const browser = await openLink(await printedLink(place), size);
  await browser.read(
    `String(${setAges.toString().replace('MINUTES', JSON.stringify(minutesOf))}())`,
  );
  await browser.picture(picture);
  await browser[Symbol.asyncDispose]();
  for (const one of [publish, ask]) one[Symbol.dispose]();
  await place[Symbol.asyncDispose]();
}

/** Runs in the browser. */
function setAges() {
  const minutes = MINUTES;
  for (const [region, ages] of Object.entries(minutes)) {
    document.querySelectorAll(`#${region} time[data-age]`).forEach((time, index) => {
      time.textContent = `${ages[index] ?? 40} min`;
      delete time.dataset.age;
    });
  }
}

/** Draws the page of waiting times with sample figures of two weeks. */
export async function drawWaitingPicture(picture, size) {
  const rows = Array.from({ length: 14 }, (_, index) => {
    const isWeekend = index % 7 > 4;
    const count = isWeekend ? 2 : 9 + ((index * 5) % 7);
    const each = 60_000 * (1.2 + ((index * 3) % 5) * 0.4);
    return {
      key: `2026-03-${String(index + 2).padStart(2, '0')}`,
      asked: figures(count, count * each),
      done: figures(count, count * each * 0.7),
    };
  });
  const view = sampleWaitingView({
    rows,
    asked: figures(128, 128 * 105_000),
    done: figures(121, 121 * 80_000),
    returns: [
      { channel: 'desktop', step: 0, count: 97, p50Ms: 21_000, p95Ms: 190_000 },
      { channel: 'phone', step: 1, count: 24, p50Ms: 64_000, p95Ms: 410_000 },
      { channel: null, step: null, count: 7, p50Ms: null, p95Ms: null },
    ],
    unanswered: { expired: 3, ended: 2 },
    excluded: { gaps: 4, ms: 0 },
  });
  await drawWaiting({ answers: { 'GET /v1/waiting': view } }, 'days=30', picture, size);
}

/** Draws the same page with the requests of the recorded month in docs/rules.md. */
export async function drawRequestsPicture(picture, size) {
  const run = await waitingRun();
  await recordMonth(run, 2_000);
  const { waiting } = monthAnswers(run, 'alive');
  const onAsk = async (name, by) => name === 'GET /v1/waiting' && { [name]: await waiting(by) };
  await drawWaiting({ onAsk }, 'days=30&by=request', picture, size);
  await run[Symbol.asyncDispose]();
}

async function drawWaiting(answering, query, picture, size) {
  const page = await servedPage(answering);
  const { token } = page.host.access.makeLink({ rights: 'decide', withCode: false });
  const browser = await openLink(`${page.origin}/open/${token}`, size);
  await browser.open(`${page.root}waiting?${query}`);
  await browser.picture(picture);
  await browser[Symbol.asyncDispose]();
  await page[Symbol.asyncDispose]();
}

function figures(count, totalMs) {
  return {
    count,
    totalMs,
    workingMs: totalMs * 0.8,
    p50Ms: totalMs / count / 2,
    p95Ms: (totalMs / count) * 3,
  };
}
