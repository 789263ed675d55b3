import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { sha256 } from '../platform/crypto.ts';
import { escapeHtml } from '../text/escape.ts';
import type { GivenDecision } from '../core/channel.ts';
import type { AnswerResult } from '../core/question.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { Log } from '../platform/log.ts';
import type { Paths } from '../core/paths.ts';
import type { RunningChannels } from '../delivery/running-channel.ts';
import { type AnswerByLink, type SentAnswer, tokenIn } from './answer-by-link.ts';
import { answerOf, type Decisions } from './decisions.ts';
import type { ReplyLink } from '../core/notification.ts';
import { ownNotification } from '../delivery/warnings.ts';

const NAME = /^reply-[0-9a-f-]{36}\.html$/;

/** Writes a file (0600) that redirects a browser, because other users can read command lines. Returns its path. */
export function writePageFile(directory: string, url: string): string {
  const path = join(directory, `reply-${randomUUID()}.html`);
  const address = escapeHtml(url);
  const page =
    '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">' +
    `<meta http-equiv="refresh" content="0; url=${address}"><title>hookbell</title>` +
    `<a href="${address}">Open the page</a>\n`;
  writeFileSync(path, page, { mode: 0o600, flag: 'wx' });
  return path;
}

/** Removes all of them, also those of a killed daemon. */
export function removePageFiles(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (NAME.test(name)) rmSync(join(directory, name), { force: true });
  }
}

/** Keeps unsent text (0600), which is deleted with the records there, after 30 days. @throws when the directory takes no file */
function keepUnsentText(directory: string, text: string, now: number): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
  const path = join(directory, `unsent-${time}-${randomBytes(3).toString('hex')}.txt`);
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  return path;
}

/** By then a browser has read the file that redirects it to the page, ms. */
const FILE_STANDS_MS = 60_000;

const TELL_MS = 10_000;

