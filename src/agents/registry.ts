import type { DialectName } from '../core/hook-event.ts';
import claude from './claude.ts';
import codex from './codex.ts';
import copilot from './copilot.ts';
import cursor from './cursor.ts';
import droid from './droid.ts';
import gemini from './gemini.ts';
import generic from './generic.ts';
import opencode from './opencode.ts';
import qwen from './qwen.ts';
import type { Dialect } from './support/dialect.ts';

/** The dialect of each agent. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  droid,
  claude,
  codex,
  gemini,
  qwen,
  cursor,
  copilot,
  opencode,
  unknown: generic,
};
