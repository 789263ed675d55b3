import { z } from 'zod';

import { parseJson } from '../../platform/json.ts';

const Text = z.string().min(1);

/** The fields of the inputs of tools, of all agents, that say what a call does; a field of another type is absent. */
export const ToolInput = z.object({
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
export type ToolInput = z.output<typeof ToolInput>;

/** Any JSON, or its text (Copilot); any other text counts as a command. */
export function parsedInput(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  const value = parseJson(input);
  return value === undefined ? { command: input } : value;
}

/** The command line of a call; null without one. */
export function commandOf(command: string | readonly string[] | undefined): string | null {
  if (command === undefined || typeof command === 'string') return command ?? null;
  // Codex wraps a command line in its shell: ["bash", "-lc", "npm test"].
  const [shell = '', option = '', line] = command;
  const isWrapped = /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(option);
  return isWrapped && line !== undefined ? line : command.join(' ');
}

/** The file of a call, relative to the directory if below it; null without one. */
export function filePathOf(
  { file_path, filePath, notebook_path, path }: ToolInput,
  cwd: string | null,
) {
  const named = file_path ?? filePath ?? notebook_path ?? path ?? null;
  return named === null ? null : relative(named, cwd);
}

export function relative(path: string, cwd: string | null): string {
  if (cwd === null || cwd === '/') return path;
  const base = /[\\/]$/.test(cwd) ? cwd : `${cwd}${cwd.includes('\\') ? '\\' : '/'}`;
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path;
}
