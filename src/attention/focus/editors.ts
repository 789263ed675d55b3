import type { HookFacts } from '../../core/facts.ts';

/** VS Code, or an editor made of it: they behave alike under other names. */
export interface Editor {
  /** Its command, and its binary on Linux. */
  readonly command: string;
  /** Its application on macOS, by both names. */
  readonly application: string;
  readonly bundle: string;
  /** Where it keeps its own state, below the directory for configurations. */
  readonly state: string;
}

export const editors: readonly Editor[] = [
  {
    command: 'code',
    application: 'Visual Studio Code',
    bundle: 'com.microsoft.VSCode',
    state: 'Code',
  },
  {
    command: 'code-insiders',
    application: 'Visual Studio Code - Insiders',
    bundle: 'com.microsoft.VSCodeInsiders',
    state: 'Code - Insiders',
  },
  { command: 'codium', application: 'VSCodium', bundle: 'com.vscodium', state: 'VSCodium' },
  {
    command: 'cursor',
    application: 'Cursor',
    bundle: 'com.todesktop.230313mzl4w4u92',
    state: 'Cursor',
  },
  {
    command: 'windsurf',
    application: 'Windsurf',
    bundle: 'com.exafunction.windsurf',
    state: 'Windsurf',
  },
];

/**
 * Which of them a terminal belongs to. All call themselves "vscode"; their own git extension tells its terminals where the editor's
 * binary is, and macOS tells the application. Neither is ever run: what is run is in the list.
 */
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
