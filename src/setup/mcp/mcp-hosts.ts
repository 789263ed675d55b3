import type { McpEntry, Registration } from '../../core/agent/registration.ts';
import type { DialectName } from '../../core/hook-event.ts';
import { UsageError } from '../../platform/errors.ts';
import type { RegistrableAgent } from '../hook-places.ts';

const STDIO = { type: 'stdio' };
/** Gemini CLI and Qwen Code give a tool ten minutes, ms. */
const A_DAY = { timeout: 86_400_000 };
const CODE = process.platform === 'darwin' ? 'Library/Application Support/Code' : '.config/Code';
const ZED = process.platform === 'win32' ? 'AppData/Roaming/Zed' : '.config/zed';

/** Hosts whose list of MCP servers for all projects is one file. */
const hosts: readonly RegistrableAgent[] = [
  host('claude', ['.claude', '.claude.json'], ['claude'], {
    // Where the variable moves it, it is in the folder.
    files: ['.claude/.claude.json', '.claude.json'],
    movedBy: { variable: 'CLAUDE_CONFIG_DIR', directory: '.claude' },
    mcp: { key: 'mcpServers', others: STDIO },
  }),
  host('codex', ['.codex'], ['codex'], {
    files: ['.codex/config.toml'],
    movedBy: { variable: 'CODEX_HOME', directory: '.codex' },
    mcp: { key: 'mcpServers' },
    shape: 'mcp-toml',
  }),
  host('gemini', ['.gemini'], ['gemini'], {
    files: ['.gemini/settings.json'],
    mcp: { key: 'mcpServers', others: A_DAY },
  }),
  host('qwen', ['.qwen'], ['qwen'], {
    files: ['.qwen/settings.json'],
    mcp: { key: 'mcpServers', others: A_DAY },
  }),
  host('cursor', ['.cursor'], ['cursor', 'cursor-agent'], {
    files: ['.cursor/mcp.json'],
    mcp: { key: 'mcpServers' },
  }),
  host('droid', ['.factory'], ['droid'], {
    files: ['.factory/mcp.json'],
    mcp: { key: 'mcpServers', others: STDIO },
  }),
  host('copilot', ['.copilot'], ['copilot'], {
    files: ['.copilot/mcp-config.json'],
    mcp: { key: 'mcpServers', others: { type: 'local', tools: ['*'] } },
  }),
  host('opencode', ['.config/opencode'], ['opencode'], {
    files: ['.config/opencode/opencode.jsonc', '.config/opencode/opencode.json'],
    mcp: { key: 'mcp', others: { type: 'local', enabled: true }, isList: true },
  }),
  host('vscode', [`${CODE}/User`], ['code'], {
    files: [`${CODE}/User/mcp.json`],
    mcp: { key: 'servers', others: STDIO },
  }),
  {
    ...host('program', [ZED], ['zed', 'zeditor'], {
      files: [`${ZED}/settings.json`],
      mcp: { key: 'context_servers' },
    }),
    called: 'zed over MCP',
  },
];

interface HostOptions extends Pick<Registration, 'movedBy'> {
  readonly files: readonly string[];
  readonly mcp: McpEntry;
  readonly shape?: 'mcp-json' | 'mcp-toml';
}

function host(
  agent: DialectName,
  evidence: readonly string[],
  programs: readonly string[],
  { files, mcp, shape = 'mcp-json', ...moved }: HostOptions,
): RegistrableAgent {
  const registration: Registration = {
    ...moved,
    evidence,
    programs,
    files: files.map((path) => ({ path, projectPath: null, shape })),
    events: [],
    mcp,
    afterwards: null,
  };
  return { agent, called: `${agent} over MCP`, registration };
}

/** @param names only these; empty: all */
export function mcpHostsOf(names: readonly string[]): readonly RegistrableAgent[] {
  const chosen = hosts.filter(({ agent }) => names.length === 0 || names.includes(agent));
  if (chosen.length > 0) return chosen;
  throw new UsageError('None of these agents is registered with over MCP', {
    hint: `It is with ${hosts.map(({ called }) => called?.split(' ')[0]).join(', ')}`,
  });
}
