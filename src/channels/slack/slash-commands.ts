import { z } from 'zod';

import { programFile } from '../../platform/program-files.ts';
import type { JsonObject } from '../../platform/json.ts';
import { runProgram } from '../../platform/run-program.ts';
import { escapeAngles } from '../../text/escape.ts';

/** A response must reach Slack within 3 s (https://docs.slack.dev/interactivity/implementing-slash-commands). */
const TIMEOUT_MS = 2_500;
/** A section has 3,000 characters after escaping. */
const MOST = 2_900;

const slashCommand = z.object({ text: z.string(), user_id: z.string(), team_id: z.string() });

/** A person opened the app's home (https://docs.slack.dev/reference/events/app_home_opened). */
const homeOpened = z.object({
  team_id: z.string(),
  event: z.object({ type: z.literal('app_home_opened'), user: z.string(), tab: z.literal('home') }),
});

const USAGE = `/hookbell who            sessions, those that wait for you first
/hookbell mute 30m       mute all notifications for a while
/hookbell explain [ID]   the last event, or this one, and why it did or did not notify you
/hookbell waiting        how long agents waited for you, last 7 days
/hookbell digest         yesterday's digest`;

const REFUSED = 'Not allowed: you are not in "members" of this channel';

/** Runs commands as in a terminal. @param members "WORKSPACE:MEMBER" of those who may */
export function createSlashCommands(
  members: ReadonlySet<string>,
  env: Readonly<Record<string, string | undefined>>,
) {
  async function outputOf(words: readonly string[]): Promise<string> {
    const given = Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const { ok, stdout, stderr, timedOut } = await runProgram({
      program: process.execPath,
      arguments: [programFile('commandLine'), ...words],
      env: { ...Object.fromEntries(given), NO_COLOR: '1' },
      timeoutMs: TIMEOUT_MS,
    });
    if (timedOut) return `It took too long; run "hookbell ${words.join(' ')}" in a terminal`;
    const text = (ok ? `${stdout}${stdout === '' ? stderr : ''}` : stderr || stdout).trimEnd();
    return text === '' ? 'Nothing to show' : text;
  }

  async function homePart(title: string, words: readonly string[]): Promise<JsonObject[]> {
    const text = { type: 'plain_text', text: title, emoji: false };
    return [{ type: 'header', text }, codeBlock(await outputOf(words))];
  }

  return {
    /** Runs a command; the result is the response that only this person sees. */
    async run(body: unknown): Promise<JsonObject> {
      const { data } = slashCommand.safeParse(body);
      if (data === undefined) return {};
      if (!members.has(`${data.team_id}:${data.user_id}`)) return whispered(REFUSED);
      const words = commandWords(data.text);
      return whispered(words === null ? USAGE : await outputOf(words));
    },
    /** The person whose home is to be shown, with its content; null: the event is another one, or the person no member. */
    async home(body: unknown): Promise<{ user: string; view: JsonObject } | null> {
      const { data } = homeOpened.safeParse(body);
      if (data === undefined || !members.has(`${data.team_id}:${data.event.user}`)) return null;
      const parts = await Promise.all([
        homePart('Your sessions', ['sessions']),
        homePart('How long agents waited for you, last 7 days', ['waiting', '--since', '7d']),
      ]);
      return { user: data.event.user, view: { type: 'home', blocks: parts.flat() } };
    },
  };
}

const plainCommands: ReadonlyMap<string, readonly string[]> = new Map([
  ['who', ['sessions']],
  ['waiting', ['waiting']],
  ['digest', ['service', 'digest', 'preview']],
  ['explain', ['explain', 'last']],
]);
const forms: ReadonlyMap<string, RegExp> = new Map([
  ['mute', /^\d{1,4}[smhd]$/],
  ['explain', /^[\da-f][\da-f-]{3,35}$/],
]);

/** The words of hookbell's own command line; null: show the usage. Nothing else is passed on. */
export function commandWords(text: string): readonly string[] | null {
  const [name = '', argument, ...more] = text.trim().split(/\s+/);
  if (more.length > 0) return null;
  if (argument === undefined) return plainCommands.get(name) ?? null;
  return forms.get(name)?.test(argument) === true ? [name, argument] : null;
}

function whispered(text: string): JsonObject {
  return { response_type: 'ephemeral', text, blocks: [codeBlock(text)] };
}

/** Output with its columns; nothing in it is a mention, a link or the end of the block. */
function codeBlock(text: string): JsonObject {
  let shown = '';
  for (const line of text.split('\n')) {
    const next = `${shown}${escapeAngles(line).replaceAll('```', "'''")}\n`;
    if (next.length > MOST) {
      shown += '…\n';
      break;
    }
    shown = next;
  }
  const marked = { type: 'mrkdwn', text: `\`\`\`\n${shown}\`\`\``, verbatim: true };
  return { type: 'section', text: marked };
}
