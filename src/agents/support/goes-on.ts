/* What goes on after the end of a turn: work in the background, and times at which the session wakes itself. */

import { promptMark, type WakeUp } from '../../core/hook-event.ts';
import { isJsonObject } from '../../platform/json.ts';

const MOST_TEXT = 1_024;
/** With more, the next time is unknown. */
const MOST_CRONS = 50;

/** The wake-ups in the `session_crons` of Claude Code: `{ id, schedule, recurring, prompt }`. */
export function wakesIn(crons: readonly unknown[]): readonly WakeUp[] {
  return crons.length > MOST_CRONS ? [{ cron: '', prompt: null }] : crons.map(wakeOf);
}

/** Claude Code ends a prompt of more than 1000 characters with how many it left out. */
const cutPrompt = /… \[\+\d+ chars\]$/;

function wakeOf(cron: unknown): WakeUp {
  const { schedule, prompt } = isJsonObject(cron) ? cron : {};
  const isWhole = typeof prompt === 'string' && prompt.trim() !== '' && !cutPrompt.test(prompt);
  return {
    cron: typeof schedule === 'string' ? schedule.slice(0, MOST_TEXT) : '',
    prompt: isWhole ? promptMark(prompt) : null,
  };
}

/** Qwen Code keeps background tasks that are over in its list. */
export function isUnderWay(task: unknown): boolean {
  const status = isJsonObject(task) ? task['status'] : undefined;
  return status !== 'completed' && status !== 'failed' && status !== 'cancelled';
}
