/**
 * What a few agents' hooks hand over in a day, as payloads: sessions of twenty events, mostly tool calls, each with one
 * question and two ends of turns. Four sessions run side by side.
 */
export function* workday(events: number): Generator<object> {
  for (let index = 0; index < events; index += 1) {
    const lane = index % SIDE_BY_SIDE;
    const turn = Math.floor(index / SIDE_BY_SIDE);
    const session = `session-${Math.floor(turn / script.length)}-${lane}`;
    yield {
      session_id: session,
      transcript_path: `/home/dev/.claude/projects/shop/${session}.jsonl`,
      cwd: `/home/dev/shop-${lane}`,
      permission_mode: 'default',
      ...script[turn % script.length]?.(index),
    };
  }
}

const SIDE_BY_SIDE = 4;

const tool = (index: number): object => ({
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_input: { command: `npm test -- --shard ${index}`, description: 'Runs the tests' },
  tool_response: { stdout: 'ok '.repeat(100), stderr: '', interrupted: false },
  tool_use_id: `toolu_${index}`,
});
const prompt = (index: number): object => ({
  hook_event_name: 'UserPromptSubmit',
  prompt: `Make the parser keep the order of the keys, and test it (${index})`,
});
const stop = (index: number): object => ({
  hook_event_name: 'Stop',
  stop_hook_active: false,
  last_assistant_message: `All tests pass; the parser now keeps the order of the keys (${index}).`,
});
const question = (index: number): object => ({
  hook_event_name: 'Notification',
  notification_type: 'permission_prompt',
  message: `Claude needs your permission to use Bash (${index})`,
});

/** One session. */
const script: readonly ((index: number) => object)[] = [
  () => ({ hook_event_name: 'SessionStart', source: 'startup' }),
  prompt,
  ...Array.from({ length: 6 }, () => tool),
  question,
  tool,
  stop,
  prompt,
  ...Array.from({ length: 6 }, () => tool),
  stop,
  () => ({ hook_event_name: 'SessionEnd', reason: 'exit' }),
];
