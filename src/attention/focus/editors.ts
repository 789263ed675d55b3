import type { HookFacts } from '../../core/facts.ts';

/** VS Code, or an editor based on it: they behave alike under other names. */
export interface Editor {
  /** Its command, and its binary on Linux. */
  readonly command: string;
  /** Its application on macOS, by both names. */
  readonly application: string;
  readonly bundle: string;
  /** Where it keeps its state, below the directory for configurations. */
  readonly state: string;
}

export const editors: readonly Editor[] = [
  ['code', 'Visual Studio Code', 'com.microsoft.VSCode', 'Code'],
  [
    'code-insiders',
    'Visual Studio Code - Insiders',
    'com.microsoft.VSCodeInsiders',
    'Code - Insiders',
  ],
  ['codium', 'VSCodium', 'com.vscodium', 'VSCodium'],
  ['cursor', 'Cursor', 'com.todesktop.230313mzl4w4u92', 'Cursor'],
  ['windsurf', 'Windsurf', 'com.exafunction.windsurf', 'Windsurf'],
].map(([command = '', application = '', bundle = '', state = '']) => ({
  command,
  application,
  bundle,
  state,
}));

/** All call themselves "vscode": git's variable names the binary, and macOS the application. Neither value is ever run. */
export function editorOf(facts: HookFacts): Editor | null {
  if (facts.term_program !== 'vscode') return null;
  const binary = facts.vscode_git_askpass_node ?? '';
  const byBinary = editors.find(
    ({ command, application }) =>
      binary.endsWith(`/${command}`) || binary.includes(`/${application}.app/`),
  );
  const byBundle = editors.find(({ bundle }) => bundle === facts.cf_bundle_identifier);
  return byBinary ?? byBundle ?? null;
}
