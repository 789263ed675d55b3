import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { decodePayload } from '../../src/agents/decode.ts';
import { FAILED_TURN } from '../../src/core/agent/witness.ts';
import type { FactKey } from '../../src/core/facts.ts';
import { isJsonObject } from '../../src/platform/json.ts';
import { isWithin } from './judge.ts';
import type { LiveAgent } from './live-agent.ts';
import type { Heard } from './live-home.ts';
import type { Played } from './play.ts';

/** The facts that show which agent an event is from; all others are about the machine. */
const identifying: readonly FactKey[] = [
  'agent',
  'event',
  'droid_project_dir',
  'factory_project_dir',
  'qwen_project_dir',
  'gemini_project_dir',
  'claude_project_dir',
  'claudecode',
  'claude_code_session_attended',
];

/** What was played in a home directory, and what came in. */
export interface Recording {
  readonly home: string;
  readonly played: readonly Played[];
  readonly heard: readonly Heard[];
}

/**
 * Writes `AGENT-VERSION.jsonl`: what was recorded and when, then the first payload of each shape that the agent sent, without the
 * paths of this machine, with the row it is from and the kind that was made of it.
 */
export async function record(
  directory: string,
  { agent, npm, version }: LiveAgent,
  recordings: readonly Recording[],
): Promise<void> {
  const seen = new Set<string>();
  const lines: object[] = [
    { agent, npm, version, recorded: new Date().toISOString().slice(0, 10) },
  ];
  const all = recordings.flatMap(({ heard, ...rest }) => heard.map((one) => ({ ...one, ...rest })));
  for (const { view, facts, payload, home, played } of all) {
    // hookbell found it itself.
    if (view.agent !== agent) continue;
    const content: unknown = JSON.parse(anonymous(payload, home));
    // By the payload alone; what its session did before may change that.
    const decoded = decodePayload({ payload: Buffer.from(payload), facts });
    if (!decoded.ok) continue;
    const { event, kind } = decoded.event;
    // hookbell made it from the transcript.
    if (event === FAILED_TURN) continue;
    const shape = JSON.stringify([event, kind, shapeOf(content)]);
    if (seen.has(shape)) continue;
    seen.add(shape);
    const told = identifying.flatMap((key) =>
      facts[key] === undefined ? [] : [[key, anonymous(facts[key], home)]],
    );
    lines.push({
      row: played.find((one) => isWithin(view, one))?.row.name ?? null,
      event,
      kind,
      facts: Object.fromEntries(told),
      payload: content,
    });
  }
  await mkdir(directory, { recursive: true });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(join(directory, `${agent}-${version}.jsonl`), text);
}

/** Which fields there are, and the values of those that say what it is about. */
function shapeOf(content: unknown): unknown {
  if (!isJsonObject(content)) return null;
  const { properties } = content;
  return Object.entries(content)
    .map(([name, value]) =>
      /type|source|reason|status|tool_name|toolName|hook_active$/i.test(name)
        ? [name, value]
        : name,
    )
    .concat(isJsonObject(properties) ? Object.keys(properties) : []);
}

function anonymous(text: string, home: string): string {
  const dashed = home.replaceAll(/[^A-Za-z0-9]/g, '-');
  return text
    .replaceAll(home, '/home/dev')
    .replaceAll(dashed, '-home-dev')
    .replaceAll(dirname(home), '/tmp')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8080');
}
