import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import type { ChannelCatalog } from '../core/channel.ts';
import { ConfigError, errorCode, HookbellError, whyUnreadable } from '../platform/errors.ts';
import { resolvePath } from '../platform/find-program.ts';
import type { FarFiles, FileText } from '../core/far-files.ts';
import { whyNotOurs } from '../platform/ownership.ts';
import { cutText, displayLine } from '../text/sanitize.ts';
import type { Config } from './config.ts';
import { channelTypesIn, interpret } from './interpret.ts';
import { type Finding, formatProblem, pathText, type Problem } from './problem.ts';
import type { Position } from './yaml-document.ts';

/** A configuration is a page or two; anything larger is a mistake, and parsing it would stall the daemon. */
const MAX_CONFIG_BYTES = 1_000_000;
const TOO_LARGE = 'is larger than 1 MB';

/** Reads the text of a configuration file. Never rejects. */
export async function readConfigFile(path: string): Promise<FileText> {
  let bytes: Uint8Array;
  try {
    const found = await stat(path);
    if (!found.isFile()) return unusable('is not a file');
    if (found.size > MAX_CONFIG_BYTES) return unusable(TOO_LARGE);
    const foreign = await whyNotOurs(resolve(path), 'file');
    if (foreign !== null) {
      // It may have been removed since: then it is missing, not someone else's.
      await stat(path);
      return unusable(`is not used, because ${withAdvice(foreign)}`);
    }
    bytes = await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { type: 'missing' };
    return unusable(`cannot be read: ${whyUnreadable(error)}`);
  }
  try {
    return { type: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return unusable('is not valid UTF-8');
  }
}

/** Reads it through a child process; unusable if its file system does not respond. */
export async function readConfigText(files: FarFiles, path: string): Promise<FileText> {
  try {
    return await files.run('configuration', { path });
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    return { type: 'unusable', reason: 'cannot be read: its file system does not answer' };
  }
}

/** Anyone who can write to the file decides which programs the daemon runs. */
function withAdvice(reason: string): string {
  const open = /^others may write to (".*") /.exec(reason)?.[1];
  return open === undefined
    ? `${reason}: it must belong to you or root`
    : `${reason}: run "chmod go-w" on ${open}`;
}

function unusable(reason: string): FileText {
  return { type: 'unusable', reason };
}

export type Loaded =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The caller passes the channel types, which this layer does not know. */
export interface LoadOptions {
  readonly catalog: ChannelCatalog;
  /** Returns further warnings, such as missing programs. */
  readonly examine?: (config: Config) => Promise<readonly Finding[]>;
}

/**
 * Reads and validates the configuration file. A missing file means the defaults. Problems are returned, not thrown, so
 * that a failed reload keeps the current configuration. A file that another user owns or can write to is refused, because
 * it names programs to run; write permission for the user's private group (same number) is accepted, as umask 002 sets it.
 */
export async function loadConfig(path: string, options: LoadOptions): Promise<Loaded> {
  return loadedFrom(await readConfigFile(path), path, options);
}

/** @throws ConfigError with each problem as file:line:column */
export async function loadValidConfig(path: string, options: LoadOptions): Promise<Config> {
  const loaded = await loadConfig(path, options);
  if (loaded.ok) return loaded.config;
  const problems = loaded.problems.map(formatProblem).join('; ');
  throw new ConfigError(`Cannot use the configuration: ${problems}`);
}

/** Validates the content of a configuration file; `path` appears in problems and in the result. */
export async function loadedFrom(
  file: FileText,
  path: string,
  options: LoadOptions,
): Promise<Loaded> {
  switch (file.type) {
    case 'text':
      return parseConfig(file.text, path, options);
    case 'missing':
      return loadedOf({}, { path, exists: false }, options);
    case 'unusable':
      return refusedConfig(path, file.reason);
  }
}

/** @param path appears in problems and in the result */
export async function parseConfig(
  text: string,
  path: string,
  options: LoadOptions,
): Promise<Loaded> {
  if (text.length > MAX_CONFIG_BYTES) return refusedConfig(path, TOO_LARGE);
  // Imported here, because a daemon without a configuration file starts faster without it.
  const { readYaml } = await import('./yaml-document.ts');
  const reading = readYaml(text);
  if (!reading.ok) {
    const problems = reading.faults.map((fault) => ({ file: path, path: '', ...fault }));
    return { ok: false, problems };
  }
  return loadedOf(reading.value ?? {}, { path, exists: true, locate: reading.locate }, options);
}

/** The configuration without a file. */
export async function defaultConfig(path: string, catalog: ChannelCatalog): Promise<Config> {
  const loaded = await parseConfig('', path, { catalog });
  if (!loaded.ok) throw new Error('The default configuration is not valid');
  return loaded.config;
}

interface Source {
  readonly path: string;
  readonly exists: boolean;
  readonly locate?: (finding: Finding) => Position;
}

async function loadedOf(
  document: unknown,
  { path, exists, locate }: Source,
  { catalog, examine }: LoadOptions,
): Promise<Loaded> {
  const place = (finding: Finding): Problem => {
    const { line, column } = locate?.(finding) ?? { line: null, column: null };
    // They quote keys and values of the file, with arbitrary content and length.
    const shown = cutText(displayLine(pathText(finding.path)), 200);
    const message = cutText(displayLine(finding.message), 500);
    return { file: path, line, column, path: shown, message };
  };
  const definitions = await catalog.load(channelTypesIn(document));
  const interpretation = interpret(document, { definitions, types: catalog.types });
  if (!interpretation.ok) {
    return { ok: false, problems: interpretation.findings.map(place).toSorted(byPlace) };
  }
  const { config, warnings } = interpretation;
  const { caFile } = config;
  const read = caFile === null ? null : await readAuthorities(caFile, path);
  if (read !== null && 'problem' in read) {
    const finding: Finding = { path: ['ca_file'], at: 'value', message: read.problem };
    return { ok: false, problems: [place(finding)] };
  }
  const whole: Config = { path, exists, ...config, authorities: read?.pem ?? null };
  const more = (await examine?.(whole)) ?? [];
  const sorted = [...warnings, ...more].map(place).toSorted(byPlace);
  return { ok: true, config: whole, warnings: sorted };
}

function byPlace(left: Problem, right: Problem): number {
  const lines = (left.line ?? 0) - (right.line ?? 0);
  return lines === 0 ? (left.column ?? 0) - (right.column ?? 0) : lines;
}

/** The refusal of a whole file. */
export function refusedConfig(file: string, message: string): Loaded {
  return { ok: false, problems: [{ file, line: null, column: null, path: '', message }] };
}

const MAX_PEM_BYTES = 1_000_000;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads a PEM file of certificates and checks each of them, because a broken one would make connections fail without
 * a stated reason.
 *
 * @param path "~/" is the home directory; relative paths start at the configuration file
 * @returns a problem as the end of a sentence that begins with the name of the setting
 */
async function readAuthorities(
  path: string,
  configPath: string,
): Promise<{ readonly pem: string } | { readonly problem: string }> {
  const absolute = resolvePath(path, { baseDir: dirname(configPath) });
  const refused = (reason: string) => ({ problem: `${reason}: "${absolute}"` });
  let text: string;
  try {
    text = await readFile(absolute, 'latin1');
  } catch (error) {
    return { problem: `cannot be read: "${absolute}": ${whyUnreadable(error)}` };
  }
  if (text.length > MAX_PEM_BYTES) return refused('is larger than 1 MB');
  if (text.includes('PRIVATE KEY-----')) {
    return refused('contains a private key, expected only certificates');
  }
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) return refused('contains no PEM certificate');
  const broken = certificates.findIndex((certificate) => !isReadable(certificate));
  if (broken >= 0) return refused(`contains an invalid certificate, number ${broken + 1}`);
  return { pem: certificates.join('\n') };
}

function isReadable(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).raw.length > 0;
  } catch {
    return false;
  }
}
