import { z } from 'zod';

import { type Asked, askedVerbs } from '../core/asked.ts';
import { type Channel, type ChannelDependencies, defineChannel } from '../core/channel.ts';
import { type Notification, toneOf } from '../core/notification.ts';
import { delivered, retry } from '../core/outcome.ts';
import {
  encodedCommand,
  jsonLine,
  windowsFolder,
  windowsProgram,
} from '../platform/find-program.ts';
import { firstInstalled, type ProgramWay, runFirst } from './support/run-first.ts';
import { pollUntil } from '../platform/time.ts';
import { cutText, joinedLines } from '../text/sanitize.ts';

const LONGEST_MS = 30_000;
/** How often it looks whether what keeps it silent is over: another message, or the lock of the screen. */
const LOOK_AGAIN_MS = { voice: 1_000, lock: 15_000 };

const options = z.strictObject({
  voice: z
    .string()
    .regex(/^[A-Za-z][\w .+()-]{0,63}$/, 'is not the name of a voice')
    .optional()
    .describe('Voice, by the name that the program has for it (default: that of the system)'),
  when_locked: z
    .boolean()
    .default(false)
    .describe('Speak while the screen is locked as well, when others may be listening'),
});

/** Says what is wanted: one message at a time, and none over a locked screen. */
export default defineChannel({
  type: 'speech',
  summary: 'Says aloud what is wanted, with the voice of this machine',
  audience: 'person',
  reach: 'near',
  recipient: 'the loudspeaker of this machine',
  can: {},
  options,
  limits: { timeoutMs: LONGEST_MS, concurrency: 1, burst: 3, refillMs: 10_000, maxAttempts: 3 },
  create: (configured, dependencies) => Promise.resolve(createSpeech(configured, dependencies)),
});

function createSpeech(
  { voice, when_locked: isSpokenLocked }: z.output<typeof options>,
  dependencies: ChannelDependencies,
): Channel {
  const { isScreenLocked, takeVoice, onWorksAgain } = dependencies;
  let waiting: NodeJS.Timeout | null = null;

  const isLocked = async () => !isSpokenLocked && (await isScreenLocked()) === true;

  function lookAgain(everyMs: number): void {
    waiting ??= setInterval(() => void look(), everyMs).unref();
  }

  async function look(): Promise<void> {
    const turn = (await isLocked()) ? null : await takeVoice();
    if (turn === null) return;
    turn.release();
    if (waiting === null) return;
    stopLooking();
    onWorksAgain();
  }

  function stopLooking(): void {
    clearInterval(waiting ?? undefined);
    waiting = null;
  }

  return {
    async send(notification, { signal }) {
      if (notification.quietly) return delivered({ note: 'Not spoken: its terminal has focus' });
      if (await isLocked()) {
        lookAgain(LOOK_AGAIN_MS.lock);
        return retry('Not spoken: the screen is locked', { hidden: 'next-step' });
      }
      // Only a test, which is tried once, waits for it here: another message may be answered meanwhile.
      const patienceMs = toneOf(notification) === 'test' ? LONGEST_MS / 2 : 0;
      const turn = await pollUntil(takeVoice, patienceMs, 200);
      if (turn === null) {
        lookAgain(LOOK_AGAIN_MS.voice);
        return retry('Another message is being spoken', { hidden: 'hold' });
      }
      try {
        const ways = speakers(spokenText(notification), voice, dependencies);
        const trouble = await runFirst(ways, dependencies, { timeoutMs: LONGEST_MS, signal });
        if (trouble === null) return delivered();
        const possibleDuplicate = trouble.maybeDone ? { possibleDuplicate: true } : {};
        return retry(`Cannot speak: ${trouble.reason}`, possibleDuplicate);
      } finally {
        turn.release();
      }
    },

    async check() {
      const program = await firstInstalled(speakers('', voice, dependencies), dependencies);
      const hint = 'Install espeak-ng, or speech-dispatcher with a voice';
      if (program === null) return { ok: false, summary: 'No program that speaks was found', hint };
      const isKnown = isSpokenLocked || (await isScreenLocked()) !== null;
      const lock = isKnown ? '' : '; a locked screen cannot be detected here';
      return { ok: true, summary: `Speaks with "${program}"${lock}` };
    },

    close: () => Promise.resolve(stopLooking()),
  };
}

const POWERSHELL = `
$ErrorActionPreference = 'Stop'
Add-Type -AssemblyName System.Speech
$wish = [Console]::In.ReadLine() | ConvertFrom-Json
$voice = New-Object System.Speech.Synthesis.SpeechSynthesizer
if ($wish.voice) { $voice.SelectVoice($wish.voice) }
$voice.Speak($wish.text)
`;

/** The programs that speak and end when the text was said. It goes to their standard input: other users can read arguments. */
function speakers(
  text: string,
  voice: string | undefined,
  { platform, env }: Pick<ChannelDependencies, 'platform' | 'env'>,
): readonly ProgramWay[] {
  if (platform === 'win32') {
    const program = windowsProgram('powershell', windowsFolder(env));
    return [
      { program, words: encodedCommand(POWERSHELL), input: jsonLine({ voice: voice ?? '', text }) },
    ];
  }
  const input = `${text}\n`;
  const named = (option: string) => (voice === undefined ? [] : [option, voice]);
  if (platform === 'darwin') return [{ program: 'say', words: [...named('-v'), '-f', '-'], input }];
  const flags = ['--wait', '--pipe-mode', '--priority', 'message'];
  return [
    { program: 'spd-say', words: [...flags, ...named('-y')], input },
    // Without a sound device it reports an error and succeeds.
    { program: 'espeak-ng', words: [...named('-v'), '--stdin'], input, failure: /^error: /m },
  ];
}

const LONGEST_REQUEST = 160;
const LONGEST_TEXT = 300;

/** Such as "shop needs permission to run npm publish", in characters that no program takes for an option, markup or a command. */
export function spokenText(
  notification: Pick<Notification, 'title' | 'asked' | 'kind' | 'body'>,
): string {
  const { title, asked, kind, body } = notification;
  const [said = title] = title.split(' · ');
  const [first = ''] = body.split('\n');
  const message = kind === 'message' && first !== said ? `: ${first}` : '';
  const more = asked === null ? message : requestText(asked);
  const [, others] = / · (and \d+ (?:other|more) ?.*)$/.exec(title) ?? [];
  const plain = `${said}${more}${others === undefined ? '' : `, ${others}`}`
    .replaceAll(/&+/g, ' and ')
    // "[[volm 0]]" is a command of "say", "!-!" one of spd-say.
    .replaceAll(/[^\p{L}\p{M}\p{N}.,:;?'()%+=@#$€/_~*-]+/gu, ' ')
    .replace(/^[^\p{L}\p{N}]+/u, '');
  return cutText(plain.trim(), LONGEST_TEXT) || 'hookbell';
}

function requestText({ action, text }: Asked): string {
  if (action === 'plan') return '';
  const what = cutText(joinedLines(text), LONGEST_REQUEST);
  return action === 'answer' ? `: ${what}` : ` to ${askedVerbs[action].toLowerCase()} ${what}`;
}
