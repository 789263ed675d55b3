import { z } from 'zod';

import { duration } from './units.ts';

/** A command that runs this long may have lost its user, ms. */
export const DEFAULT_LONG_MS = 30_000;

/** Programs that a person uses, or in which the next commands are typed. */
const interactive =
  'vi vim nvim nano emacs hx kak micro less more man bat view top htop btop watch tail journalctl ssh mosh telnet tmux screen zellij fg bash zsh fish sh su claude codex droid gemini qwen copilot opencode hookbell'.split(
    ' ',
  );

/** The section `commands`. */
export const commandsSchema = z
  .strictObject({
    longer_than: duration().prefault('30s').describe('Only commands that take longer notify'),
    ignore: z
      .array(z.string().regex(/^[\w.+-]{1,64}$/, { error: 'is not the name of a program' }))
      .max(200)
      .default(interactive)
      .describe('Programs that never notify in a shell with "hookbell shell-init"'),
  })
  .prefault({})
  .transform(({ longer_than: longerThanMs, ignore }) => ({ longerThanMs, ignore }));
