import { randomBytes, randomInt } from 'node:crypto';

import { z } from 'zod';

import { sameSecret, sha256 } from '../platform/crypto.ts';
import { readJsonFile } from '../platform/json.ts';
import type { Log } from '../platform/log.ts';
import { replaceFile } from '../platform/replace-file.ts';
import type { Clock } from '../platform/time.ts';

/**
 * - `decide`: everything that the person can do in a terminal.
 * - `look`: the same except to allow a request or to answer a question. A program that runs as the person may have opened it.
 */
export type PageRights = PageSession['rights'];

const sessionSchema = z.object({
  /** SHA-256 of its cookie, in hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  rights: z.enum(['decide', 'look']),
  createdAt: z.number(),
  usedAt: z.number(),
});

/** A browser that is signed in. */
export type PageSession = Readonly<z.output<typeof sessionSchema>>;

/** A link that signs one browser in. */
export interface PageLink {
  readonly token: string;
  /** Six digits that turn `look` into `decide`; null if the link has those rights, or must not get them. */
  readonly code: string | null;
  readonly expiresAt: number;
}

/** Who may see the page, and who may decide on it. Only hashes of links and cookies are kept. */
export interface PageAccess {
  /** A part of every address of the page: without it, a browser sends its cookie to no other port of this machine. */
  readonly key: string;
  makeLink(link: { readonly rights: PageRights; readonly withCode: boolean }): PageLink;
  /** Whether a link can still be used; does not use it. */
  isOpen(token: string): boolean;
  /** Signs a browser in, once. Returns the value of its cookie; null for a used, expired or unknown link. */
  redeem(token: string): string | null;
  /** The first of these cookies that is signed in. */
  find(cookies: readonly string[]): PageSession | null;
  /** Whether a session has not ended. */
  has(session: PageSession): boolean;
  /** Whether this session can get the right to decide by a code. */
  takesCode(session: PageSession): boolean;
  /** Returns whether the code was right. */
  confirm(session: PageSession, code: string): boolean;
  end(session: PageSession): void;
  /** Ends all sessions and links. Returns how many sessions there were. */
  endAll(): number;
  hasSessions(): boolean;
  /** Notifies when sessions ended. */
  onEnd(notify: () => void): void;
}

/** Validity of a link, which people open right away, ms. */
const LINK_MS = 5 * 60_000;
/** Validity of a code, which people type soon after they opened the page, ms. */
const CODE_MS = 10 * 60_000;
const MOST_GUESSES = 5;
const MOST_LINKS = 16;
const MOST_SESSIONS = 32;
/** The last use is recorded this precisely, so that looking at the page writes no file, ms. */
const USE_STEP_MS = 6 * 3_600_000;

const storedSchema = z.object({
  key: z.string().regex(/^[\w-]{12}$/),
  sessions: z.array(sessionSchema),
});

interface Link extends Omit<PageLink, 'token'> {
  readonly rights: PageRights;
}

interface Code {
  readonly code: string;
  readonly expiresAt: number;
  guesses: number;
}

export interface PageAccessOptions {
  /** File that keeps the sessions, private to this user. */
  readonly path: string;
  /** A session expires this long after its last use, ms. */
  readonly expireAfterMs: () => number;
  readonly now: Clock;
  readonly log: Log;
}

/** Reads the sessions of earlier daemons. A damaged file means that each browser has to sign in again. */
export async function openPageAccess(options: PageAccessOptions): Promise<PageAccess> {
  const { path, expireAfterMs, now, log } = options;
  const stored = storedSchema.safeParse(await readJsonFile(path)).data;
  const key = stored?.key ?? randomBytes(9).toString('base64url');
  const sessions = new Map((stored?.sessions ?? []).map((session) => [session.hash, session]));
  const links = new Map<string, Link>();
  const codes = new Map<string, Code>();
  const listeners: (() => void)[] = [];

  function save(): void {
    try {
      const text = JSON.stringify({ key, sessions: [...sessions.values()] });
      replaceFile(path, `${text}\n`, { mode: 0o600 });
    } catch (error) {
      log.warn({ err: error }, 'Cannot save who is signed in to the page');
    }
  }

  function put(session: PageSession): void {
    sessions.delete(session.hash);
    sessions.set(session.hash, session);
    save();
  }

  function drop(hashes: readonly string[]): void {
    if (hashes.length === 0) return;
    for (const hash of hashes) {
      sessions.delete(hash);
      codes.delete(hash);
    }
    save();
    for (const notify of listeners) notify();
  }

  function dropExpired(): void {
    const before = now() - expireAfterMs();
    drop([...sessions.values()].filter(({ usedAt }) => usedAt < before).map(({ hash }) => hash));
  }

  function openLink(token: string): Link | null {
    const link = links.get(sha256(token));
    return link !== undefined && link.expiresAt > now() ? link : null;
  }

  return {
    key,

    makeLink({ rights, withCode }) {
      for (const [hash, { expiresAt }] of links) {
        if (expiresAt <= now() || links.size >= MOST_LINKS) links.delete(hash);
      }
      const token = randomBytes(32).toString('base64url');
      const code = withCode ? String(randomInt(1_000_000)).padStart(6, '0') : null;
      const expiresAt = now() + LINK_MS;
      links.set(sha256(token), { rights, code, expiresAt });
      return { token, code, expiresAt };
    },

    isOpen: (token) => openLink(token) !== null,

    redeem(token) {
      const link = openLink(token);
      links.delete(sha256(token));
      if (link === null) return null;
      dropExpired();
      drop([...sessions.keys()].slice(0, Math.max(0, sessions.size - MOST_SESSIONS + 1)));
      const cookie = randomBytes(32).toString('base64url');
      const hash = sha256(cookie);
      const { rights, code } = link;
      if (code !== null) codes.set(hash, { code, expiresAt: now() + CODE_MS, guesses: 0 });
      put({ hash, rights, createdAt: now(), usedAt: now() });
      return cookie;
    },

    find(cookies) {
      dropExpired();
      const found = cookies.map((cookie) => sessions.get(sha256(cookie))).find(Boolean) ?? null;
      if (found === null || now() - found.usedAt < USE_STEP_MS) return found;
      const used = { ...found, usedAt: now() };
      put(used);
      return used;
    },

    has({ hash }) {
      dropExpired();
      return sessions.has(hash);
    },

    takesCode: ({ hash }) => (codes.get(hash)?.expiresAt ?? 0) > now(),

    confirm({ hash }, typed) {
      const code = codes.get(hash);
      const session = sessions.get(hash);
      if (code === undefined || session === undefined || code.expiresAt <= now()) return false;
      code.guesses += 1;
      const isRight = sameSecret(typed.replaceAll(/\D/g, ''), code.code);
      if (isRight || code.guesses >= MOST_GUESSES) codes.delete(hash);
      if (isRight) put({ ...session, rights: 'decide' });
      return isRight;
    },

    end: ({ hash }) => drop([hash]),

    endAll() {
      const all = [...sessions.keys()];
      links.clear();
      drop(all);
      return all.length;
    },

    hasSessions() {
      dropExpired();
      return sessions.size > 0;
    },

    onEnd: (notify) => void listeners.push(notify),
  };
}
