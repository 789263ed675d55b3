/*
 * The vocabulary that all rooms share, and the ports by which they meet: types, and the little that follows from a type
 * alone. SQL, networks, and what only one agent, channel or service knows never enter.
 */
import { sha256 } from '../platform/crypto.ts';
import type { Asked } from './asked.ts';
import type { CallerWishes } from './hand-made.ts';
import type { HookFacts } from './facts.ts';
import type { Owner } from './hub/directory.ts';

/**
 * The agents hookbell has a dialect for, as people call them within a sentence; `unknown` is an event without evidence of its
 * sender. Those that were run with hookbell come first.
 */
const dialectLabels = {
  droid: 'droid',
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  qwen: 'Qwen Code',
  copilot: 'Copilot CLI',
  opencode: 'OpenCode',
  kimi: 'Kimi Code',
  pi: 'Pi',
  cline: 'Cline',
  kilo: 'Kilo',
  cursor: 'Cursor',
  qoder: 'Qoder',
  auggie: 'Auggie',
  letta: 'Letta Code',
  grok: 'Grok Build',
  vscode: "VS Code's agent",
  amp: 'Amp',
  kiro: 'Kiro',
  crush: 'Crush',
  program: 'a program',
  unknown: 'an agent',
} as const;
export type DialectName = keyof typeof dialectLabels;
export const dialectNames = namesOf(dialectLabels);

/** `service`: not an agent, but a finding without a hook (source-event.ts). */
export const agentLabels = { ...dialectLabels, service: 'the service' } as const;
export type AgentName = keyof typeof agentLabels;
export const agentNames = namesOf(agentLabels);

