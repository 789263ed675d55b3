import { DAY_MS } from '../days.ts';
import type { JsonObject } from '../json-object.ts';
import { randomFor } from '../random.ts';
import { firstSettings } from './first-settings.ts';
import type { Person } from './users.ts';

export interface ControlChange {
  readonly revision: number;
  readonly settings: JsonObject;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly updatedAt: string;
}

/** The revision that is not there. */
const GAP = 13;
const LAST = 26;

/** Twenty-five revisions, newest first, each with the whole settings; number 13 is missing. */
export function createControls(
  seed: number,
  now: number,
  people: readonly Person[],
): readonly ControlChange[] {
  const random = randomFor(seed, 'controls');
  const authors = people.filter(({ role }) => role === 'owner' || role === 'manager');
  let settings = firstSettings(seed);
  const changes: ControlChange[] = [];
  for (let revision = 1; revision <= LAST; revision += 1) {
    if (revision > 1) settings = { ...settings, ...changeOf(revision, settings, seed) };
    if (revision === 18) settings = renamed(settings, 'ideAutoConnect', 'ideAutoConnectMode');
    const { id, email, firstName, lastName = '' } = random.pick(authors);
    if (revision === GAP) continue;
    changes.unshift({
      revision,
      settings,
      user: { id, email, name: `${firstName} ${lastName}`.trim() },
      updatedAt: new Date(now - (LAST - revision) * 3 * DAY_MS - DAY_MS).toISOString(),
    });
  }
  return changes;
}

/** What a revision changes: most toggle one thing, some loosen, rename or retype. */
function changeOf(revision: number, settings: JsonObject, seed: number): JsonObject {
  switch (revision) {
    case 5:
      return { commandDenylist: ['rm -rf /'] };
    case 9:
      return { customModels: firstSettings(seed + 1)['customModels'] };
    case 14:
      return { sandbox: { enabled: false } };
    case 16:
      return { brandNewPolicy: { mode: 'audit', apiToken: 'mock-secret-of-a-new-policy' } };
    case 21:
      return { sessionRetentionDays: '30' };
    case 24:
      return { networkPolicy: { allowedIps: ['0.0.0.0/0'] } };
    default:
      return { enableAgentShield: settings['enableAgentShield'] !== true };
  }
}

function renamed(settings: JsonObject, from: string, to: string): JsonObject {
  const { [from]: value, ...rest } = settings;
  return { ...rest, [to]: value };
}

/** One more revision: another command is allowed, and the custom models have other keys. */
export function addLooseRevision(changes: ControlChange[], seed: number, now: number): void {
  const [last] = changes;
  if (last === undefined) return;
  const revision = last.revision + 1;
  changes.unshift({
    ...last,
    revision,
    settings: {
      ...last.settings,
      commandAllowlist: ['git status', 'npm test', `deploy-${revision}`],
      customModels: firstSettings(seed + revision)['customModels'],
    },
    updatedAt: new Date(now).toISOString(),
  });
}
