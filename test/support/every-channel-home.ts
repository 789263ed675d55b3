import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { z } from 'zod';

import type { PopUpNote } from './pretend-desktop.ts';
import { pretendDesktop } from './pretend-desktop.ts';
import type { HookbellHome } from './hookbell-home.ts';
import { hookbellHome } from './hookbell-home.ts';
import type { ReceivedRequest } from './http-endpoint.ts';
import { openHttpEndpoint } from './http-endpoint.ts';
import { activeMarkup, slackMessage, textsOf, unescapeSlack } from './slack-limits.ts';
import type { ReceivedMail } from './smtp-faults.ts';
import { startFaultySmtp } from './smtp-faults.ts';

/** What a far side got. */
export interface Receipt {
  /** Title and body as a reader sees them. */
  readonly shown: string;
  /** What no text of an event may change: counts of arguments, names of headers and keys, links, mentions. */
  readonly shape: string;
  /** Every byte that came. */
  readonly raw: string;
}

export const everyChannel = ['out', 'hook', 'team', 'mail', 'desktop', 'program'] as const;
export type EveryChannel = (typeof everyChannel)[number];

/** A home with a real daemon and one channel of each type; all events go to all of them immediately. */
export interface EveryChannelHome extends HookbellHome {
  receipts(channel: EveryChannel): Promise<readonly Receipt[]>;
}

const PROGRAM = `#!/bin/sh
document=$(cat)
printf '%s %s\\n' "$#" "$document" >> "$HOME/program"
`;
const UNLIMITED = 'rate: { burst: 1000, every: 1ms }';

/** @param more YAML below the channels and routes */
export async function everyChannelHome(more = ''): Promise<EveryChannelHome> {
  const place = await hookbellHome();
  const webhook = await openHttpEndpoint();
  const slack = await openHttpEndpoint();
  const smtp = await startFaultySmtp();
  const mails: ReceivedMail[] = [];
  const bin = join(place.home, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'program'), PROGRAM);
  await chmod(join(bin, 'program'), 0o755);
  const desktop = await pretendDesktop(place.home, null);
  place.env['DBUS_SESSION_BUS_ADDRESS'] = desktop.address;
  await place.writeConfig(`
channels:
  out: { type: file, path: ${place.home}/out.jsonl, ${UNLIMITED} }
  hook: { type: webhook, url: '${webhook.url}/in', allow_http: true, allow_private: true, ${UNLIMITED} }
  team: { type: slack, webhook: '${slack.url}/services/T0/B0/x', allow_any_host: true, ${UNLIMITED} }
  mail:
    type: email
    to: [me@x.test]
    smtp: { host: 127.0.0.1, port: ${smtp.port}, starttls: never }
    ${UNLIMITED}
  desktop: { type: desktop, backend: dbus, ${UNLIMITED} }
  program: { type: command, command: [${bin}/program], env: { HOME: ${place.home} }, ${UNLIMITED} }
routes: [{ match: {}, notify: [${everyChannel.join(', ')}] }]
noise: { burst: { at_once: 1000, window: 1s }, per_session: 1000, per_channel: 1000 }
${more}`);

  const textOf = (file: string): Promise<string> =>
    readFile(join(place.home, file), 'utf8').catch(() => '');
  const readers: Readonly<Record<EveryChannel, () => Promise<readonly Receipt[]>>> = {
    out: async () => (await linesOf('out.jsonl')).map((line) => ofDocument(line, '')),
    hook: () => Promise.resolve(webhook.requests.map(ofWebhook)),
    team: () => Promise.resolve(slack.requests.map(ofSlack)),
    async mail() {
      mails.push(...smtp.takeMails());
      return Promise.all(mails.map(ofMail));
    },
    desktop: () => Promise.resolve(desktop.notes.map(ofPopUp)),
    program: async () => (await linesOf('program')).map(ofRun),
  };
  async function linesOf(file: string): Promise<readonly string[]> {
    return (await textOf(file)).split('\n').filter((line) => line !== '');
  }
  return {
    ...place,
    receipts: (channel) => readers[channel](),
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
      await Promise.all([webhook, slack, smtp].map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

const Document = z.looseObject({ title: z.string(), body: z.string() });

function ofDocument(raw: string, around: string): Receipt {
  const document: unknown = JSON.parse(raw);
  const { title, body } = Document.parse(document);
  const structure = JSON.stringify(document, (_, value: unknown) =>
    typeof value === 'object' && value !== null ? value : '',
  );
  return { shown: `${title}\n${body}`, shape: around + structure, raw };
}

function headerNames({ method, path, rawHeaders }: ReceivedRequest): string {
  return [method, path, ...rawHeaders.filter((_, index) => index % 2 === 0)].join('\n');
}

function ofWebhook(request: ReceivedRequest): Receipt {
  const receipt = ofDocument(request.body, headerNames(request));
  return { ...receipt, raw: `${request.rawHeaders.join('\n')}\n${request.body}` };
}

/** What an agent's Markdown becomes in Slack and in a mail; nothing else may come of a text. */
const markdownLink = /^(?:<(?:https?:|mailto:)[^<>|]*\|[^<>]*>|>)$/;
const markdownTag =
  /^<(?:\/(?:a|code|pre|em|strong|s|blockquote|div|table|tr|td)>|a href="(?:https?:|mailto:)[^"<>]*" style="[^"<>]*">|em>|strong>|s>|(?:code|pre|blockquote|div|table|tr|td)(?: [a-z]+="[^"<>]*")*>)$/;

function ofSlack(request: ReceivedRequest): Receipt {
  const message = slackMessage.parse(JSON.parse(request.body));
  return {
    shown: textsOf(message)
      .map(({ text }) => unescapeSlack(text))
      .join('\n'),
    shape: [
      headerNames(request),
      message.blocks.map(({ type }) => type),
      activeMarkup(message).filter((markup) => !markdownLink.test(markup)),
    ].join('\n'),
    raw: request.body,
  };
}

async function ofMail({ from, to, raw }: ReceivedMail): Promise<Receipt> {
  const { subject = '', text = '', html = '', headers } = await PostalMime.parse(raw);
  // Their kinds, not their number: a text without anything to show has no row, one of two lines a line feed.
  const found = html.match(/<(?!br\b)[^>]*>/g) ?? [];
  const tags = new Set(found.filter((tag) => !markdownTag.test(tag)));
  const names = headers.map(({ key }) => key);
  return {
    shown: `${subject}\n${text}`,
    shape: JSON.stringify([from, to, names, [...tags].toSorted()]),
    raw: `${raw.toString('latin1')}\n${subject}\n${text}\n${html}`,
  };
}

function ofPopUp({ title, body, words }: PopUpNote): Receipt {
  const rest = JSON.stringify(words.filter((word) => word !== title && word !== body));
  return {
    shown: `${title}\n${body}`,
    // The hash of the session's key.
    shape: rest.replace(/"[0-9a-f]{16}"/, 'a hash'),
    raw: JSON.stringify(words),
  };
}

function ofRun(line: string): Receipt {
  const count = line.slice(0, line.indexOf(' '));
  return ofDocument(line.slice(line.indexOf(' ') + 1), count);
}
