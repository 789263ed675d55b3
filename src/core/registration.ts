/** How an agent is told to run our hook. */
export interface Registration {
  /** The agent is taken for installed when one of these exists: paths below the home directory … */
  readonly evidence: readonly string[];
  /** … or one of these programs on PATH. */
  readonly programs: readonly string[];
  /**
   * Where its hooks are kept, below the home directory (or the project): the first that exists is used, otherwise the
   * last is made. The agents that read several of them run hooks of all, so exactly one is written.
   */
  readonly files: readonly HookFile[];
  readonly events: readonly RegisteredEvent[];
  /** What the person has to do before the agent notices, as a whole sentence. */
  readonly afterwards: string | null;
}

export interface HookFile {
  readonly path: string;
  /** `wrapped`: events stand under the key `hooks`, among other settings. `bare`: the file is the map of events. */
  readonly shape: 'wrapped' | 'bare';
}

export interface RegisteredEvent {
  readonly name: string;
  /** In seconds, the unit of every agent that has this shape of settings. */
  readonly timeoutSeconds: number;
}
