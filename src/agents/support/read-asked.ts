import { type Asked, type AskedQuestion, MAX_ASKED, MAX_LABEL } from '../../core/asked.ts';
import type { FileChange } from '../../core/hook-event.ts';
import { countOf } from '../../text/count.ts';
import { cutMiddle } from '../../text/sanitize.ts';
import { cutLines, diffOf, editSummary, editsOf } from './edits.ts';
import { commandOf, parsedInput, filePathOf, ToolInput } from './tool-input.ts';

/** Tools of all agents by what they do, in lower case (their documentation, and payloads in `test/fixtures`). */
const actionTools: readonly (readonly [Asked['action'], ...tools: string[]])[] = [
  ['run', 'bash', 'run_commands', 'execute', 'exec_command', 'local_shell', 'powershell', 'shell'],
  ['run', 'run_shell_command', 'run_terminal_command'],
  ['edit', 'apply_patch', 'applypatch', 'edit', 'multiedit', 'notebookedit', 'replace'],
  ['edit', 'search_replace', 'str_replace_editor'],
  ['write', 'create', 'write', 'write_file'],
  ['read', 'read', 'read_file', 'view'],
  ['fetch', 'fetchurl', 'web_fetch', 'webfetch'],
  ['search', 'web_search', 'google_web_search', 'websearch'],
  ['plan', 'exitplanmode', 'exit_plan_mode', 'exitspecmode'],
  ['answer', 'askuserquestion', 'ask_user_question', 'askuser', 'ask_question'],
  ['answer', 'request_user_input'],
];
const toolActions: ReadonlyMap<string, Asked['action']> = new Map(
  actionTools.flatMap(([action, ...tools]) => tools.map((tool) => [tool, action] as const)),
);

/**
 * The action that a tool call asks a person to allow; null if the payload does not name a tool.
 *
 * @param tool the agent's own name of the tool
 * @param toolInput any JSON, or its text (Copilot)
 * @param cwd paths below it are shown relative to it
 */
export function askedOf(tool: string | null, toolInput: unknown, cwd: string | null): Asked | null {
  if (tool === null) return null;
  const raw = parsedInput(toolInput);
  const input = ToolInput.safeParse(raw).data ?? {};
  const action = toolActions.get(tool.toLowerCase()) ?? 'use';
  const text = textOf(action, input, cwd);
  if (text === null) {
    return { action: 'use', text: cutMiddle(otherTool(tool, raw), MAX_ASKED), options: [] };
  }
  const questions = action === 'answer' ? (input.questions ?? []).map(questionOf) : [];
  const [first, ...more] = questions;
  const diff = diffOf(action, input, cwd);
  return {
    action,
    text: cutMiddle(text, MAX_ASKED),
    options: more.length > 0 ? [] : (first?.options ?? []).map(({ label }) => label),
    ...(isDescribed(questions) && { questions }),
    ...(diff !== null && { diff: cutLines(diff) }),
  };
}

/** Whether more than the labels of one question's options is known. */
function isDescribed(questions: readonly AskedQuestion[]): boolean {
  return (
    questions.length > 1 ||
    questions.some(({ options }) => options.some(({ description }) => description !== null))
  );
}

/** Null if the input lacks the fields of such a tool. */
function textOf(action: Asked['action'], input: ToolInput, cwd: string | null): string | null {
  switch (action) {
    case 'run':
      return commandOf(input.command ?? input.cmd);
    case 'edit':
      return editSummary(input, cwd);
    case 'write': {
      const path = filePathOf(input, cwd);
      if (path === null || input.content === undefined) return path;
      return `${path} (${countOf(linesIn(input.content), 'line')})`;
    }
    case 'read':
      return filePathOf(input, cwd);
    case 'fetch':
      return input.url ?? input.prompt ?? null;
    case 'search':
      return input.query ?? null;
    case 'plan':
      return input.plan ?? 'ready for approval';
    case 'answer':
      return input.questions?.[0]?.question ?? input.question ?? null;
    case 'use':
      return input.host === undefined ? null : `network access to ${input.host}`;
  }
}

function questionOf({
  question,
  options = [],
}: NonNullable<ToolInput['questions']>[number]): AskedQuestion {
  return {
    text: cutMiddle(question, MAX_ASKED),
    options: options.map(({ label, description }) => ({
      label: cutMiddle(label, MAX_LABEL),
      description: description === null ? null : cutMiddle(description, MAX_LABEL),
    })),
  };
}

/** The changes of a finished call according to its input; empty for a tool that changes no file by itself. */
export function changesOf(
  tool: string | null,
  toolInput: unknown,
  cwd: string | null,
): readonly FileChange[] {
  const action = toolActions.get(tool?.toLowerCase() ?? '');
  if (action !== 'edit' && action !== 'write') return [];
  const input = ToolInput.safeParse(parsedInput(toolInput)).data ?? {};
  if (action === 'edit') return editsOf(input, cwd);
  const path = filePathOf(input, cwd);
  // The previous content of the file is unknown.
  return path === null ? [] : [{ path, added: null, removed: null }];
}

/** Arguments that best describe the action of an unknown tool. */
const telling = [
  'title',
  'name',
  'url',
  'path',
  'file_path',
  'query',
  'command',
  'message',
  'text',
];

/** "github: create_issue (title: Fix the cart)" for `mcp__github__create_issue`. */
function otherTool(tool: string, input: unknown): string {
  const mcp = /^mcp__(.+?)__(.+)$/.exec(tool);
  const name = mcp === null ? tool : `${mcp[1]}: ${mcp[2]}`;
  const fields =
    typeof input === 'object' && input !== null && !Array.isArray(input)
      ? Object.entries(input).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
        )
      : [];
  const main = fields.find(([key]) => telling.includes(key)) ?? fields[0];
  return main === undefined ? name : `${name} (${main[0]}: ${main[1]})`;
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}
