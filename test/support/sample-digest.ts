import { createRedactor } from '../../src/text/redact.ts';
import { createClient } from '../../src/vendor/client/index.ts';
import { startMock } from '../../src/vendor/reference-service/reference-server.ts';
import type { DigestOptions } from '../../src/vendor/reports/digest-audit.ts';
import { type Digest, digestDays } from '../../src/vendor/reports/digest-blocks.ts';
import {
  createDigest,
  readDigestAudit,
  readDigestRows,
} from '../../src/vendor/reports/digest-report.ts';

/** A Friday. */
export const DIGEST_DAY = '2026-04-17';

const now = (): number => Date.parse('2026-04-18T09:00:00Z');

/** The digest of invented days of the reference service, always the same. */
export async function sampleDigest(options: Partial<DigestOptions> = {}): Promise<Digest> {
  await using mock = await startMock({ now: now(), seed: 2 });
  const { baseUrl, appUrl, keys } = mock;
  const client = createClient({ baseUrl, appUrl, apiKey: () => keys.owner, now });
  const every = 'week';
  const { days } = digestDays(DIGEST_DAY, every);
  const wanted = { readiness: true, controls: true };
  return createDigest(await readDigestRows(client.analytics, DIGEST_DAY), DIGEST_DAY, {
    every,
    users: false,
    rate: null,
    own: {
      events: 1_480,
      sent: { desktop: 96, team: 21, mail: 4 },
      questions: 61,
      answered: 58,
      waitsMs: [22_000, 41_000, 68_000, 95_000, 2_640_000],
    },
    audit: await readDigestAudit(client, wanted, days),
    redactor: createRedactor({ prefixes: [], keys: [] }),
    ...options,
  });
}
