import { X509Certificate } from 'node:crypto';

import type { MetricFamily } from '../core/metrics.ts';
import type { Warnings } from '../delivery/warnings.ts';
import { type Clock, idleTimer, isoTime, type StartTimer } from '../platform/time.ts';

const DAY_MS = 86_400_000;
/** Enough for a renewal by hand, and past the time at which automatic ones have run. */
const WARN_MS = 14 * DAY_MS;
const CHECK_MS = 3_600_000;
const WARNING = 'certificate';

export interface CertificateWatchOptions {
  readonly warnings: Pick<Warnings, 'raise' | 'clear'>;
  readonly now: Clock;
  readonly startTimer?: StartTimer;
}

/** Warns before the certificate of this daemon expires: from then on machines can no longer connect. */
export function createCertificateWatch(options: CertificateWatchOptions) {
  const { warnings, now, startTimer = idleTimer } = options;
  /** Unix ms; null: there is no certificate. */
  let endsAt: number | null = null;
  let cancel: (() => void) | null = null;

  function check(): void {
    cancel?.();
    cancel = endsAt === null ? null : startTimer(CHECK_MS, check);
    if (endsAt === null || endsAt - now() > WARN_MS) return warnings.clear(WARNING);
    const day = isoTime(endsAt).slice(0, 10);
    const state = endsAt > now() ? `expires on ${day}` : `expired on ${day}`;
    warnings.raise(
      WARNING,
      `The certificate of "listen" ${state}, and other machines refuse it from then on: renew it at its path, it is loaded without a restart`,
    );
  }

  return {
    /** @param pem the certificate in use, first in its chain; null: none */
    use(pem: string | null) {
      endsAt = pem === null ? null : Date.parse(new X509Certificate(pem).validTo);
      check();
    },
    families: (): readonly MetricFamily[] =>
      endsAt === null
        ? []
        : [
            {
              name: 'hookbell_certificate_expires_seconds',
              help: 'Time until the certificate of "listen" expires; negative afterwards',
              type: 'gauge',
              samples: [
                {
                  name: 'hookbell_certificate_expires_seconds',
                  labels: {},
                  value: Math.round((endsAt - now()) / 1_000),
                },
              ],
            },
          ],
    stop() {
      cancel?.();
      cancel = null;
    },
  };
}
