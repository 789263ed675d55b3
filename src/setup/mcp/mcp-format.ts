import { isDeepStrictEqual } from 'node:util';

import { type McpEntry, mcpKeys, type Registration } from '../../core/agent/registration.ts';
import { parseJson } from '../../platform/json.ts';
import { addEntry, removeEntry, replaceValue } from '../edit-json.ts';
import { type HookFormat, memberOf } from '../hook-layout.ts';
import { editedJson, untilDone } from '../merge-hooks.ts';
import { replaceTables } from '../toml-hooks.ts';
import { readTomlTables } from '../toml-top.ts';

/** What our server is called in every host. */
const NAME = 'hookbell';
const TAKEN = `another MCP server is called "${NAME}"`;

/** Whether an entry, as it stands in the file, runs our command. */
function isOwnServer(entry: string): boolean {
  return /[\\/"']hookbell(?:\.cmd)?["']/.test(entry) && /["']mcp["']/.test(entry);
}

/** @param command of the user's installation */
function serverEntry({ mcp, words = [] }: Registration, command: string): object {
  const { others = {}, isList = false }: Partial<McpEntry> = mcp ?? {};
  // A host starts its servers with few variables.
  const env = { HOOKBELL_STATE_DIR: words[words.indexOf('--state') + 1] ?? '' };
  return isList
    ? { ...others, command: [command, 'mcp'], environment: env }
    : { ...others, command, args: ['mcp'], env };
}

/** An MCP server among the others of a host, in JSON: one member is added or removed, everything else keeps its bytes. */
export const mcpJson: HookFormat = {
  register(text, registration, command) {
    const { key = 'mcpServers' }: Partial<McpEntry> = registration.mcp ?? {};
    const entry = serverEntry(registration, command);
    const file = text === null || text.trim() === '' ? '{}\n' : text;
    const merged = untilDone(file, (root, now) => {
      const servers = memberOf(root, key)?.value;
      if (servers === undefined) return { text: addEntry(now, root, key, {}) };
      if (servers.type !== 'object') return { problem: `"${key}" is not an object` };
      const found = memberOf(servers, NAME)?.value;
      if (found === undefined) return { text: addEntry(now, servers, NAME, entry) };
      const written = now.slice(found.start, found.end);
      if (isDeepStrictEqual(parseJson(written), entry)) return null;
      return isOwnServer(written) ? { text: replaceValue(now, found, entry) } : { problem: TAKEN };
    });
    return merged.ok ? editedJson(merged, text ?? '') : merged;
  },
  byHand: (registration, command) =>
    JSON.stringify({
      [registration.mcp?.key ?? 'mcpServers']: { [NAME]: serverEntry(registration, command) },
    }),
  unregister(text) {
    const removed = untilDone(text, (root, now) => {
      for (const key of mcpKeys) {
        const at = root.entries.findLastIndex((one) => one.key === key);
        const servers = root.entries[at]?.value;
        if (servers?.type !== 'object') continue;
        const found = servers.entries.findLastIndex((one) => one.key === NAME);
        const { start = 0, end = 0 } = servers.entries[found]?.value ?? {};
        if (found === -1 || !isOwnServer(now.slice(start, end))) continue;
        const isAlone = servers.entries.length === 1;
        return { text: isAlone ? removeEntry(now, root, at) : removeEntry(now, servers, found) };
      }
      return null;
    });
    return removed.ok ? editedJson(removed, text) : removed;
  },
  list: () => ({ ok: true, hooks: [], asks: [] }),
};

const HEADER = `[mcp_servers.${NAME}]`;

/** Like `mcpJson`, but in the TOML of Codex. A question may wait longer than the minute that it gives a tool. */
export const mcpToml: HookFormat = {
  register(text, registration, command) {
    const file = text ?? '';
    const found = ownTable(file);
    if (!found.ok) return found;
    const { env } = { env: {}, ...serverEntry(registration, command) };
    const variables = Object.entries(env).map(
      ([name, value]) => `${name} = ${JSON.stringify(value)}`,
    );
    const wanted = `
${HEADER}
command = ${JSON.stringify(command)}
args = ["mcp"]
env = { ${variables.join(', ')} }
tool_timeout_sec = 86400
`;
    if (file.includes(wanted)) return { ok: true, text: file, changed: false, blank: false };
    return replaceTables(file, found.own, wanted);
  },
  byHand: () => null,
  unregister(text) {
    const found = ownTable(text);
    return found.ok ? replaceTables(text, found.own, '') : found;
  },
  list: () => ({ ok: true, hooks: [], asks: [] }),
};

function ownTable(text: string) {
  const read = readTomlTables(text);
  if (!read.ok) return { ok: false as const, problem: `cannot parse line ${read.line}` };
  const named = read.tables.filter(({ header }) => header?.replaceAll(/["']/g, '') === HEADER);
  const own = named.filter(({ start, end }) => isOwnServer(text.slice(start, end)));
  return own.length < named.length
    ? { ok: false as const, problem: TAKEN }
    : { ok: true as const, own };
}
