import { codexNotify } from './codex-notify.ts';
import type { HookFormats } from './hook-layout.ts';
import { mcpJson, mcpToml } from './mcp/mcp-format.ts';
import { jsonHooks } from './merge-hooks.ts';
import { kiroHooks } from './plugins/kiro-file.ts';
import {
  ampPlugin,
  clinePlugin,
  kiloPlugin,
  opencodePlugin,
  piExtension,
} from './plugins/plugin-format.ts';
import { tomlHooks } from './toml-hooks.ts';

/** How each shape of hook file is edited. */
export const hookFormats: HookFormats = {
  wrapped: jsonHooks('wrapped'),
  bare: jsonHooks('bare'),
  cursor: jsonHooks('cursor'),
  copilot: jsonHooks('copilot'),
  vscode: jsonHooks('vscode'),
  crush: jsonHooks('crush'),
  'codex-notify': codexNotify,
  'opencode-plugin': opencodePlugin,
  'kilo-plugin': kiloPlugin,
  'pi-extension': piExtension,
  'cline-plugin': clinePlugin,
  'amp-plugin': ampPlugin,
  'toml-hooks': tomlHooks,
  kiro: kiroHooks,
  'mcp-json': mcpJson,
  'mcp-toml': mcpToml,
};
