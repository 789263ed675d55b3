import { z } from 'zod';

import { parseJson } from '../../platform/json.ts';
import { type Asked, type AskedQuestion, MAX_ASKED } from '../../core/asked.ts';
import type { FileChange } from '../../core/hook-event.ts';
import { fileChangeText, withChanges } from '../../core/hook-event.ts';
import { countOf } from '../../text/count.ts';
import { cutMiddle } from '../../text/sanitize.ts';

const Text = z.string().min(1);

/** Tools by what they do, in lower case, of all agents (their documentation, and payloads in `test/fixtures`). */
const toolActions: Readonly<Record<string, Asked['action']>> = {
  bash: 'run',
  execute: 'run',
  exec_command: 'run',
  local_shell: 'run',
  powershell: 'run',
  run_shell_command: 'run',
  shell: 'run',
  apply_patch: 'edit',
  applypatch: 'edit',
  edit: 'edit',
  multiedit: 'edit',
  notebookedit: 'edit',
  replace: 'edit',
  str_replace_editor: 'edit',
  create: 'write',
  write: 'write',
  write_file: 'write',
  read: 'read',
  read_file: 'read',
  view: 'read',
  fetchurl: 'fetch',
  web_fetch: 'fetch',
  webfetch: 'fetch',
  web_search: 'search',
  google_web_search: 'search',
  websearch: 'search',
  exitplanmode: 'plan',
  exit_plan_mode: 'plan',
  exitspecmode: 'plan',
  askuserquestion: 'answer',
  ask_user_question: 'answer',
  askuser: 'answer',
  request_user_input: 'answer',
};

const Input = z.object({
  command: z
    .union([Text, z.array(z.string()).min(1)])
    .optional()
    .catch(undefined),
  cmd: z
    .union([Text, z.array(z.string()).min(1)])
    .optional()
    .catch(undefined),
  file_path: Text.optional().catch(undefined),
  filePath: Text.optional().catch(undefined),
  notebook_path: Text.optional().catch(undefined),
  path: Text.optional().catch(undefined),
  url: Text.optional().catch(undefined),
  prompt: Text.optional().catch(undefined),
  query: Text.optional().catch(undefined),
  plan: Text.optional().catch(undefined),
  patch: Text.optional().catch(undefined),
  input: Text.optional().catch(undefined),
  question: Text.optional().catch(undefined),
  host: Text.optional().catch(undefined),
  content: z.string().optional().catch(undefined),
  old_string: z.string().optional().catch(undefined),
  new_string: z.string().optional().catch(undefined),
  // droid and Copilot CLI
  old_str: z.string().optional().catch(undefined),
  new_str: z.string().optional().catch(undefined),
  edits: z
    .array(z.object({ old_string: z.string(), new_string: z.string() }))
    .optional()
    .catch(undefined),
  questions: z
    .array(
      z.object({
        question: Text,
        options: z
          .array(
            z.union([
              Text.transform((label) => ({ label, description: null })),
              z.object({ label: Text, description: Text.nullable().catch(null).default(null) }),
            ]),
          )
          .optional()
          .catch(undefined),
      }),
    )
    .min(1)
    .optional()
    .catch(undefined),
});
type Input = z.output<typeof Input>;

/**
 * The action that a tool call asks a person to allow; null if the payload does not name a tool.
 *
 * @param tool the agent's own name of the tool
 * @param toolInput any JSON, or its text (Copilot)
 * @param cwd paths below it are shown relative to it
 */
