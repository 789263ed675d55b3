import { type Asked, MAX_ASKED } from '../../core/asked.ts';
import { type FileChange, fileChangeText, withChanges } from '../../core/hook-event.ts';
import { countOf } from '../../text/count.ts';
import { commandOf, filePathOf, relative, type ToolInput } from './tool-input.ts';

/** "src/cart.ts +2 −1": what an edit changes, in short; null if the input names no file. */
export function editSummary(input: ToolInput, cwd: string | null): string | null {
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

/** The changes of each file of an edit. */
export function editsOf(input: ToolInput, cwd: string | null): readonly FileChange[] {
  const patch = patchIn(input);
  if (patch !== null) return patchOf(patch, cwd);
  const path = filePathOf(input, cwd);
  if (path === null) return [];
  const edits = textEdits(input);
  if (edits.length === 0) return [{ path, added: null, removed: null }];
  const changes = edits.map((edit) => ({ path, ...changeOf(edit) }));
  return withChanges([], changes);
}

function patchIn(input: ToolInput): string | null {
  const patch = input.patch ?? input.input ?? commandOf(input.command);
  return patch?.includes('*** Begin Patch') === true ? patch : null;
}

function textEdits({ old_string, old_str, new_string, new_str, edits = [] }: ToolInput) {
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
export function diffOf(
  action: Asked['action'],
  input: ToolInput,
  cwd: string | null,
): string | null {
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
export function cutLines(text: string): string {
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
