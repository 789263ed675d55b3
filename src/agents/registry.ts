/*
 * Everything that is particular to one agent, below its name: what it sends, how it is registered, how it differs.
 * Another room that asks "which agent is this?" is a mistake. Decisions, stores and channels never enter.
 */
import type { AgentProcesses, TraitsOf } from '../core/agent/agent-traits.ts';
import type { DialectName } from '../core/hook-event.ts';
import amp from './amp/index.ts';
import auggie from './auggie/index.ts';
import claude from './claude/index.ts';
import cline from './cline/index.ts';
import codex from './codex/index.ts';
import copilot from './copilot/index.ts';
import crush from './crush/index.ts';
import cursor from './cursor/index.ts';
import droid from './droid/index.ts';
import gemini from './gemini/index.ts';
import generic from './unknown.ts';
import grok from './grok/index.ts';
import kilo from './kilo/index.ts';
import kimi from './kimi/index.ts';
import kiro from './kiro/index.ts';
import letta from './letta/index.ts';
import opencode from './opencode/index.ts';
import pi from './pi/index.ts';
import program from './program.ts';
import qoder from './qoder/index.ts';
import qwen from './qwen/index.ts';
import type { Dialect } from './support/dialect.ts';
import vscode from './vscode/index.ts';

/** The dialect of each agent. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  droid,
  claude,
  codex,
  gemini,
  qwen,
  copilot,
  opencode,
  kimi,
  pi,
  cline,
  kilo,
  grok,
  cursor,
  qoder,
  auggie,
  letta,
  vscode,
  kiro,
  amp,
  crush,
  program,
  unknown: generic,
};

/** The traits of each agent; the vendor's service has none. */
export const traitsOf: TraitsOf = (agent) => (agent === 'service' ? {} : dialects[agent].traits);

/** The variables that agents set for the commands they run. */
export const agentVariables: readonly string[] = [
  'AI_AGENT',
  ...Object.values(dialects).flatMap(({ traits }: Dialect) => traits.processes?.variables ?? []),
];

/** How to recognize processes that agents run. */
export const agentProcesses: readonly AgentProcesses[] = Object.values(dialects).flatMap(
  ({ traits }: Dialect) => traits.processes ?? [],
);
