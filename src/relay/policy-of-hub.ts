import { z } from 'zod';

import type { Config } from '../config/config.ts';
import type { ConfigHolder } from '../config/config-holder.ts';
import { narrow } from '../config/narrow.ts';
import type { PolicyView } from '../control/contract-views.ts';
import { MachinePolicy, POLICY, PolicyAnswer, PolicyInForce } from '../core/hub/machine-policy.ts';
import type { Warnings } from '../delivery/warnings.ts';
import type { Log } from '../platform/log.ts';
import { stateFile } from '../platform/state-file.ts';
import { type Clock, idleTimer, isoTime, type StartTimer } from '../platform/time.ts';
import type { HubReply } from './link.ts';

export interface PolicyOfHubOptions {
  /** Persists the policy, so that it applies after a restart and while the hub is unreachable. */
  readonly path: string;
  readonly config: Pick<ConfigHolder, 'current' | 'changeBy'>;
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly now: Clock;
  readonly log: Log;
  readonly startTimer?: StartTimer;
}

/** Asks the hub, with a signed request; null: this machine relays to none. */
type AskHub = (path: string, body: object) => Promise<HubReply | null>;

export type PolicyOfHub = ReturnType<typeof createPolicyOfHub>;

const WARNING = 'policy';
/** The hub is asked this often; besides, it names its version whenever it accepts events, ms. */
const ASK_MS = 3_600_000;

const Kept = PolicyInForce.extend({
  /** The hub, as written in the configuration: another hub's policy means nothing. */
  to: z.string(),
  policy: MachinePolicy,
});
type Kept = z.output<typeof Kept>;

/**
 * Narrows the configuration by the policy of the hub. What the hub says is signed, as are all its answers to this machine.
 * A policy older than the one in force is refused.
 */
export function createPolicyOfHub(options: PolicyOfHubOptions) {
  const { path, config, warnings, now, log, startTimer = idleTimer } = options;
  const file = stateFile(path, Kept, { durable: true });
  let askHub: AskHub | null = null;
  let kept: Kept | null = null;
  let asking: Promise<void> | null = null;
  let cancel: (() => void) | null = null;
  let isStopped = false;

  const appliesTo = ({ relay }: Config): Kept | null =>
    relay !== null && kept?.to === relay.to ? kept : null;

  function apply(): Promise<void> {
    return config.changeBy((written) => {
      const its = appliesTo(written);
      return its === null ? written : narrow(written, its.policy);
    });
  }

  async function take({ version, policy }: PolicyInForce, to: string): Promise<void> {
    const before = kept?.to === to ? kept.version : 0;
    if (version === before) return;
    if (version < before) {
      log.warn({ version, before }, 'Refused a policy of the hub that is older than the one here');
      return;
    }
    const read = MachinePolicy.safeParse(policy);
    if (!read.success) {
      warnings.raise(
        WARNING,
        'Cannot read the policy of the hub, the previous one stays in force: run "hookbell upgrade"',
      );
      return;
    }
    warnings.clear(WARNING);
    kept = { to, version, policy: read.data };
    try {
      file.write(kept);
    } catch (error) {
      log.error({ err: error }, 'Cannot store the policy of the hub');
    }
    log.info({ version, policy: read.data }, 'Accepted a policy of the hub');
    await apply();
  }

  async function ask(): Promise<void> {
    const { relay } = config.current();
    if (relay === null) return;
    const reply = await askHub?.(POLICY, { version: 1 });
    if (reply?.type !== 'ok') {
      log.debug({ reply }, 'The other machine sent no policy');
      return;
    }
    const answer = PolicyAnswer.safeParse(reply.answer);
    if (!answer.success) {
      log.warn({}, "Cannot read the hub's response about its policy: hookbell here may be older");
    } else if (answer.data.policy !== null) await take(answer.data.policy, relay.to);
  }

  function askOnce(): void {
    if (isStopped) return;
    asking ??= ask()
      .catch((error: unknown) => log.warn({ err: error }, 'Cannot ask the hub for its policy'))
      .finally(() => {
        asking = null;
      });
  }

  function askEvery(): void {
    askOnce();
    cancel = startTimer(ASK_MS, askEvery);
  }

  return {
    /** Applies the policy that was in force before. */
    async resume() {
      kept = file.read(() => log.warn({ path }, 'Cannot read the policy of the hub that was kept'));
      if (kept !== null) await apply();
    },
    start(asks: AskHub) {
      askHub = asks;
      askEvery();
    },
    /** The hub's reported version; null: it has none, or is not a hub. */
    learnVersion(version: number | null) {
      if (version !== null && version !== appliesTo(config.current())?.version) askOnce();
    },
    view(): PolicyView | null {
      const its = appliesTo(config.current());
      return its === null ? null : { ...its.policy, setAt: isoTime(Math.min(its.version, now())) };
    },
    async stop() {
      isStopped = true;
      cancel?.();
      await asking;
    },
  };
}
