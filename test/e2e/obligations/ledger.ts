import type { Finished } from '../../support/run-process.ts';
import type { Claim } from './claim.ts';

/** What is owed for a claim. */
export interface Entry {
  readonly claim: Claim;
  /** False where the hook ended with 0 but the spool, for some of that time, took nothing: then its loss is not a fault. */
  readonly isOwed: boolean;
}

/** All that was sent, and how the hooks behaved. */
export interface Ledger {
  readonly entries: ReadonlyMap<string, Entry>;
  /** Hooks that broke their promise, in words. */
  readonly offences: readonly string[];
  /** The longest a hook took, ms. */
  readonly slowestMs: () => number;
  /** Runs a hook for a claim, and notes what is owed from now on. */
  handIn(claim: Claim, hook: () => Promise<Finished>): Promise<void>;
  /** Notes a claim that lies in the spool already. */
  owe(claim: Claim): void;
  /** From now on until the answer is called the spool takes nothing, or may lose what it took. */
  spoolFails(): () => void;
}

/** A hook ends by itself after 4 s even when its input stays open; agents are configured to wait for 5 s. */
const HOOK_MS = 5_000;

export function createLedger(): Ledger {
  const entries = new Map<string, Entry>();
  const offences: string[] = [];
  let slowestMs = 0;
  let failing = 0;
  let failures = 0;

  function add(claim: Claim, isOwed: boolean): void {
    if (entries.has(claim.name)) throw new Error(`"${claim.name}" was sent before`);
    entries.set(claim.name, { claim, isOwed });
  }

  return {
    entries,
    offences,
    slowestMs: () => slowestMs,
    async handIn(claim, hook) {
      const failuresBefore = failing > 0 ? -1 : failures;
      const startedAt = performance.now();
      const { code, stdout, stderr } = await hook();
      const ms = performance.now() - startedAt;
      slowestMs = Math.max(slowestMs, ms);
      add(claim, code === 0 && failures === failuresBefore);
      if (code !== 0) offences.push(`the hook of "${claim.name}" ended with ${code}`);
      if (stdout + stderr !== '') offences.push(`the hook of "${claim.name}" said something`);
      if (ms > HOOK_MS) offences.push(`the hook of "${claim.name}" took ${Math.round(ms)} ms`);
    },
    owe: (claim) => add(claim, true),
    spoolFails() {
      failing += 1;
      failures += 1;
      return () => void (failing -= 1);
    },
  };
}
