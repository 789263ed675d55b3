import { z } from 'zod';

import { SERVICE } from './bus-message.ts';
import { parseJson } from './parse-json.ts';
import type { Programs } from './programs.ts';
import type { Look } from './rung.ts';

/** A server may say that a pop-up is gone before it says what was typed into it: so long after that it still counts, ms. */
const GRACE_MS = 1_000;

/** No pop-up is listened to for longer, and so nobody has to hear for longer, ms. */
const LONGEST_MS = 13 * 3_600_000;

const BUS = 'org.freedesktop.DBus';

/** Of the owner of the name alone: the bus sees to that, so that no other program can put words into a mouth. */
const SAID = `type='signal',sender='${SERVICE}',interface='${SERVICE}'`;
const OTHER_OWNER = `type='signal',sender='${BUS}',interface='${BUS}',member='NameOwnerChanged',arg0='${SERVICE}'`;

/** What busctl prints of these signals. */
const signal = z.discriminatedUnion('member', [
  z.object({
    member: z.enum(['NotificationReplied', 'ActionInvoked']),
    payload: z.object({ data: z.tuple([z.int(), z.string()]) }),
  }),
  z.object({
    member: z.literal('NotificationClosed'),
    payload: z.object({ data: z.tuple([z.int(), z.int()]) }),
  }),
  z.object({ member: z.literal('NameOwnerChanged') }),
]);

/** What busctl prints of an answer that is a string. */
const answered = z.object({ data: z.tuple([z.string().regex(/^[\w:.]+$/)]) });

/** What somebody wants to hear of a pop-up. */
export interface Hears {
  /** An answer was typed into it; told once. */
  replied(text: string): void;
  chosen?(action: string): void;
  closed?(): void;
}

/** Hears of one pop-up. */
export interface Ear {
  /** It has this id from now on. Who listened there hears no more: one pop-up took the place of the other. */
  at(id: string): void;
  /** It is gone. */
  end(): void;
}

/**
 * Hears what the server says of pop-ups. It tells that to nobody but the program that showed the pop-up (dunst and KDE Plasma do);
 * notify-send prints no typed answers, and may be gone, as it ends with the daemon. So busctl watches the bus. One serves all
 * pop-ups, as long as there are any.
 */
export interface PopUpListener {
  /** Looks whether this machine has what it takes. */
  probe(look: Look): Promise<boolean>;
  /** Names the server that is there, as no other is ever named: ids of pop-ups are those of one server. Null: nobody can tell. */
  server(look: Look): Promise<string | null>;
  /** For a pop-up, whatever ids it has one after the other. */
  ear(hears: Hears): Ear;
  close(): Promise<void>;
}

/** @param launched makes a program end with the daemon and print line by line; answers its own program and arguments */
export function createPopUpListener(
  programs: Programs,
  launched: (
    program: string,
    arguments_: readonly string[],
  ) => readonly [string, readonly string[]],
): PopUpListener {
  const ears = new Map<string, Hears>();
  let busctl = '';
  let watch: { readonly ended: Promise<unknown>; readonly stop: () => void } | null = null;

  function onLine(line: string): void {
    const { data } = signal.safeParse(parseJson(line));
    if (data === undefined) return;
    // Another server counts from the beginning: what is typed into pop-ups of other programs must reach no agent.
    if (data.member === 'NameOwnerChanged') return ears.clear();
    const [number] = data.payload.data;
    const ear = ears.get(String(number));
    if (data.member === 'NotificationClosed') ear?.closed?.();
    else if (data.member === 'ActionInvoked') ear?.chosen?.(data.payload.data[1]);
    else ear?.replied(data.payload.data[1]);
  }

  function startWatch(): NonNullable<typeof watch> {
    const stopping = new AbortController();
    const matches = [SAID, OTHER_OWNER].map((match) => `--match=${match}`);
    const words = ['--user', 'monitor', '--json=short', ...matches];
    const [program, arguments_] = launched(busctl, words);
    const run = { signal: stopping.signal, timeoutMs: LONGEST_MS, onLine };
    const started = {
      ended: programs.run(program, arguments_, run).finally(() => {
        // It may end by itself, with the bus: the next pop-up starts another one.
        if (watch === started) watch = null;
      }),
      stop: () => stopping.abort(),
    };
    return started;
  }

  async function askBus(look: Look, words: readonly string[]): Promise<string | null> {
    const call = [
      '--user',
      '--json=short',
      '--',
      'call',
      BUS,
      '/org/freedesktop/DBus',
      BUS,
      ...words,
    ];
    const answer = await programs.ask(busctl, call, look);
    return answered.safeParse(parseJson(answer.stdout)).data?.data[0] ?? null;
  }

  async function stopWatch(): Promise<void> {
    const running = watch;
    watch = null;
    running?.stop();
    await running?.ended;
  }

  return {
    async probe(look) {
      busctl = (await programs.find('busctl')) ?? '';
      if (busctl === '') return false;
      const help = await programs.ask(busctl, ['--help'], look);
      return help.ok && help.stdout.includes('--json');
    },
    async server(look) {
      const owner = await askBus(look, ['GetNameOwner', 's', SERVICE]);
      const bus = await askBus(look, ['GetId']);
      return owner === null || bus === null ? null : `${bus} ${owner}`;
    },
    ear(hears) {
      let heardAt: string | null = null;
      let isOver = false;
      const own: Hears = {
        ...hears,
        replied(text) {
          isOver = true;
          leave();
          hears.replied(text);
        },
      };
      function leave(): void {
        if (heardAt !== null && ears.get(heardAt) === own) ears.delete(heardAt);
      }
      return {
        at(id) {
          if (isOver) return;
          leave();
          heardAt = id;
          ears.set(id, own);
          watch ??= startWatch();
        },
        end() {
          setTimeout(() => {
            leave();
            if (ears.size === 0) void stopWatch();
          }, GRACE_MS).unref();
        },
      };
    },
    async close() {
      ears.clear();
      await stopWatch();
    },
  };
}
