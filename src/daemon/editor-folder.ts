import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

import type { HookFacts } from '../core/facts.ts';
import { editorOf } from '../focus/editors.ts';
import type { Environment } from './surroundings.ts';

/** What an editor writes down of itself when one of its windows is left, and of its windows only where there are several. */
const stateSchema = z.object({
  windowsState: z.object({
    openedWindows: z.array(
      z.object({
        folder: z.string().optional(),
        workspaceIdentifier: z.object({ configURIPath: z.string() }).optional(),
      }),
    ),
  }),
});

/**
 * What the editor has open, in the window that shows a directory: the nearest folder around it, or else the workspace file. It is
 * the editor's own word and no payload's, so that nothing opens that was not open. Null where nobody knows, or there is one window.
 */
export async function editorFolder(
  facts: HookFacts,
  directory: string,
  { env, platform }: { readonly env: Environment; readonly platform: NodeJS.Platform },
): Promise<string | null> {
  const editor = editorOf(facts);
  const home = env['HOME'] ?? '';
  const settings =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : env['XDG_CONFIG_HOME'] || join(home, '.config');
  if (editor === null || home === '') return null;
  const path = join(settings, editor.state, 'User', 'globalStorage', 'storage.json');
  const opened = (await readState(path))?.windowsState.openedWindows ?? [];
  const around = opened
    .flatMap(({ folder, workspaceIdentifier }) => {
      const shown = localPath(folder ?? workspaceIdentifier?.configURIPath);
      return shown === null ? [] : [{ shown, root: folder === undefined ? dirname(shown) : shown }];
    })
    .filter(({ root }) => root === '/' || `${directory}/`.startsWith(`${root}/`))
    .toSorted((a, b) => b.root.length - a.root.length);
  return around[0]?.shown ?? null;
}

async function readState(path: string): Promise<z.infer<typeof stateSchema> | null> {
  try {
    return stateSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

/** Null for a folder on another machine. */
function localPath(address: string | undefined): string | null {
  try {
    return fileURLToPath(address ?? '');
  } catch {
    return null;
  }
}
