/** One event sent, by which it is found again in whatever became of it. */
export interface Claim {
  /** Unique, and part of the payload: "claim-s1-7". */
  readonly name: string;
  /** The session it is an event of; a driver sends those of one session one after the other. */
  readonly session: string;
  readonly number: number;
  /**
   * - `told`: it must arrive on every channel.
   * - `doomed`: the same, and the webhook will not take it.
   * - `nobody`: it must not arrive on any channel.
   */
  readonly wish: 'told' | 'doomed' | 'nobody';
}

export function claimNamed(session: string, number: number, wish: Claim['wish'] = 'told'): Claim {
  return { name: `claim-${session}-${number}`, session, number, wish };
}

const folders = { told: 'shop', doomed: 'doomed', nobody: 'nobody' } as const;

/** A payload whose bytes would change if they were parsed and written again. */
export function payloadOf({ name, session, wish }: Claim): string {
  return `\n{ "message":"${name}",\t"session_id" : "${session}", "hook_event_name":"Notification" ,
 "cwd": "/home/dev/${folders[wish]}", "x": [1.0e2, "\\u00e9\\/", "é 👍 \\ud83d"], "message":"${name}" }\r\n \n`;
}

/** The name of the claim that a text is about; null for one of none. */
export function claimIn(text: string): string | null {
  return /claim-\w+-\d+/.exec(text)?.[0] ?? null;
}
