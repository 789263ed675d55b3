/** A model, its tier, and the standard credits a raw token of it costs. */
export interface Model {
  readonly id: string;
  readonly tier: 'standard' | 'thinking';
  readonly rate: number;
}

export const MODELS: readonly Model[] = [
  { id: 'aurora-4-fast', tier: 'standard', rate: 0.2 },
  { id: 'aurora-4', tier: 'standard', rate: 1 },
  { id: 'borealis-2-thinking', tier: 'thinking', rate: 1.6 },
  { id: 'custom:team-llm', tier: 'standard', rate: 0.5 },
];

export const TOOLS = ['Read', 'Edit', 'Execute', 'Grep', 'LS', 'ApplyPatch', 'WebSearch'];

/** A name as parsing artefacts leave it in about 0.006 % of the entries. */
export const BROKEN_TOOL = 'Read</parameter>\n<parameter name="file_path">';

/** Two of them are one server each, in two spellings. */
export const SERVERS = ['github', 'GitHub', 'linear', 'Linear', 'postgres'];

export const SKILLS = ['release-notes', 'review', 'database-migration'];
export const COMMANDS = ['/compact', '/review', '/model', '/cost'];

/** What hooks ran, of ours and of others. */
export const HOOKS = [
  { event: 'Stop', matcher: '', command: '/usr/local/lib/hookbell/hookbell-hook' },
  { event: 'Notification', matcher: '', command: '/usr/local/lib/hookbell/hookbell-hook' },
  { event: 'PostToolUse', matcher: 'Edit|ApplyPatch', command: 'npx prettier --write' },
] as const;

/** Client types of the interface's document. */
export const CLIENTS = ['terminal-ui', 'web', 'non-interactive-cli'] as const;

/** Delegation levels of the interface's document. */
export const LEVELS = ['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'] as const;

export type Level = (typeof LEVELS)[number];

export const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['.ts', 'TypeScript'],
  ['.tsx', 'TypeScript'],
  ['.py', 'Python'],
  ['.go', 'Go'],
  ['.md', 'Markdown'],
]);
