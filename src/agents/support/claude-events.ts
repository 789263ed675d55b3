import type { Reading } from './dialect.ts';
import {
  elicitation,
  notification,
  permissionRequest,
  prompt,
  sessionEnd,
  sessionStart,
  subagentStop,
  toolDone,
  toolFailure,
  turnEnd,
  turnFailure,
} from './readings.ts';

/** The events Claude Code coined; droid, Codex, Qwen and Copilot speak them, too. */
export const claudeEvents: Readonly<Record<string, Reading>> = {
  sessionstart: sessionStart,
  sessionend: sessionEnd,
  userpromptsubmit: prompt,
  posttooluse: toolDone,
  posttoolusefailure: toolFailure,
  stop: turnEnd,
  stopfailure: turnFailure,
  permissionrequest: permissionRequest,
  notification,
  elicitation,
  subagentstop: subagentStop,
};