export interface PopUpRepliesOptions {
  readonly endpoints: {
    /** Sends an answer to a session by such a link, once, without its page. */
    answerLink(url: string, text: string): Promise<AnswerByLink>;
    /** Calls `notify` whenever the page of a link is opened. */
    onLook(notify: (link: ReplyLink) => void): void;
  };
  readonly decisions: Pick<Decisions, 'find' | 'answer' | 'markReadable'>;
  readonly paths: Pick<Paths, 'runtime' | 'replies'>;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly channels: () => RunningChannels;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

interface ReplyNotice {
  readonly severity: 'info' | 'critical';
  readonly title: string;
  readonly lines: readonly string[];
  /** The email address of the person it is for, at a hub. */
  readonly person?: string | undefined;
}

export type PopUpReplies = ReturnType<typeof createPopUpReplies>;

/** Handles the buttons on pop-ups that answer a session. `url` is the link that the pop-up was given. */
export function createPopUpReplies(options: PopUpRepliesOptions) {
  const { endpoints, decisions, paths, env, platform, channels, now, newId, log } = options;
  /** The files that redirect to pages not opened yet, by the hash of the token. */
  const files = new Map<string, string>();
  removePageFiles(paths.runtime);
  endpoints.onLook(({ tokenHash }) => dropFile(tokenHash));

  function dropFile(tokenHash: string): void {
    const file = files.get(tokenHash);
    files.delete(tokenHash);
    if (file !== undefined) rmSync(file, { force: true });
  }

  function makeFile(url: string): string {
    const tokenHash = sha256(tokenIn(new URL(url).pathname) ?? '');
    decisions.markReadable(tokenHash);
    const file = writePageFile(paths.runtime, url);
    files.set(tokenHash, file);
    setTimeout(() => dropFile(tokenHash), FILE_STANDS_MS).unref();
    return file;
  }

  async function notifyOn(
    name: string,
    { severity, title, lines, person }: ReplyNotice,
  ): Promise<void> {
    const id = newId();
    const body = lines.join('\n') || title;
    const message = ownNotification({
      id,
      groupKey: `hookbell reply ${id}`,
      at: now(),
      severity,
      title,
      body,
      // Read by channels that write to one person.
      ...(person !== undefined && {
        recipient: { type: 'found', address: person, isOutside: false },
      }),
    });
    const signal = AbortSignal.timeout(TELL_MS);
    const outcome = await channels()
      .get(name)
      ?.channel.send(message, { signal, carry: null, attempt: 1 });
    if (outcome?.type === 'delivered') return;
    const fields = { channel: name, reason: outcome?.reason };
    log.warn(fields, 'Cannot notify about the outcome of an answer');
  }

  function keep(text: string): string {
    try {
      return `Your text is saved in "${keepUnsentText(paths.replies, text, now())}"`;
    } catch (error) {
      log.error({ err: error }, 'Cannot keep the text of an answer');
      return 'Your text could not be saved; see "hookbell logs"';
    }
  }

  async function decideNow(channel: string, decision: GivenDecision): Promise<AnswerResult> {
    const via = channels().get(channel)?.type === 'desktop' ? 'pop-up' : `"${channel}"`;
    const answer = answerOf(decision, await decisions.find(decision.question), via);
    if (answer === null) return { ok: false, reason: 'The agent does not accept such an answer' };
    return decisions.answer(decision.question, { ...answer, channel });
  }

  return {
    /** Opens the page on which people answer. Never rejects. */
    async open(channel: string, url: string): Promise<void> {
      try {
        const { openInBrowser } = await import('./open-in-browser.ts');
        const trouble = await openInBrowser(makeFile(url), { env, platform });
        if (trouble === null) return;
        log.warn({ channel, trouble }, 'Cannot open the reply page');
        const lines = [trouble, 'Answer with "hookbell reply @last TEXT".'];
        await notifyOn(channel, bad('Cannot open the reply page', ...lines));
      } catch (error) {
        log.error({ channel, err: error }, 'Cannot open the reply page');
      }
    },

    /** Sends the text typed into the pop-up, once, and reports the outcome in another one. Never rejects. */
    async send(channel: string, url: string, text: string): Promise<void> {
      try {
        const notice = noticeOf(await endpoints.answerLink(url, text));
        const drafts = notice.severity === 'critical' ? [keep(text)] : [];
        await notifyOn(channel, { ...notice, lines: [...drafts, ...notice.lines] });
      } catch (error) {
        log.error({ channel, err: error }, 'Cannot send an answer from a pop-up');
        const notice = bad(NOT_SENT, keep(text), 'See "hookbell logs".');
        await notifyOn(channel, notice).catch(() => {});
      }
    },

    /** Decides a request, and reports in another pop-up if the decision did not count. Never rejects. */
    async decide(channel: string, decision: GivenDecision): Promise<void> {
      try {
        const decided = await decideNow(channel, decision);
        if (decided.ok) return;
        // What was typed is kept nowhere else.
        const typed = decision.words === null ? [] : [`You typed: ${decision.words}`];
        const lines = ['Your decision was not used.', ...typed];
        const { reason: title, person } = decided;
        await notifyOn(channel, { severity: 'info', title, lines, person });
      } catch (error) {
        log.error({ channel, err: error }, 'Cannot decide a request from a notification');
        const notice = bad(NOT_SENT, 'Answer in the agent\'s terminal; see "hookbell logs".');
        await notifyOn(channel, notice).catch(() => {});
      }
    },

    stop: () => removePageFiles(paths.runtime),
  };
}

const NOT_SENT = 'Your answer was not sent';
const UNKNOWN = 'Cannot determine whether your answer arrived';

function noticeOf(answer: AnswerByLink): ReplyNotice {
  switch (answer.type) {
    case 'posted':
      return noticeOfPosted(answer.posted);
    case 'empty':
      return { severity: 'info', title: NOT_SENT, lines: ['It is empty.'] };
    case 'used':
      return bad(
        NOT_SENT,
        'This was already answered; only one answer per message is possible. To send more, use "hookbell reply".',
      );
    case 'expired':
    case 'unknown':
      return bad(NOT_SENT, 'The pop-up is too old. Answer with "hookbell reply".');
  }
}

function noticeOfPosted(posted: SentAnswer): ReplyNotice {
  switch (posted.type) {
    case 'sent':
      return { severity: 'info', title: 'Your answer was sent', lines: posted.lines };
    case 'refused':
    case 'busy':
      return bad(NOT_SENT, posted.reason);
    case 'unknown':
      return bad(UNKNOWN, posted.reason, 'Check the session before you answer again.');
  }
}

function bad(title: string, ...lines: readonly string[]): ReplyNotice {
  return { severity: 'critical', title, lines };
}
