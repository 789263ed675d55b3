import { unlinkSync } from 'node:fs';
import { join } from 'node:path';

import { decodePayload } from '../agents/decode.ts';
import { errorCode } from '../platform/errors.ts';
import type { HookFacts } from '../core/facts.ts';
import {
  endMarker,
  type Envelope,
  type EnvelopeProblem,
  isEnvelopeName,
  parseEnvelope,
} from './envelope.ts';
import { type SpoolEntry, listSpool } from './listing.ts';
import { openOwnFile, type OwnFile } from '../platform/own-file.ts';

/** Why an envelope moves to the quarantine before it is decoded. */
export interface SpoolRefusal {
  readonly reason: 'empty' | 'truncated' | 'too-large' | 'bad-envelope' | 'not-ours';
  readonly detail: string;
}

export type Taken =
  | { readonly type: 'ready'; readonly facts: HookFacts; readonly payload: Uint8Array }
  /** A hook still writes it, or might. */
  | { readonly type: 'waiting' }
  | { readonly type: 'gone' }
  | ({ readonly type: 'refused' } & SpoolRefusal);

export type Spool = ReturnType<typeof createSpool>;

export interface SpoolOptions {
  readonly directory: string;
  /** Time that neither jumps nor counts a suspension, ms. */
  readonly monotonic: () => number;
  readonly isAlive: (pid: number) => boolean;
  /** Owner of all envelopes; null on Windows, which has no such number. */
  readonly uid: number | null;
}

/** Larger ones move to the quarantine unread. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Envelopes above this are read into one reused buffer. */
export const LARGE_BYTES = 8 * 1024 * 1024;
/** Of a larger one that still grows, only the end is checked. */
const PROBE_BYTES = 64 * 1024;
/** Without an end marker, a whole document counts after this long without a change, ms. */
const SALVAGE_AFTER_MS = 1_500;
/** After this long, the rest of an envelope whose hook is dead will not arrive, ms. */
const ABANDONED_AFTER_MS = 3_000;
/** After this long, neither will that of one whose hook seems to run: no hook takes longer, so its process id was reused, ms. */
const PATIENCE_MS = 60_000;

/** Last known state of an envelope without an end marker. */
interface Unfinished {
  readonly size: number;
  /** Monotonic. */
  readonly since: number;
  readonly pid: number | null;
  /** Set after it was found without a whole document: the same bytes need no second check. */
  readonly refusal: SpoolRefusal | null;
}

/**
 * The directory where hooks leave their envelopes. An envelope is ready when its end marker is there. One without it is
 * checked again until it is idle for some time: idleness is measured here, because clocks and modification times jump.
 */
export function createSpool({ directory, monotonic, isAlive, uid }: SpoolOptions) {
  const unfinished = new Map<string, Unfinished>();
  // Garbage of 16 MB is collected late: one buffer is reused, and released between two listings.
  let large: Buffer | null = null;
  let collectable: WeakRef<Buffer> | null = null;

  function take(entry: SpoolEntry): Taken {
    const { name, size } = entry;
    if (!isEnvelopeName(name)) return refused('not-ours', 'Its name was not given by a hook');
    if (size > MAX_BYTES) return tooLarge(size);
    const seen = unfinished.get(name);
    if (seen?.size === size) {
      const idleMs = monotonic() - seen.since;
      if (idleMs < SALVAGE_AFTER_MS) return { type: 'waiting' };
      if (seen.refusal !== null) return giveUp(seen, idleMs);
    }
    const file = openOwnFile(join(directory, name), uid);
    if (file.type === 'gone') return file;
    if (file.type === 'not-ours') return refused(file.type, file.detail);
    try {
      return look(name, file, seen);
    } finally {
      file.close();
    }
  }

  function look(name: string, file: OwnFile, seen: Unfinished | undefined): Taken {
    const { size } = file.stats;
    if (size > MAX_BYTES) return tooLarge(size);
    const hasChanged = seen?.size !== size;
    if (hasChanged && size > PROBE_BYTES && !hasMarker(name, file)) {
      return wait(name, { size, since: monotonic(), pid: seen?.pid ?? null, refusal: null });
    }
    const envelope = parseEnvelope(name, file.read(0, size, bufferFor(size)));
    if ('problem' in envelope) {
      if (envelope.problem === 'bad-envelope') return refused(envelope.problem, envelope.detail);
    } else if (envelope.complete || (!hasChanged && isWhole(envelope))) {
      return { type: 'ready', facts: envelope.facts, payload: envelope.payload };
    }
    const pid = 'problem' in envelope ? null : pidOf(envelope.facts);
    if (hasChanged) return wait(name, { size, since: monotonic(), pid, refusal: null });
    const idle = { ...seen, pid, refusal: refusalOf(envelope) };
    unfinished.set(name, idle);
    return giveUp(idle, monotonic() - idle.since);
  }

  function bufferFor(size: number): Buffer | undefined {
    if (size <= LARGE_BYTES) return undefined;
    large ??= collectable?.deref() ?? Buffer.allocUnsafeSlow(MAX_BYTES);
    return large;
  }

  function wait(name: string, state: Unfinished): Taken {
    unfinished.set(name, state);
    return { type: 'waiting' };
  }

  function giveUp({ pid, refusal }: Unfinished, idleMs: number): Taken {
    const isAbandoned = idleMs >= ABANDONED_AFTER_MS && (pid === null || !isAlive(pid));
    if (refusal === null || !(isAbandoned || idleMs >= PATIENCE_MS)) return { type: 'waiting' };
    return { type: 'refused', ...refusal };
  }

  return {
    /** The files in the spool, oldest first. */
    async list(): Promise<readonly SpoolEntry[]> {
      if (large !== null) collectable = new WeakRef(large);
      large = null;
      const entries = await listSpool(directory, uid);
      forgetGone(entries);
      return entries;
    },
    /** Reads one envelope, if it is time. A payload above `LARGE_BYTES` is valid until the next such one is taken. */
    take,
    /** Removes an envelope that is committed. */
    remove(name: string) {
      try {
        unlinkSync(join(directory, name));
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error;
      }
    },
  };

  function forgetGone(entries: readonly SpoolEntry[]): void {
    if (unfinished.size === 0) return;
    const present = new Set(entries.map(({ name }) => name));
    for (const name of unfinished.keys()) {
      if (!present.has(name)) unfinished.delete(name);
    }
  }
}

function refused(reason: SpoolRefusal['reason'], detail: string): Taken {
  return { type: 'refused', reason, detail };
}

function tooLarge(size: number): Taken {
  return refused('too-large', `It has ${size} bytes, at most ${MAX_BYTES} are read`);
}

function hasMarker(name: string, file: OwnFile): boolean {
  const marker = endMarker(name);
  return file.read(file.stats.size - marker.length, marker.length).equals(marker);
}

/** A hook that was stopped, or whose input never ended, may still have handed over a whole document. */
function isWhole({ facts, payload }: Envelope): boolean {
  const decoded = decodePayload({ facts, payload });
  return decoded.ok || decoded.reason === 'not-object';
}

function refusalOf(envelope: Envelope | EnvelopeProblem): SpoolRefusal {
  if ('problem' in envelope) return { reason: envelope.problem, detail: envelope.detail };
  if (envelope.payload.toString('latin1').trim() === '') {
    return { reason: 'empty', detail: 'Its hook ended before it received a payload' };
  }
  return { reason: 'truncated', detail: 'Its hook ended in the middle of the payload' };
}

function pidOf({ pid }: HookFacts): number | null {
  return pid !== undefined && /^[1-9]\d{0,9}$/.test(pid) ? Number(pid) : null;
}
