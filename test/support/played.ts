import type { HookFacts } from '../../src/core/facts.ts';
import type { DialectName } from '../../src/core/hook-event.ts';
import type { Policy } from '../../src/core/policy.ts';
import { decodedEvent } from './decoded.ts';
import { samplePolicy } from './decisions.ts';
import type { Timeline } from './timeline.ts';
import { timeline } from './timeline.ts';

/** An agent's event after `seconds`: its name and further fields. */
export type Sent = readonly [seconds: number, event: string, fields?: object, facts?: HookFacts];

export interface Row {
  readonly name: string;
  readonly agent: DialectName;
  readonly sent: readonly Sent[];
  /** When the pop-ups came, s. */
  readonly rings: readonly number[];
  /** Alerts that are open at the end. */
  readonly open?: number;
}

/** Hands payloads to the decisions as an agent sends them: decoded, in one session, on a simulated clock. */
export async function played(
  { agent, sent }: Pick<Row, 'agent' | 'sent'>,
  policy: Policy = samplePolicy,
): Promise<Timeline> {
  const line = await timeline(policy);
  for (const [seconds, event, fields = {}, facts = {}] of sent) {
    const base = {
      session_id: 's',
      cwd: '/home/dev/shop',
      hook_event_name: event,
      // Other agents run its hooks: where its transcript is proves that it is the one.
      ...(agent === 'claude' && { transcript_path: '/home/dev/.claude/projects/shop/s.jsonl' }),
    };
    await line.at(seconds, decodedEvent({ ...base, ...fields }, { agent, ...facts }));
  }
  return line;
}
