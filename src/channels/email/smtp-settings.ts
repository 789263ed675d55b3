import type { SMTPTransportOptions } from 'nodemailer/lib/smtp-transport';
import SMTPConnection, { type SMTPError } from 'nodemailer/lib/smtp-connection';

import type { ChannelCheck, ChannelDependencies } from '../../core/channel.ts';
import { ConfigError } from '../../platform/errors.ts';
import { redactText } from '../../text/redact.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import { resolvePath } from '../../platform/find-program.ts';
import type { SmtpOptions } from './email-options.ts';

export type SmtpSettings = SMTPTransportOptions & {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
};

/** Reads the password and the authorities. @throws ConfigError when one of them cannot be read */
export async function smtpSettings(
  { host, port, secure = port === 465, starttls, user, password, ca_file, servername }: SmtpOptions,
  dependencies: ChannelDependencies,
): Promise<SmtpSettings> {
  const ca = ca_file === undefined ? undefined : await readAuthorities(ca_file, dependencies);
  const pass = password === undefined ? undefined : await dependencies.resolveSecret(password);
  return {
    host,
    port,
    secure,
    requireTLS: !secure && starttls === 'required',
    ignoreTLS: !secure && starttls === 'never',
    // Otherwise a server without login support would get the mail without one.
    forceAuth: user !== undefined,
    ...(user !== undefined && pass !== undefined && { auth: { user, pass } }),
    ...(servername !== undefined && { servername }),
    tls: {
      minVersion: 'TLSv1.2',
      // Explicit, so that no environment variable decides it.
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca }),
    },
    // These four measure silence; the deadline of the whole attempt is the signal's.
    dnsTimeout: 5_000,
    connectionTimeout: 8_000,
    greetingTimeout: 8_000,
    socketTimeout: 10_000,
    // An abandoned socket is destroyed, not asked to close: the remote may never do so.
    socketCloseTimeout: 0,
    maxResponseSize: 65_536,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function readAuthorities(path: string, dependencies: ChannelDependencies): Promise<string> {
  const absolute = resolvePath(path, dependencies);
  const text = await dependencies.files.run('text', { path: absolute }).catch((cause: unknown) => {
    throw new ConfigError(`Cannot read smtp.ca_file "${absolute}"`, { cause });
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new ConfigError(`Cannot use smtp.ca_file "${absolute}": it contains no PEM certificate`);
  }
  return text;
}

/** Makes a reply of the mail server safe to show and log. */
export type QuoteReply = (reply: string | undefined) => string;

/** One line, cut, and without the password, in case the server repeats it from the login. */
export function replyQuote(auth: SmtpSettings['auth']): QuoteReply {
  const sent = auth === undefined ? [] : [auth.pass, `\0${auth.user}\0${auth.pass}`];
  const secrets = sent.flatMap((text) => [text, Buffer.from(text).toString('base64')]);
  return (reply = '') => {
    const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), reply);
    return `"${cutText(redactText(displayLine(safe)), 160)}"`;
  };
}

export interface SmtpTrouble {
  /** `passing`: try again. `final`: this mail will not go. `broken`: no mail will go until it is reconfigured. */
  readonly lasts: 'passing' | 'final' | 'broken';
  readonly reason: string;
  readonly hint?: string;
}

type Server = Pick<SmtpSettings, 'host' | 'port' | 'secure'>;

/** Explains an error of nodemailer. The server's reply code decides first, because it is the server's own word. */
export function smtpTrouble(error: unknown, server: Server, quote: QuoteReply): SmtpTrouble {
  if (!isSmtpError(error)) {
    return {
      lasts: 'passing',
      reason: 'Cannot send mail: nodemailer failed with an unknown error',
    };
  }
  if (error.code === 'EAUTH') return loginTrouble(error);
  const { responseCode, response } = error;
  if (responseCode !== undefined) return replyTrouble(error, responseCode, quote(response));
  return connectionTrouble(error, server);
}

function isSmtpError(error: unknown): error is SMTPError {
  // Every property that an SMTPError adds is optional.
  return error instanceof Error;
}

