import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

interface CaseStep {
  readonly afterMs: number;
  readonly event: string;
  readonly fields?: { readonly notification_type?: string } & Readonly<Record<string, unknown>>;
}

/** What a hook gets on its standard input. */
export interface HookPayload {
  readonly hook_event_name: string;
  readonly notification_type?: string;
  readonly cwd: string;
}

/** What happens in one session after its first prompt, and how often a person should be notified of it. */
export interface AttentionCase {
  /** In the name of the session's directory, by which a notification is recognized. */
  readonly id: string;
  readonly title: string;
  /** Notifications that it deserves, by hookbell's default. */
  readonly wanted: 0 | 1;
  readonly steps: readonly CaseStep[];
}

const permission = {
  message: 'Claude needs your permission to use Bash',
  notification_type: 'permission_prompt',
};
const tool = { tool_name: 'Bash', tool_input: { command: 'npm publish' } };

/** Events that a tool may take for repetitions of each other are far apart. */
export const attentionCases: readonly AttentionCase[] = [
  {
    id: 'long-turn',
    title: 'a turn of 21 s finishes',
    wanted: 1,
    steps: [{ afterMs: 21_000, event: 'Stop' }],
  },
  {
    id: 'short-turn',
    title: 'a turn of 1 s finishes',
    wanted: 0,
    steps: [{ afterMs: 1000, event: 'Stop' }],
  },
  {
    id: 'open-permission',
    title: 'a permission request stays open',
    wanted: 1,
    steps: [
      { afterMs: 100, event: 'PermissionRequest', fields: tool },
      { afterMs: 50, event: 'Notification', fields: permission },
    ],
  },
  {
    id: 'subagent',
    title: 'a subagent finishes',
    wanted: 0,
    steps: [{ afterMs: 100, event: 'SubagentStop', fields: { agent_id: 'a1' } }],
  },
  {
    id: 'quick-permission',
    title: 'a permission is granted within 0.3 s',
    wanted: 0,
    steps: [
      { afterMs: 100, event: 'PermissionRequest', fields: tool },
      { afterMs: 50, event: 'Notification', fields: permission },
      { afterMs: 250, event: 'PostToolUse', fields: tool },
    ],
  },
  {
    id: 'tool-call',
    title: 'a tool call ends',
    wanted: 0,
    steps: [{ afterMs: 100, event: 'PostToolUse', fields: tool }],
  },
  {
    id: 'idle-prompt',
    title: 'the agent waits at its prompt',
    wanted: 1,
    steps: [
      {
        afterMs: 100,
        event: 'Notification',
        fields: { message: 'Claude is waiting for your input', notification_type: 'idle_prompt' },
      },
    ],
  },
  {
    id: 'failed-turn',
    title: 'a turn fails at a rate limit',
    wanted: 1,
    steps: [{ afterMs: 200, event: 'StopFailure', fields: { error: 'rate_limit' } }],
  },
];

const prompt: CaseStep = {
  afterMs: 0,
  event: 'UserPromptSubmit',
  fields: { prompt: 'Publish it' },
};

/** Between the starts of two cases, so that none looks like a repetition of another, ms. */
const APART_MS = 4_000;

/**
 * Plays all cases with one tool; takes about half a minute.
 *
 * @param directory below which the sessions work
 * @param run runs the hook for an event of a case
 */
export async function playCases(
  directory: string,
  run: (id: string, payload: HookPayload) => Promise<void>,
): Promise<void> {
  await Promise.all(
    attentionCases.map(async ({ id, steps }, index) => {
      await delay(index * APART_MS);
      mkdirSync(`${directory}/${id}`, { recursive: true });
      for (const { afterMs, event, fields } of [prompt, ...steps]) {
        await delay(afterMs);
        const cwd = `${directory}/${id}`;
        const session = { session_id: `${id}-${process.pid}`, transcript_path: '', cwd };
        await run(id, { ...session, hook_event_name: event, ...fields });
      }
    }),
  );
}
