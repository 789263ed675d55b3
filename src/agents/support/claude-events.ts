import type { Reading } from './dialect.ts';
import {
  always,
  elicitation,
  notification,
  permissionRequest,
  prompt,
  sessionEnd,
  subagentStop,
  toolFailure,
  turnEnd,
  turnFailure,
} from './readings.ts';

/** The events Claude Code coined; droid, Codex, Qwen and Copilot speak them, too. */
export const claudeEvents: Readonly<Record<string, Reading>> = {
  sessionstart: always('session.start'),
  sessionend: sessionEnd,
  userpromptsubmit: prompt,
  posttooluse: always('tool.done'),
  posttoolusefailure: toolFailure,
  stop: turnEnd,
  stopfailure: turnFailure,
  permissionrequest: permissionRequest,
  notification,
  elicitation,
  subagentstop: subagentStop,
};
