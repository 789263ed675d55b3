import type { RecordedQuestionView } from '../../../src/control/contract-views.ts';

/** A request that a hook sent, with all that became of it. */
export interface AskedQuestion {
  readonly id: string;
  /** What a person decided; null: no person did. */
  readonly choice: 'allow' | 'deny' | null;
  /** The daemon's response to that person; null: it gave none, or was not asked. */
  readonly accepted: boolean | null;
  /** Everything that the hook printed. */
  readonly printed: string;
  /** Its exit code; null: it was killed. */
  readonly code: number | null;
  /** Whether one daemon lived from the request to the end of the turn. */
  readonly isUndisturbed: boolean;
}

/**
 * Compares what hooks said to their agents with what people decided and what the daemon recorded: at most one decision for each
 * question, never one without a person, and an answer that won is confirmed or reported as lost.
 *
 * @returns what is wrong, in words; nothing when all is well
 */
export function judgeQuestions(
  asked: readonly AskedQuestion[],
  recorded: readonly RecordedQuestionView[],
): readonly string[] {
  return asked.flatMap((question) => {
    const rows = recorded.filter(({ id }) => id === question.id);
    const [row] = rows;
    if (row === undefined || rows.length > 1)
      return [`${question.id} is recorded ${rows.length} times`];
    return [...decisionFaults(question), ...recordFaults(question, row)].map(
      (fault) => `${question.id} ${fault} (${row.state}: ${row.outcome})`,
    );
  });
}

function decisionFaults({ choice, accepted, printed, code }: AskedQuestion): readonly string[] {
  if (code !== 0 && code !== null) return [`ended with ${code}`];
  if (printed === '') {
    return accepted === true && code === 0 ? ['was accepted, and its hook said nothing'] : [];
  }
  const behavior = behaviorIn(printed);
  if (behavior === null) return [`printed something else than one decision: ${printed}`];
  if (choice === null) return ['was decided without a person'];
  if (accepted === false) return ['was refused, and reached the agent nevertheless'];
  return behavior === choice ? [] : [`was decided as "${behavior}" instead of "${choice}"`];
}

function recordFaults(
  { choice, printed, accepted, code, isUndisturbed }: AskedQuestion,
  { state, outcome }: RecordedQuestionView,
): readonly string[] {
  if (state === 'held') return ['is open still'];
  if (choice === null && state !== 'released') return ['is recorded as decided'];
  if (printed !== '' && state === 'released') return ['was decided, and is not recorded as that'];
  if (printed === '' && state === 'confirmed') return ['is confirmed, and its hook said nothing'];
  // A hook that is killed as soon as it printed cannot note that it did; a call that ran shows it nevertheless.
  const isShown = code === 0 || choice === 'allow';
  if (printed !== '' && isShown && isUndisturbed && state !== 'confirmed') {
    return ['is not confirmed'];
  }
  const isReported = state !== 'released' || outcome !== '';
  return accepted === true && !isReported ? ['was lost without a reason'] : [];
}

/** Null unless it is one line with one decision. */
function behaviorIn(printed: string): string | null {
  const [line = '', ...others] = printed.trimEnd().split('\n');
  if (others.length > 0) return null;
  return (
    /^\{"hookSpecificOutput":\{"hookEventName":"PermissionRequest","decision":\{"behavior":"(allow|deny)"/.exec(
      line,
    )?.[1] ?? null
  );
}