export function askedOf(tool: string | null, toolInput: unknown, cwd: string | null): Asked | null {
  if (tool === null) return null;
  const raw = parsed(toolInput);
  const input = Input.safeParse(raw).data ?? {};
  const action = toolActions[tool.toLowerCase()] ?? 'use';
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

/** The form of an MCP server (`Elicitation` of Claude Code): its question, its fields, and what each offers. */
export function askedByServer(
  server: string | null,
  { message, url, schema }: { message: string | null; url: string | null; schema: unknown },
): Asked | null {
  if (server === null && message === null) return null;
  const { properties = {}, required = [] } = Form.safeParse(schema).data ?? {};
  const questions = Object.entries(properties)
    .slice(0, MOST_FIELDS)
    .map(([name, field]) => fieldOf(field, name, required.includes(name)));
  const sentence = [server, message].filter((part) => part !== null).join(': ');
  return {
    action: 'answer',
    text: cutMiddle([sentence, ...(url === null ? [] : [url])].join('\n'), MAX_ASKED),
    options: [],
    ...(questions.length > 0 && { questions }),
  };
}

const MOST_FIELDS = 20;

const FormField = z.object({
  title: Text.optional().catch(undefined),
  description: Text.optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  enum: z.array(z.string()).optional().catch(undefined),
  enumNames: z.array(z.string()).optional().catch(undefined),
  oneOf: z
    .array(z.object({ const: z.string(), title: Text.optional() }))
    .optional()
    .catch(undefined),
});

/** The part of a JSON Schema that the Model Context Protocol allows in a form: flat, with primitive fields. */
const Form = z.object({
  properties: z.record(z.string(), FormField.catch({})).optional().catch(undefined),
  required: z.array(z.string()).optional().catch(undefined),
});

function fieldOf(field: z.output<typeof FormField>, name: string, isRequired: boolean) {
  const about = field.description === undefined ? '' : `: ${field.description}`;
  const labels =
    field.oneOf?.map((one) => one.title ?? one.const) ??
    field.enum?.map((value, index) => field.enumNames?.[index] ?? value) ??
    (field.type === 'boolean' ? ['yes', 'no'] : []);
  return {
    text: cutMiddle(`${field.title ?? name}${isRequired ? '' : ' (optional)'}${about}`, MAX_LABEL),
    options: labels.map((label) => ({ label: cutMiddle(label, MAX_LABEL), description: null })),
  };
}

/** Null if the input lacks the fields of such a tool. */
function textOf(action: Asked['action'], input: Input, cwd: string | null): string | null {
  switch (action) {
    case 'run':
      return commandOf(input.command ?? input.cmd);
    case 'edit':
      return editOf(input, cwd);
    case 'write': {
      const path = pathOf(input, cwd);
      if (path === null || input.content === undefined) return path;
      return `${path} (${countOf(linesIn(input.content), 'line')})`;
    }
    case 'read':
      return pathOf(input, cwd);
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

function commandOf(command: string | readonly string[] | undefined): string | null {
  if (command === undefined || typeof command === 'string') return command ?? null;
  // Codex wraps a command line in its shell: ["bash", "-lc", "npm test"].
  const [shell = '', option = '', line] = command;
  const isWrapped = /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(option);
  return isWrapped && line !== undefined ? line : command.join(' ');
}

const MAX_LABEL = 1_000;

function questionOf({
  question,
  options = [],
}: NonNullable<Input['questions']>[number]): AskedQuestion {
  return {
    text: cutMiddle(question, MAX_ASKED),
    options: options.map(({ label, description }) => ({
      label: cutMiddle(label, MAX_LABEL),
      description: description === null ? null : cutMiddle(description, MAX_LABEL),
    })),
  };
}

function pathOf({ file_path, filePath, notebook_path, path }: Input, cwd: string | null) {
  const named = file_path ?? filePath ?? notebook_path ?? path ?? null;
  return named === null ? null : relative(named, cwd);
}

/** The changes of a finished call according to its input; empty for a tool that changes no file by itself. */
export function changesOf(
  tool: string | null,
  toolInput: unknown,
  cwd: string | null,
): readonly FileChange[] {
  const action = toolActions[tool?.toLowerCase() ?? ''];
  if (action !== 'edit' && action !== 'write') return [];
  const input = Input.safeParse(parsed(toolInput)).data ?? {};
  if (action === 'edit') return editsOf(input, cwd);
  const path = pathOf(input, cwd);
  // The previous content of the file is unknown.
  return path === null ? [] : [{ path, added: null, removed: null }];
}

function editOf(input: Input, cwd: string | null): string | null {
  const [first, ...rest] = editsOf(input, cwd);
  if (first === undefined) return null;
  if (rest.length === 0) return fileChangeText(first);
  const all = {
    path: '',
    added: sumOf([first, ...rest], 'added'),
    removed: sumOf([first, ...rest], 'removed'),
  };
  return `${first.path} and ${countOf(rest.length, 'more file')}${fileChangeText(all)}`;
}

function sumOf(changes: readonly FileChange[], side: 'added' | 'removed'): number {
  return changes.reduce((sum, change) => sum + (change[side] ?? 0), 0);
}

function editsOf(input: Input, cwd: string | null): readonly FileChange[] {
  const patch = patchIn(input);
  if (patch !== null) return patchOf(patch, cwd);
  const path = pathOf(input, cwd);
  if (path === null) return [];
  const edits = textEdits(input);
  if (edits.length === 0) return [{ path, added: null, removed: null }];
  const changes = edits.map((edit) => ({ path, ...changeOf(edit) }));
  return withChanges([], changes);
}

function patchIn(input: Input): string | null {
  const patch = input.patch ?? input.input ?? commandOf(input.command);
  return patch?.includes('*** Begin Patch') === true ? patch : null;
}

function textEdits({ old_string, old_str, new_string, new_str, edits = [] }: Input) {
  const before = old_string ?? old_str;
  const after = new_string ?? new_str;
  const single: readonly TextEdit[] =
    before === undefined && after === undefined
      ? []
      : [{ old_string: before ?? '', new_string: after ?? '' }];
  return [...single, ...edits];
}

interface TextEdit {
  readonly old_string: string;
  readonly new_string: string;
}

/** Lines that both sides begin and end with did not change. */
function compare({ old_string, new_string }: TextEdit) {
  const before = old_string === '' ? [] : old_string.split('\n');
  const after = new_string === '' ? [] : new_string.split('\n');
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { before, after, start, end };
}

function changeOf(edit: TextEdit) {
  const { before, after, start, end } = compare(edit);
  return { added: after.length - start - end, removed: before.length - start - end };
}

/** The lines of an edit as in a unified diff, of a new file as added ones; null if the input does not have them. */
function diffOf(action: Asked['action'], input: Input, cwd: string | null): string | null {
  if (action === 'write') {
    return input.content === undefined || input.content === ''
      ? null
      : marked('+', input.content.replace(/\n$/, '').split('\n')).join('\n');
  }
  if (action !== 'edit') return null;
  const patch = patchIn(input);
  if (patch !== null) return patchDiff(patch, cwd);
  const edits = textEdits(input);
  return edits.length === 0 ? null : edits.map(editDiff).join('\n@@\n');
}

/** Every line of both texts: what they share once, with a blank before it. */
export function editDiff(edit: TextEdit): string {
  const { before, after, start, end } = compare(edit);
  return [
    ...marked(' ', before.slice(0, start)),
    ...marked('-', before.slice(start, before.length - end)),
    ...marked('+', after.slice(start, after.length - end)),
    ...marked(' ', before.slice(before.length - end)),
  ].join('\n');
}

function marked(sign: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${sign}${line}`);
}

/** Of a single file without its name, which the request names. */
function patchDiff(patch: string, cwd: string | null): string {
  const isSingle = patchOf(patch, cwd).length < 2;
  return patch
    .split('\n')
    .flatMap((line) => {
      const path = PATCH_FILE.exec(line)?.[1];
      if (path !== undefined) return isSingle ? [] : [relative(path.trim(), cwd)];
      return /^\*\*\* (?:Begin|End) Patch/.test(line) ? [] : [line];
    })
    .join('\n')
    .replace(/^@@\n|\n+$/g, '');
}

/** Whole lines, as many as may be stored. */
function cutLines(text: string): string {
  if (text.length <= MAX_ASKED) return text;
  const kept = text
    .slice(0, MAX_ASKED - 40)
    .split('\n')
    .slice(0, -1);
  const left = text.split('\n').length - kept.length;
  return [...kept, `… ${countOf(left, 'more line')} …`].join('\n');
}

const PATCH_FILE = /^\*\*\* \w+ File: (.+)$/;

/** The format of Codex and droid: https://github.com/openai/codex/blob/main/codex-rs/apply-patch */
function patchOf(patch: string, cwd: string | null): readonly FileChange[] {
  const files: { path: string; added: number; removed: number }[] = [];
  for (const line of patch.split('\n')) {
    const path = PATCH_FILE.exec(line)?.[1];
    if (path !== undefined) files.push({ path: relative(path.trim(), cwd), added: 0, removed: 0 });
    const file = files.at(-1);
    if (file === undefined || line.startsWith('***')) continue;
    if (line.startsWith('+')) file.added += 1;
    if (line.startsWith('-')) file.removed += 1;
  }
  return files;
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

function parsed(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  const value = parseJson(input);
  return value === undefined ? { command: input } : value;
}

function relative(path: string, cwd: string | null): string {
  if (cwd === null || cwd === '/') return path;
  const base = /[\\/]$/.test(cwd) ? cwd : `${cwd}${cwd.includes('\\') ? '\\' : '/'}`;
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path;
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}
