// Waiting time with the real Claude Code, a scripted model and an independent witness: the agent's own trace spans of the time that
// it was blocked on the user. A person answers in tmux, after 1 to 60 seconds.
//
//   npm run test:waiting [-- --waits 50] [--seed NUMBER] [--longest SECONDS]
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { z } from 'zod';

import { resolvePaths } from '../../src/core/paths.ts';
import { isWaiting } from '../../src/core/hook-event.ts';
import { waitKinds } from '../../src/core/waiting.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { runProcess } from '../support/run-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { liveAgents } from './agents.ts';
import { until } from './answer-scene.ts';
import { isIsolated, runIsolated } from './isolated.ts';
import type { LiveAgent } from './live-agent.ts';
import { openLiveHome, type Terminal } from './live-home.ts';
import { openScriptedModel } from './model.ts';
import { installPackage, packageFolder } from './programs.ts';
import type { Move } from './tools.ts';

const { values } = parseArgs({
  options: {
    waits: { type: 'string', default: '50' },
    longest: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
});

/** Sessions side by side: more of them would wait for a processor instead of a person. */
const SESSIONS = 2;
const TOLERANCE_MS = 100;
const TOLERANCE_SHARE = 0.02;

/** What the agent asks, and the key that answers it. */
interface Scene {
  readonly name: string;
  readonly asks: (name: string) => readonly Move[];
  readonly shows: RegExp;
  readonly keys: readonly string[];
  /** Whether the answer ends the turn. */
  readonly isEnd?: true;
}

const proceed = /Do you want to proceed\?/;
const scenes: readonly Scene[] = [
  { name: 'allowed', asks: (name) => [{ run: `touch ${name}` }], shows: proceed, keys: ['1'] },
  {
    name: 'allowed, runs for 4 s',
    asks: (name) => [{ run: `sleep 4; touch ${name}` }],
    shows: proceed,
    keys: ['1'],
  },
  {
    name: 'denied',
    asks: (name) => [{ run: `touch ${name}` }],
    shows: proceed,
    keys: ['Escape', 'C-u'],
    isEnd: true,
  },
  {
    name: 'question',
    asks: () => [{ ask: 'Which database should I use?' }],
    shows: /Enter to select/,
    keys: ['1'],
  },
];

async function prepare(): Promise<number> {
  const trouble = await installPackage(claude());
  if (trouble !== null) throw new Error(trouble);
  await using directory = await temporaryDirectory();
  const XDG_CACHE_HOME = join(packageFolder({ npm: 'x', version: '0' }), '..', '..');
  return await runIsolated({ TMPDIR: directory.path, XDG_CACHE_HOME });
}

function claude(): LiveAgent {
  const found = liveAgents.find(({ agent }) => agent === 'claude');
  if (found === undefined) throw new Error('Claude Code is not among the agents');
  return found;
}

const Span = z.object({
  name: z.string(),
  startTimeUnixNano: z.coerce.number(),
  endTimeUnixNano: z.coerce.number(),
  attributes: z
    .array(z.object({ key: z.string(), value: z.object({ stringValue: z.string().optional() }) }))
    .default([]),
});
const Export = z.object({
  resourceSpans: z
    .array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(Span) })).default([]) }))
    .default([]),
});

/** A time during which the agent was blocked on its user, Unix ms. */
interface Blocked {
  readonly from: number;
  readonly ms: number;
  readonly decision: string;
  readonly session: string;
}

