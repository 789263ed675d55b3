import { z } from 'zod';

import { SERVICE } from './bus-message.ts';
import { parseJson } from './parse-json.ts';
import type { Programs } from './programs.ts';
import type { Look } from './rung.ts';

/** A server may say that a pop-up is gone before it says what was typed into it: so long after that it still counts, ms. */
const GRACE_MS = 1_000;

/** No pop-up is listened to for longer, and so nobody has to hear for longer, ms. */
const LONGEST_MS = 13 * 3_600_000;

/** Of the owner of the name alone: the bus sees to that, so that no other program can put words into a mouth. */
const REPLIED = `type='signal',sender='${SERVICE}',interface='${SERVICE}',member='NotificationReplied'`;

const BUS = 'org.freedesktop.DBus';
const OTHER_OWNER = `type='signal',sender='${BUS}',interface='${BUS}',member='NameOwnerChanged',arg0='${SERVICE}'`;

/** What busctl prints of these signals. */
const signal = z.discriminatedUnion('member', [
  z.object({
    member: z.literal('NotificationReplied'),
    payload: z.object({ data: z.tuple([z.int(), z.string()]) }),
  }),
  z.object({ member: z.literal('NameOwnerChanged') }),
]);

/** Hears once what is typed into a pop-up. */
export interface Ear {
  /** It has this id from now on. Who listened there hears no more: one pop-up took the place of the other. */
  at(id: string): void;
  /** It is gone. */
  end(): void;
}

/**
 * Hears what people type into pop-ups, where the server lets them. It tells that to nobody but the program that showed the
 * pop-up (KDE Plasma does), and notify-send does not print it: so busctl watches the bus. One serves all pop-ups, as long as there are any.
 */
export interface ReplyListener {
  /** Looks whether this machine has what it takes. */
  probe(look: Look): Promise<boolean>;
  /** Tells once, whatever ids the pop-up has one after the other. */
  ear(onReply: (text: string) => void): Ear;
  close(): Promise<void>;
}

/** @param launched makes a program end with the daemon and print line by line; answers its own program and arguments */
export function createReplyListener(
  programs: Programs,
  launched: (
    program: string,
    arguments_: readonly string[],
  ) => readonly [string, readonly string[]],
): ReplyListener {
  const ears = new Map<string, (text: string) => void>();
  let busctl = '';
  let watch: { readonly ended: Promise<unknown>; readonly stop: () => void } | null = null;

  function onLine(line: string): void {
    const { data } = signal.safeParse(parseJson(line));
    if (data === undefined) return;
    // Another server counts from the beginning: what is typed into pop-ups of other programs must reach no agent.
    if (data.member === 'NameOwnerChanged') return ears.clear();
    const [number, text] = data.payload.data;
    const ear = ears.get(String(number));
    ears.delete(String(number));
    ear?.(text);
  }

  function startWatch(): NonNullable<typeof watch> {
    const stopping = new AbortController();
    const matches = [REPLIED, OTHER_OWNER].map((match) => `--match=${match}`);
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
    ear(onReply) {
      let heardAt: string | null = null;
      let isOver = false;
      function hear(text: string): void {
        isOver = true;
        onReply(text);
      }
      function leave(): void {
        if (heardAt !== null && ears.get(heardAt) === hear) ears.delete(heardAt);
      }
      return {
        at(id) {
          if (isOver) return;
          leave();
          heardAt = id;
          ears.set(id, hear);
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