function loginTrouble({ responseCode, response }: SMTPError): SmtpTrouble {
  // Only the numbers: a server may repeat in its text what it was sent.
  const code = /^\d{3}(?:[ -]\d\.\d+\.\d+)?/.exec(response ?? '')?.[0]?.replace('-', ' ');
  const reason = `The mail server refused the login${code === undefined ? '' : ` (${code})`}`;
  if (responseCode !== undefined && responseCode < 500) return { lasts: 'passing', reason };
  return {
    lasts: 'broken',
    reason,
    hint: 'Check smtp.user and smtp.password; some providers require an app password',
  };
}

function replyTrouble(error: SMTPError, code: number, reply: string): SmtpTrouble {
  // 503 means that the session was out of step, not that the mail is unwanted.
  const lasts = code >= 500 && code < 600 && code !== 503 ? 'final' : 'passing';
  if (error.code === 'ETLS') {
    return {
      lasts,
      reason: `The mail server refuses STARTTLS (${reply}), and mail is never sent without it`,
      hint: 'If the server requires TLS from the start, set smtp.port 465. Only a server without a login can be used without encryption: "starttls: never"',
    };
  }
  const what = new Map([
    ['MAIL FROM', 'the sender'],
    ['RCPT TO', 'the recipients'],
    ['DATA', 'the message'],
  ]).get(error.command ?? '');
  return { lasts, reason: `The mail server refused ${what ?? 'to go on'}: ${reply}` };
}

// Codes of Node and OpenSSL, never messages: those may hold the name of the host.
const PLAIN_TEXT = /^(?:EPROTO|ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/;
const UNTRUSTED = /CERT|^UNABLE_TO_/;

function connectionTrouble(error: SMTPError, { host, port, secure }: Server): SmtpTrouble {
  const place = `"${host}:${port}"`;
  const systemCode = error.originalCode ?? '';
  if (PLAIN_TEXT.test(systemCode)) {
    return {
      lasts: 'final',
      reason: `The mail server ${place} does not speak TLS from the start`,
      hint: 'smtp.secure and smtp.port do not match: port 465 needs "secure: true", port 587 "secure: false"',
    };
  }
  if (UNTRUSTED.test(systemCode)) {
    return {
      lasts: 'final',
      reason: `The certificate of the mail server ${place} is not trusted (${systemCode})`,
      hint: 'Set smtp.ca_file for a private authority, or smtp.servername if the certificate has another name',
    };
  }
  const code = error.code ?? '';
  const reasons = new Map([
    ['EABORT', `The mail server ${place} did not finish in time`],
    ['ETIMEDOUT', `The mail server ${place} does not answer`],
    ['EDNS', `Cannot find the address of the mail server "${host}"`],
    ['ETLS', `Cannot set up TLS with the mail server ${place}`],
  ]);
  const shown = error.originalCode ?? error.code ?? 'unknown error';
  const reason = reasons.get(code) ?? `Cannot talk to the mail server ${place} (${shown})`;
  const isMute = code === 'ETIMEDOUT' && error.timeoutType === 'GREETING_TIMEOUT' && !secure;
  const hint = 'If the server requires TLS from the start, set "secure: true"';
  return { lasts: 'passing', reason, ...(isMute && { hint }) };
}

/** Unlike nodemailer's `verify()` it can be stopped: a server that drips its greeting would block that forever. */
export async function checkLogin(
  settings: SmtpSettings,
  signal: AbortSignal,
): Promise<ChannelCheck> {
  const { host, port, auth } = settings;
  const place = `Mail server "${host}:${port}"`;
  try {
    const secure = await login(settings, signal);
    const what = auth === undefined ? 'answers, no login configured' : 'accepts the login';
    return { ok: true, summary: `${place} ${what}${secure ? '' : ', unencrypted'}` };
  } catch (error) {
    if (signal.aborted) return { ok: false, summary: `${place} did not answer in time` };
    const { reason, hint } = smtpTrouble(error, settings, replyQuote(auth));
    return { ok: false, summary: reason, ...(hint !== undefined && { hint }) };
  }
}

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
