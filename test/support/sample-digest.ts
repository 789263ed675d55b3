import { waitingReport } from '../../src/alerts/waiting-report.ts';
import type { WaitSeries } from '../../src/core/waiting.ts';
import { createRedactor } from '../../src/text/redact.ts';
import { createClient } from '../../src/vendor/client/index.ts';
import { startMock } from './reference-service/reference-server.ts';
import type { DigestOptions } from '../../src/vendor/reports/digest-audit.ts';
import { type Digest, digestDays } from '../../src/vendor/reports/digest-blocks.ts';
import {
  createDigest,
  readDigestAudit,
  readDigestRows,
} from '../../src/vendor/reports/digest-report.ts';
import type { DigestWaiting } from '../../src/vendor/reports/digest-waiting.ts';

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
    waiting: sampleWaiting(),
    audit: await readDigestAudit(client, wanted, days),
    redactor: createRedactor({ prefixes: [], keys: [] }),
    ...options,
  });
}

/** A month in which people came back sooner and sooner. */
function sampleWaiting(): DigestWaiting {
  const { days, before, course } = digestDays(DIGEST_DAY, 'week');
  const all = Array.from({ length: 28 }, (_, index): WaitSeries => {
    const at = Date.parse(course.startDate) + index * 86_400_000;
    return {
      day: new Date(at).toISOString().slice(0, 10),
      kind: index % 4 === 3 ? 'turn.done' : 'needs.permission',
      agent: 'claude',
      project: index % 3 === 0 ? 'api' : 'shop',
      machine: null,
      ending: 'terminal',
      channel: index % 2 === 0 ? 'desktop' : 'ntfy',
      step: index % 2,
      workingMs: (30 - index) * 90_000,
      gapMs: 0,
      waitsMs: [(30 - index) * 20_000, (30 - index) * 90_000],
      returnsMs: [12_000, 40_000],
    };
  });
  const within = ({ startDate, endDate }: typeof days) =>
    all.filter(({ day }) => day >= startDate && day <= endDate);
  const period = { since: 0, until: 0, gaps: [] };
  return {
    projects: waitingReport(within(days), { ...period, by: 'project' }),
    before: waitingReport(within(before), { ...period, by: 'project' }),
    course: waitingReport(all, { ...period, by: 'day' }),
    requests: waitingReport([], { ...period, by: 'request' }),
  };
}