/** Receives trace spans as OTLP over HTTP with JSON. */
async function openCollector() {
  const blocked: Blocked[] = [];
  const take = (body: unknown): void => {
    const spans = Export.parse(body).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    );
    for (const span of spans) {
      if (span.name !== 'claude_code.tool.blocked_on_user') continue;
      const of = (key: string): string =>
        span.attributes.find((attribute) => attribute.key === key)?.value.stringValue ?? '';
      blocked.push({
        from: span.startTimeUnixNano / 1e6,
        ms: (span.endTimeUnixNano - span.startTimeUnixNano) / 1e6,
        decision: `${of('decision')} by ${of('source')}`,
        session: of('session.id'),
      });
    }
  };
  const server = createServer((request, response) => {
    void json(request)
      .then(take)
      .finally(() => response.end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, blocked, close: () => server.close() };
}

async function examine(): Promise<number> {
  const count = Number(values.waits);
  const random = randomOf(Number(values.seed));
  process.stdout.write(`seed ${values.seed}\n`);
  const collector = await openCollector();
  const lengths = Array.from({ length: count }, () => lengthOf(random()));
  const shares = Array.from({ length: SESSIONS }, (_, session) =>
    lengths.filter((_length, index) => index % SESSIONS === session),
  );
  const counts = await Promise.all(
    shares.map((share, index) => playSession(collector, share, { index, random })),
  );
  collector.close();
  const compared = counts.flat();
  for (const one of compared) {
    const { name, blockedMs, differenceMs, ending } = one;
    const sign = differenceMs >= 0 ? '+' : '';
    process.stdout.write(
      `${isBad(one) ? 'BAD' : 'ok '} ${name}: ${Math.round(blockedMs)} ms, ${sign}${Math.round(differenceMs)} ms (${ending})\n`,
    );
  }
  const bad = compared.filter(isBad).length;
  const sizes = compared
    .map(({ differenceMs }) => Math.abs(differenceMs))
    .toSorted((a, b) => a - b);
  process.stdout.write(
    `${compared.length - bad} of ${count} waits agree; difference: median ${Math.round(sizes[Math.floor(sizes.length / 2)] ?? 0)} ms, largest ${Math.round(sizes.at(-1) ?? 0)} ms\n`,
  );
  return bad === 0 && compared.length === count ? 0 : 1;
}

function isBad({ differenceMs, blockedMs }: Compared): boolean {
  return Math.abs(differenceMs) > Math.max(TOLERANCE_MS, TOLERANCE_SHARE * blockedMs);
}

/** From 1 s to the longest, short ones more often, ms. */
function lengthOf(share: number): number {
  return 1_000 * Number(values.longest) ** share;
}

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

interface Compared {
  readonly name: string;
  readonly blockedMs: number;
  readonly differenceMs: number;
  readonly ending: string;
}

/** A person who answers one session, and what both ledgers say about it. */
async function playSession(
  collector: Awaited<ReturnType<typeof openCollector>>,
  lengths: readonly number[],
  { index, random }: { readonly index: number; readonly random: () => number },
): Promise<readonly Compared[]> {
  const plan = lengths.map((lengthMs, nth) => ({
    lengthMs,
    prompt: `Wait ${index}-${nth}.`,
    scene: scenes[(index + nth) % scenes.length]!,
  }));
  const scripts = Object.fromEntries(
    plan.map(({ prompt, scene }, nth) => [
      prompt,
      [...scene.asks(`w${nth}`), { say: `Over ${nth}.` }],
    ]),
  );
  await using directory = await temporaryDirectory();
  await using model = await openScriptedModel(scripts, join(directory.path, 'model.jsonl'));
  const agent = claude();
  const traced: LiveAgent = {
    ...agent,
    files: (around) => ({
      ...agent.files(around),
      // Hooks of another product would take part of the time in which ours starts.
      '.claude/settings.json': { permissions: { defaultMode: 'default' } },
    }),
    env: (around) => {
      const telemetryOff = ['DISABLE_TELEMETRY', 'DO_NOT_TRACK'];
      const env = Object.fromEntries(
        Object.entries(agent.env(around)).filter(([name]) => !telemetryOff.includes(name)),
      );
      return {
        ...env,
        CLAUDE_CODE_ENABLE_TELEMETRY: '1',
        CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
        OTEL_TRACES_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_EXPORT_INTERVAL: '300',
      };
    },
  };
  const program = join(packageFolder(agent), 'node_modules/.bin', agent.program);
  await using live = await openLiveHome(traced, program, model.url);
  const env = { HOME: live.home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' };
  // Every other session has the hook that waits for an answer from elsewhere.
  const held = index % 2 === 1;
  const cli = async (...words: readonly string[]): Promise<void> => {
    const main = join(projectRoot, 'dist/program/cli.js');
    const { code, stderr } = await runProcess(process.execPath, [main, ...words], { env });
    if (code !== 0) throw new Error(stderr);
  };
  if (held) await cli('install', '--yes', '--no-service', '--agent', 'claude', '--answers');
  const terminal = live.openTerminal(live.projects[0] ?? live.home);
  await startAgent(terminal, agent);
  for (const { lengthMs, prompt, scene } of plan) {
    await terminal.type(prompt);
    await delay(300);
    await terminal.press('Enter');
    await until(async () => scene.shows.test(await terminal.screen()));
    const jitterMs = random() * 200;
    // A prompt that has just appeared ignores keys.
    await delay(Math.max(600, lengthMs - 300 + jitterMs));
    await terminal.press(...scene.keys);
    await until(async () => !scene.shows.test(await terminal.screen()));
    const ended =
      scene.isEnd === true
        ? agent.ready
        : new RegExp(`Over ${plan.findIndex((one) => one.prompt === prompt)}\\.`);
    await until(async () => ended.test(await terminal.screen()));
    await delay(scene.isEnd === true ? 6_500 : 500);
  }
  await live.quiet(1_500);
  await terminal.kill();
  // It has the database for itself.
  await cli('stop');
  return compare(plan, { env, blocked: collector.blocked, held });
}

async function startAgent(terminal: Terminal, agent: LiveAgent): Promise<void> {
  await terminal.start(agent.interactive);
  await until(async () => {
    const screen = await terminal.screen();
    const dialog = agent.dialogs.find(([shown]) => shown.test(screen));
    if (dialog !== undefined) await terminal.press(...dialog.slice(1).map(String));
    return dialog === undefined && agent.ready.test(screen);
  });
}

interface Planned {
  readonly prompt: string;
  readonly scene: Scene;
}

const Row = z.object({
  session_key: z.string(),
  kind: z.enum(waitKinds),
  since: z.number(),
  until: z.number(),
  ending: z.string(),
});

async function compare(
  plan: readonly Planned[],
  {
    env,
    blocked,
    held,
  }: {
    readonly env: Readonly<Record<string, string>> & { readonly HOME: string };
    readonly blocked: readonly Blocked[];
    readonly held: boolean;
  },
): Promise<readonly Compared[]> {
  const open = await loadDriver();
  const driver = open(resolvePaths(env, process.platform, env.HOME).database);
  const rows = driver
    .prepare(
      'SELECT session_key, kind, since, until, ending FROM waits WHERE until IS NOT NULL ORDER BY since',
    )
    .all()
    .map((row) => Row.parse(row))
    .filter(({ kind }) => isWaiting(kind));
  driver.close();
  const session = rows[0]?.session_key.replace('claude:', '') ?? '';
  const spans = blocked
    .filter((span) => span.session === session && span.ms > 300)
    .toSorted((a, b) => a.from - b.from);
  if (rows.length !== plan.length || spans.length !== plan.length) {
    process.stdout.write(
      `BAD ${rows.length} waits and ${spans.length} spans of ${plan.length} requests: ${JSON.stringify({ rows, spans })}\n`,
    );
  }
  return plan.flatMap(({ scene }, nth) => {
    const row = rows[nth];
    const span = spans[nth];
    if (row === undefined || span === undefined) return [];
    const name = `${scene.name}${held ? ', held' : ''}`;
    const from = Math.round(row.since - span.from);
    return [
      {
        name,
        blockedMs: span.ms,
        differenceMs: row.until - row.since - span.ms,
        ending: `${row.ending}; ${span.decision}; began ${from} ms after the span, ended ${Math.round(row.until - span.from - span.ms)} ms after it`,
      },
    ];
  });
}

// Last, because the schemas above have to exist.
process.exitCode = isIsolated() ? await examine() : await prepare();
