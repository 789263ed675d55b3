import type { DialectName, Kind } from '../../src/core/hook-event.ts';

/** What an agent asks on its screen. */
export type Asking = 'permission' | 'question' | 'plan';

/** What a person presses, by its meaning: `keys` in agents.ts has the keys of each agent. */
export type Key = 'yes' | 'no' | 'answer' | 'approve' | 'escape' | 'interrupt';

/** A command of the agent; `planning` and `asking` switch to a mode in which the agent does that. */
export type Command = 'clear' | 'exit' | 'planning' | 'asking';

/**
 * One step of a row. Each waits until it has happened, for a minute; then the row counts as stuck, with the screen as the
 * reason. Steps act on the first terminal, in the project "shop".
 */
export type Step =
  // What the person does.
  /** Starts the agent in its terminal, and answers what it asks at its start. */
  | readonly ['start']
  /** Starts it with the agent's last session. */
  | readonly ['resume']
  /** Types a prompt and sends it; done when the model was asked about it. */
  | readonly ['type', prompt: string]
  | readonly ['command', Command]
  | readonly ['press', Key]
  /** Runs the agent headless with a prompt, to its end. */
  | readonly ['run', prompt: string]
  /** Ends the agent with SIGKILL, as a crash would. */
  | readonly ['kill']
  /** Takes these steps in a second terminal, in the project "depot", while the first one stays as it is. */
  | readonly ['beside', readonly Step[]]
  // What is waited for.
  /** The screen shows these words; some agents show others. */
  | readonly ['see', string, Partial<Record<DialectName, string>>?]
  /** The screen shows the agent's question and takes keys. */
  | readonly ['asked', Asking]
  /** One more event of this kind has come in from a hook; the second step in a row waits for the second such event. */
  | readonly ['event', Kind]
  /** The person was notified once more; where fewer notifications are expected, it does not wait. Some come after minutes. */
  | readonly ['ring', withinMs?: number]
  /** No request is open. */
  | readonly ['answered']
  /** A file exists in the project. */
  | readonly ['file', path: string]
  /** One more request about this prompt has reached the model, such as the one with a tool's result; `type` waits for the first. */
  | readonly ['model', prompt: string]
  /** The agent has ended. */
  | readonly ['gone']
  /** This time has passed, ms: it makes a turn a long one. */
  | readonly ['wait', number];