function namesOf<Name extends string>(labels: Readonly<Record<Name, string>>): readonly Name[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Object.keys` forgets them
  return Object.keys(labels) as Name[];
}

/**
 * The meaning of an event, independent of the agent's name for it. `message`: an agent, or a plugin of it, tells the
 * person something and goes on, so nothing answers it. `activity` is any other or unknown event. Four have no session:
 * `notice`, something at the vendor's service needs attention; `notice.over`, it no longer does; `digest`, a report;
 * `test`, a test of the way from the hook to the channel, which bypasses routes and plans.
 */
export const kinds = [
  'session.start',
  'session.end',
  'prompt',
  'tool.done',
  'turn.done',
  'turn.failed',
  'turn.interrupted',
  'needs.permission',
  'needs.input',
  'subagent.done',
  'message',
  'activity',
  'notice',
  'notice.over',
  'digest',
  'test',
] as const;
export type Kind = (typeof kinds)[number];

/** What routes, plans and templates can name. */
export const routedKinds = kinds.filter((kind) => kind !== 'test');

/** Every string is the agent's own text: pass it through `displayText` before showing it. */
export interface HookEvent {
  /** The envelope's name: globally unique, and the key for idempotent intake. */
  readonly id: string;
  /** Null: this machine. Elsewhere, processes, terminals and paths must not be looked up here. */
  readonly machine: string | null;
  /** Whose machine it is, as a hub knows; absent: no person is known. Never from the payload, and not stored. */
  readonly owner?: Owner;
  /** When the hook ran, Unix ms; never later than `receivedAt`. */
  readonly at: number;
  /** When this daemon received it, Unix ms. */
  readonly receivedAt: number;
  readonly agent: AgentName;
  /** `agent` is a guess by the environment: its traits do not apply; not stored. */
  readonly isUnproved?: true;
  /** The agent's own name of the event, such as "Notification". */
  readonly event: string;
  readonly kind: Kind;
  /** Identifies the session across all agents: see `sessionKeyOf`. */
  readonly sessionKey: string;
  readonly sessionId: string | null;
  readonly cwd: string | null;
  /** Last part of `cwd`, for people. */
  readonly project: string | null;
  /** The notable text of the event; null: show a default text. */
  readonly message: string | null;
  /** The agent's name of the tool; of a subagent that ended, its kind, such as "code-reviewer". */
  readonly tool: string | null;
  readonly asked: Asked | null;
  /** File changes of a finished tool, if the agent reports them; stored with the session. */
  readonly changes?: readonly FileChange[];
  /** Duration of a finished tool, ms, if the agent reports it; not stored. */
  readonly toolMs?: number;
  /** The tool call and subagent that it is about; not stored. */
  readonly call?: CallMark;
  /** Whether the agent took the answer that hookbell sent for this request, if it reports that; not stored. */
  readonly tookAnswer?: boolean;
  /** The hook that waits for an answer to it; not stored. */
  readonly waits?: WaitingHook;
  readonly wishes?: CallerWishes;
  /** Whether it may be of a thread that works for the session of its directory: see `Memory.sibling`; not stored. */
  readonly mayHelp?: true;
  /** Why a session ended, or the type of failure; the agent's own value. */
  readonly reason: string | null;
  readonly failed: boolean;
  /** The agent's own type of a notification, such as "idle_prompt". */
  readonly notificationType: string | null;
  /** True for a notification whose type hookbell does not know, so that it is taken for a wait; not stored. */
  readonly isUnknownType?: true;
  readonly permissionMode: string | null;
  readonly subagent: boolean;
  /** False for a headless run, true for an interactive one, null if the agent does not report it. */
  readonly attended: boolean | null;
  /** How a session began: "startup", "resume", "clear", "compact". */
  readonly source: string | null;
  /** Further words about a failure than the message: only to recognise a usage limit, and not stored. */
  readonly failure?: string;
  readonly title: string | null;
  readonly transcriptPath: string | null;
  /** True for a Stop with background work: the turn pauses, it is not done. */
  readonly backgroundWork: boolean;
  /** True for a prompt that reports a finished background task: the turn that started it goes on; not stored. */
  readonly reportsTask?: true;
  /** When and with which prompts the session wakes itself after this turn, which pauses it; never empty, and not stored. */
  readonly wakes?: readonly WakeUp[];
  /** True for a prompt with which the session woke itself; not stored. */
  readonly wokeItself?: true;
  /** What the event is about (tool and input, or text): two prompts with the same subject are the same prompt. */
  readonly subject: string | null;
  /** Identifies duplicates of one event from two registrations of the hook. */
  readonly duplicate: DuplicateKey;
  readonly facts: HookFacts;
}

/** A prompt that a session has set for itself. */
export interface WakeUp {
  /** A cron expression, in the time zone of the machine; "" if it cannot be read. */
  readonly cron: string;
  /** Identifies the prompt, see `promptMark`; null: it is unknown, or cut. */
  readonly prompt: string | null;
}

/** Identifies the text of a prompt without holding it. */
export function promptMark(text: string): string {
  return sha256(text.trim()).slice(0, 16);
}

/** A hook that waits for the answer to its request: see `hooks/hookbell-ask`. */
export interface WaitingHook {
  /** The name of its FIFO. It is not stored: until the daemon opens the FIFO, its name is enough to answer. */
  readonly fifo: string;
  readonly pid: number;
  /** When that process started, in clock ticks since the boot; null where the system does not say. */
  readonly start: string | null;
  /** Identifies the whole request as the hook received it: `requestHash` in `agents/support/request.ts`. */
  readonly requestHash: string;
  readonly forMs?: number;
}

/** The tool call that an event is about, to recognise it again in later events. */
export interface CallMark {
  /** The subagent that made the call; null: the main conversation. */
  readonly agentId: string | null;
  readonly tool: string | null;
  /** Hash of tool and input; null if the event names no tool. */
  readonly hash: string | null;
}

/**
 * Key that copies of one event share.
 *
 * With `windowMs` null the agent's own ids make the key, and it always means the same event. Otherwise the key is made
 * of the content, and means the same event only within `windowMs`, and only while the session did nothing else: an
 * event in between proves that the second one is new, such as a question that is asked again after its answer. Copies
 * by two registrations of one hook may be overtaken by the next event, so within `REGISTRATION_JITTER_MS` nothing
 * proves that.
 */
export interface DuplicateKey {
  readonly key: string;
  readonly windowMs: number | null;
}

/** Two registrations of a hook submit an event within this time of each other, ms. No person answers faster. */
export const REGISTRATION_JITTER_MS = 250;

/** A hook event with its original bytes, as the hook received them. */
export interface HookRecord {
  readonly event: HookEvent;
  readonly payload: Uint8Array;
}

/** Without an id the directory is used, so that events of one place still belong together. */
export function sessionKeyOf(
  agent: AgentName,
  sessionId: string | null,
  cwd: string | null,
): string {
  return sessionId === null ? `${agent}:at:${cwd ?? ''}` : `${agent}:${sessionId}`;
}

/** The key of a session of a paired machine: no key of this machine has a slash before its first colon. */
export function relayedKey(machine: string, sessionKey: string): string {
  return `${machine}/${sessionKey}`;
}

/** Kinds that mean "a person has to act". */
export const waitingKinds = ['needs.permission', 'needs.input'] as const satisfies readonly Kind[];

export function isWaiting(kind: Kind): boolean {
  return waitingKinds.some((one) => one === kind);
}

export interface FileChange {
  /** Relative to the session's directory if below it; the agent's own text. */
  readonly path: string;
  /** Lines; null if the tool does not report them. */
  readonly added: number | null;
  readonly removed: number | null;
}

const MOST_FILES = 200;
const MOST_NAMED = 3;

/** Merges changes into those of a turn: one entry per file, in the order of the first change. */
export function withChanges(
  before: readonly FileChange[],
  more: readonly FileChange[],
): readonly FileChange[] {
  if (more.length === 0) return before;
  const byPath = new Map(before.map((change) => [change.path, change]));
  for (const change of more) {
    const earlier = byPath.get(change.path);
    if (earlier === undefined && byPath.size >= MOST_FILES) continue;
    byPath.set(change.path, earlier === undefined ? change : sumOf(earlier, change));
  }
  return [...byPath.values()];
}

function sumOf(a: FileChange, b: FileChange): FileChange {
  return {
    path: a.path,
    added: knownSum(a.added, b.added),
    removed: knownSum(a.removed, b.removed),
  };
}

function knownSum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

/** "src/cart.ts +12 −3" */
export function fileChangeText({ path, added, removed }: FileChange): string {
  const counts = [added === null ? [] : `+${added}`, removed === null ? [] : `−${removed}`];
  return [path, ...counts.flat()].join(' ');
}

/** "2 files changed: src/cart.ts +12 −3, src/till.ts +1 −0"; null for none. Changes made by commands are unknown. */
export function changesText(changes: readonly FileChange[]): string | null {
  if (changes.length === 0) return null;
  const named = changes.slice(0, MOST_NAMED).map(fileChangeText).join(', ');
  const left = changes.length - MOST_NAMED;
  const files = `${changes.length} ${changes.length === 1 ? 'file' : 'files'} changed`;
  return `${files}: ${named}${left > 0 ? ` and ${left} more` : ''}`;
}
