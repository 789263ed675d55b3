import { writeFile } from 'node:fs/promises';

import type { ReadWaiting, WaitingReport } from '../../../core/waiting.ts';
import { DaemonUnreachableError } from '../../../platform/errors.ts';
import { createRedactor } from '../../../text/redact.ts';
import { addDays, yesterday } from '../../../vendor/client/index.ts';
import { type Digest, type DigestDays, digestDays } from '../../../vendor/reports/digest-blocks.ts';
import { digestHtml, digestText } from '../../../vendor/reports/digest-html.ts';
import {
  createDigest,
  readDigestAudit,
  readDigestRows,
} from '../../../vendor/reports/digest-report.ts';
import type { CommandContext, DefineCommand } from '../../context.ts';
import type { DigestOptions } from '../../../vendor/reports/digest-audit.ts';
import { readDigestWaiting } from '../../../vendor/reports/digest-waiting.ts';
import { type ServiceAccess, withService } from '../with-client.ts';

interface PreviewOptions {
  readonly html?: string;
  readonly week?: boolean;
  readonly users?: boolean;
}

/** Allows for four requests to the service, with retries. */
const PATIENCE_MS = 180_000;

/** `hookbell service digest`: what agents and people did, as in mails and chats. */
export const defineDigest: DefineCommand = (program, run) => {
  const digest = program.command('digest').description('preview or send a daily or weekly report');
  digest
    .command('preview')
    .description('show the digest without sending it')
    .option('--text', 'print it as in chats (default)')
    .option('--html <file>', 'write it to a file as HTML, as in mails')
    .option('--week', 'cover the last seven days, regardless of the configuration')
    .option('--users', 'name people, regardless of the configuration')
    .action(run(withService(preview)));
  digest
    .command('send')
    .description('send the configured digest now')
    .action(
      run(async ({ output, json, ask }) => {
        const sent = await ask('POST /v1/digest', { timeoutMs: PATIENCE_MS });
        if (json) return output.json(sent);
        output.say(`Sending to ${sent.channels.join(', ')}: ${sent.title}`);
      }),
    );
};

async function preview(
  context: CommandContext,
  service: ServiceAccess,
  { html, ...options }: PreviewOptions,
): Promise<void> {
  const { output, json } = context;
  const made = await makeDigest(context, service, options);
  if (json) return output.json(made);
  if (html === undefined) return output.line(digestText(made));
  await writeFile(html, digestHtml(made));
  output.say(`Wrote "${html}"`);
}

async function makeDigest(
  context: CommandContext,
  { api, config }: ServiceAccess,
  options: PreviewOptions,
): Promise<Digest> {
  const asOf = yesterday(Date.now());
  const every = options.week === true ? 'week' : (config.digest?.every ?? 'day');
  const rows = await readDigestRows(api.analytics, asOf);
  const period = digestDays(asOf, every);
  const { readiness, controls } = config.watch;
  const watched = { readiness: readiness !== null, controls: controls !== null };
  return createDigest(rows, asOf, {
    every,
    users: options.users ?? config.digest?.users ?? false,
    rate: config.budget?.rate ?? null,
    ...(await ownFigures(context, period)),
    audit: await readDigestAudit(api, watched, period.days),
    redactor: createRedactor(config.redact),
  });
}

/** Null if the daemon does not respond: the digest then omits these figures. */
async function ownFigures(
  { ask, output }: CommandContext,
  period: DigestDays,
): Promise<Pick<DigestOptions, 'own' | 'waiting'>> {
  const { startDate, endDate } = period.days;
  const from = String(Date.parse(startDate));
  const to = String(Date.parse(addDays(endDate, 1)));
  const read = async (query: Parameters<ReadWaiting>[0]): Promise<WaitingReport> => {
    const { by, since, until } = query;
    const words = { by, since: String(since), until: String(until) };
    return { ...(await ask('GET /v1/waiting', { query: words })), since, until };
  };
  try {
    return {
      own: await ask('GET /v1/usage', { query: { from, to } }),
      waiting: await readDigestWaiting(read, period),
    };
  } catch (error) {
    if (!(error instanceof DaemonUnreachableError)) throw error;
    output.say('Figures of hookbell itself are missing: the daemon does not respond');
    return { own: null, waiting: null };
  }
}
