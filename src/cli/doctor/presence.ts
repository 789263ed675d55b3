import { HookbellError } from '../../platform/errors.ts';
import type { Check, CheckGuide } from './check.ts';
import { ok, skipped } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const presenceGuide = {
  name: 'presence',
  about:
    'How the daemon detects whether you are present. None of it has to work: if presence cannot be detected, you are notified',
  troubles: {},
} as const satisfies CheckGuide;
const { name } = presenceGuide;

/** How the daemon detects presence. None has to work: if presence cannot be detected, the user is notified. */
export async function checkPresence({ ask }: Pick<DoctorPorts, 'ask'>): Promise<Check> {
  try {
    const sources = await ask('GET /v1/presence');
    const words = sources.map(
      ({ source, detail }) => `${source}: ${detail ?? 'cannot be detected here'}`,
    );
    return ok(name, words.join('; '));
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error;
    return skipped(name, error.message);
  }
}
