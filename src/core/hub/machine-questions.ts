import type { HookRecord } from '../hook-event.ts';
import type { OfferedAnswer, Question } from '../question.ts';
import type { AuditEntry } from './audit.ts';
import type { MachineQuestion } from './mirror-question.ts';

/** What a machine says about the requests that it holds. */
export interface MachineReport {
  readonly machine: string;
  /** Every open request there, and those that ended lately; null: as reported before. */
  readonly questions: readonly MachineQuestion[] | null;
  /** When they were listed, Unix ms by the clock there. */
  readonly at: number;
  readonly outcomes: readonly {
    readonly question: string;
    readonly answer: string;
    /** Null: the agent got it. */
    readonly refusal: string | null;
  }[];
}

export interface TakenReport {
  /** Reported requests whose events are not there yet. */
  readonly missing: readonly string[];
  /** As they are now: those that the report has changed, and those that it said are over. */
  readonly over: readonly Question[];
}

/** An answer on its way to a machine. Stored only until the machine reports the outcome. */
export interface AnswerUnderWay extends OfferedAnswer {
  readonly question: string;
  /** Distinguishes it from an earlier answer to the same question. */
  readonly answer: string;
}

export interface OpenMachineQuestion {
  readonly machine: string;
  readonly question: Question;
}

export type DecidedAnswer =
  | { readonly ok: true; readonly question: Question }
  | { readonly ok: false; readonly reason: string };

/**
 * Requests that machines of a hub hold, and the answers to them. All processes of the hub share them. Methods reject with
 * StoreError if the database cannot be used.
 */
export interface MachineQuestions {
  take(report: MachineReport): Promise<TakenReport>;
  /** Records an answer that `decide` accepts, to be sent: the first wins. Null: no such question. */
  give(
    answer: AnswerUnderWay,
    decide: (open: OpenMachineQuestion) => DecidedAnswer,
    entry: AuditEntry,
  ): Promise<DecidedAnswer | null>;
  refuse(entry: AuditEntry): Promise<void>;
  /** Whether an answer to this question is on its way to its machine. */
  isUnderWay(id: string): Promise<boolean>;
  /** Returns the answers for a machine whose outcome is not known, oldest first; they count as fetched from now on. */
  handOver(machine: string): Promise<readonly AnswerUnderWay[]>;
  /** Machines with answers that were not handed over yet. */
  expecting(): Promise<readonly string[]>;
  /** Questions whose end is unknown, oldest first. */
  open(): Promise<readonly OpenMachineQuestion[]>;
  find(id: string): Promise<Question | null>;
  /** The events of questions, with their payloads. */
  records(ids: readonly string[]): Promise<readonly HookRecord[]>;
  /** Takes answers back that no machine has fetched for `waitMs`, and closes questions whose deadline is long over. */
  expire(waitMs: number): Promise<void>;
}
