import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { ChannelCheck } from '../../core/channel.ts';
import { replyQuote } from './reply-quote.ts';
import type { SmtpSettings } from './smtp-settings.ts';
import { smtpTrouble } from './smtp-trouble.ts';

/**
 * Connects, encrypts and logs in, then hangs up. nodemailer's own `verify()` does the same, but cannot be stopped: a
 * server that drips its greeting would hold it for ever.
 */
export async function checkLogin(
  settings: SmtpSettings,
  signal: AbortSignal,
): Promise<ChannelCheck> {
  const { host, port, auth } = settings;
  try {
    const secure = await login(settings, signal);
    const what = auth === undefined ? 'answers, no login configured' : 'accepts the login';
    return {
      ok: true,
      summary: `Mail server "${host}:${port}" ${what}${secure ? '' : ', unencrypted'}`,
    };
  } catch (error) {
    if (signal.aborted) {
      return { ok: false, summary: `Mail server "${host}:${port}" did not answer in time` };
    }
    const { reason, hint } = smtpTrouble(error, settings, replyQuote(auth));
    return { ok: false, summary: reason, ...(hint !== undefined && { hint }) };
  }
}

/** Resolves to whether the connection was encrypted. */
async function login(settings: SmtpSettings, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const connection = new SMTPConnection(settings);
  const stop = (): void => connection.close();
  signal.addEventListener('abort', stop);
  try {
    return await new Promise((resolve, reject) => {
      connection.on('error', reject);
      connection.once('end', () => reject(new Error('Connection closed')));
      const done = (error: Error | null | undefined): void => {
        if (error) reject(error);
        else resolve(connection.secure);
      };
      connection.connect((error) => {
        if (error || settings.auth === undefined) done(error);
        else connection.login({ ...settings.auth }, done);
      });
    });
  } finally {
    signal.removeEventListener('abort', stop);
    connection.close();
  }
}
