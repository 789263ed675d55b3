import type { ToolCall } from './protocols.ts';
import { LOADER } from './protocols.ts';

/** What the model does next in a turn. A tool is called by what it is for: each agent calls it otherwise. */
export type Move =
  | { readonly say: string; readonly afterMs?: number }
  | { readonly run: string }
  | { readonly read: string }
  /** Calls tools in one reply. The script goes on as many steps later. */
  | { readonly together: readonly Move[] }
  | { readonly ask: string; readonly several?: true }
  | { readonly plan: string }
  /** Writes the file in which Claude Code keeps the plan; it names it to the model. */
  | { readonly writePlan: string }
  /** Hands a prompt to a subagent; `as`: to the one with this name, which only Claude Code has here. */
  | { readonly agent: string; readonly as?: string }
  /** Calls the tool with this name, of an agent that has it. */
  | { readonly call: string; readonly input?: ToolCall['input'] }
  /** Refuses the request with this HTTP status: always, or the first time only. */
  | { readonly fail: number; readonly once?: boolean; readonly saying?: string | (() => string) };

/** What the model does about each prompt: one step a request, then it says "Done". */
export type Scripts = Readonly<Record<string, readonly Move[]>>;

type Input = (
  text: string,
  several: boolean | undefined,
  offered: readonly string[],
) => ToolCall['input'];

/** What each agent calls the tool for something, and what it takes; the first that the request offers is called. */
const tools: Readonly<
  Record<'run' | 'read' | 'ask' | 'plan' | 'agent', Readonly<Record<string, Input>>>
> = {
  run: {
    Bash: (command) => ({ command, description: 'Touch a file' }),
    exec_command: (cmd) => ({
      cmd,
      sandbox_permissions: 'require_escalated',
      justification: 'May I change a file?',
    }),
    shell: (command) => ({ command: ['sh', '-c', command] }),
    run_shell_command: (command) => ({
      command,
      description: 'Touch a file',
      is_background: false,
    }),
    bash: (command) => ({ command, description: 'Touch a file' }),
    run_commands: (command) => ({ commands: [command] }),
    Execute: (command) => ({
      command,
      summary: 'Touch a file',
      riskLevel: 'medium',
      riskLevelReason: 'It writes a file',
    }),
    // Grok Build asks before some commands only, chmod among them.
    run_terminal_command: (command) => ({
      command: `chmod 700 . && ${command}`,
      description: 'Touch a file',
    }),
  },
  read: {
    Read: (file_path) => ({ file_path }),
    read_file: (target_file) => ({ target_file }),
  },
  ask: {
    AskUserQuestion: (question, several) => ({ questions: [asked(question, several)] }),
    ask_user_question: (question) => ({ questions: [asked(question)] }),
    request_user_input: (question) => ({ questions: [{ id: 'q1', ...asked(question) }] }),
    question: (question) => ({ questions: [asked(question)] }),
    ask_question: (question) => ({ question, options: ['SQLite', 'Postgres'] }),
    ask_user: (question) => ({
      question,
      questions: [{ type: 'choice', ...asked(question) }],
      choices: ['SQLite', 'Postgres'],
      message: question,
      requestedSchema: {
        type: 'object',
        properties: { database: { type: 'string', enum: ['SQLite', 'Postgres'] } },
        required: ['database'],
      },
    }),
    AskUser: (question) => ({
      questionnaire: `1. [question] ${question}\n[topic] Database\n[option] SQLite\n[option] Postgres`,
    }),
  },
  plan: {
    ExitPlanMode: (plan) => ({ plan }),
    exit_plan_mode: (plan) => ({
      plan,
      plan_filename: 'plan.md',
      summary: plan,
      actions: ['interactive'],
      recommendedAction: 'interactive',
    }),
    ExitSpecMode: (plan) => ({ plan, title: 'Plan' }),
  },
  agent: {
    Agent: (prompt, _several, offered) => ({
      description: 'Look into it',
      prompt,
      // Kimi Code calls it otherwise.
      subagent_type: offered.includes('AgentSwarm') ? 'coder' : 'general-purpose',
    }),
    Task: (prompt) => ({ description: 'Look into it', prompt, subagent_type: 'worker' }),
    agent: (prompt) => ({ description: 'Look into it', prompt, subagent_type: 'general-purpose' }),
    task: (prompt) => ({
      name: 'look',
      description: 'Look into it',
      prompt,
      subagent_type: 'general',
      agent_type: 'general-purpose',
      mode: 'sync',
    }),
    invoke_agent: (prompt) => ({ agent_name: 'generalist', prompt }),
    'multi_agent_v1.spawn_agent': (message) => ({ message }),
    spawn_agent: (task) => ({ systemPrompt: 'You look into it', task }),
    spawn_subagent: (prompt) => ({ description: 'Look into it', prompt, background: false }),
  },
};

/** Kimi Code refuses what it does not know. */
function asked(question: string, several = false) {
  const options = ['SQLite', 'Postgres'].map((label) => ({ label, description: `Use ${label}` }));
  return { question, header: 'Database', options, ...(several && { multiSelect: true }) };
}

/** The call for a step among the tools an agent offers; null where it has none for that. */
export function toolCall(step: Move, offered: readonly string[]): ToolCall | null {
  if ('call' in step) {
    return offered.includes(step.call)
      ? { name: step.call, input: step.input ?? {} }
      : loading(step.call, offered);
  }
  for (const purpose of ['run', 'read', 'ask', 'plan', 'agent'] as const) {
    const words =
      purpose in step ? Object.entries(step).find(([key]) => key === purpose)?.[1] : undefined;
    if (typeof words !== 'string') continue;
    const name = Object.keys(tools[purpose]).find((known) => offered.includes(known));
    const input = name === undefined ? undefined : tools[purpose][name];
    if (name !== undefined && input !== undefined) {
      const made = input(words, 'several' in step && step.several, offered);
      return { name, input: 'as' in step ? { ...made, subagent_type: step.as } : made };
    }
    return loading(Object.keys(tools[purpose])[0] ?? '', offered);
  }
  return null;
}

/** The call that makes an agent offer a tool the next time; null where it has all that there is. */
function loading(name: string, offered: readonly string[]): ToolCall | null {
  return offered.includes(LOADER) ? { name: LOADER, input: { query: `select:${name}` } } : null;
}
