import { figuresOf, isCounted } from '../../alerts/waiting-report.ts';
import type { SessionView } from '../../control/contract.ts';
import { sessionView } from '../../control/views.ts';
import type { AlertStore } from '../../core/alert.ts';
import type { Session, SessionStore } from '../../core/session.ts';
import { isWaiting } from '../../core/hook-event.ts';
import { type WaitSeries, type WaitStore } from '../../core/waiting.ts';
import type { TeamContent } from '../../page/team-html.ts';
import type { TeamMember } from '../../page/team-page.ts';
import { type Clock, isoTime } from '../../platform/time.ts';
import type { Redact } from '../../text/redact.ts';

export interface ReadTeamOptions {
  readonly store: {
    readonly sessions: Pick<SessionStore, 'list'>;
    readonly alerts: Pick<AlertStore, 'liveOf'>;
    readonly waits: Pick<WaitStore, 'series'>;
  };
  /** Null for a machine of no one. */
  readonly ownerOf: (machine: string) => TeamMember | null;
  /** `counts`: how many sessions of the team wait; `people`: also whose, without their texts. */
  readonly shows: 'counts' | 'people';
  readonly redact: Redact;
  readonly now: Clock;
}

const DAY_MS = 86_400_000;
const MOST_SESSIONS = 5_000;
/** Figures of fewer people would reveal those of one of them. */
const FEWEST_PEOPLE = 3;

/** What a person may see: their own sessions, and never a text of colleagues. */
export async function readTeam(
  person: TeamMember,
  days: number,
  { store, ownerOf, shows, redact, now }: ReadTeamOptions,
): Promise<TeamContent> {
  const at = now();
  const ownerOfSession = ({ machine }: Pick<Session, 'machine'>): TeamMember | null =>
    machine === null ? null : ownerOf(machine);
  const [sessions, series] = await Promise.all([
    store.sessions.list({ states: ['waiting', 'working', 'paused'], limit: MOST_SESSIONS }),
    store.waits.series({ since: at - days * DAY_MS, until: at }),
  ]);
  const own = sessions.filter((session) => ownerOfSession(session)?.email === person.email);
  const alerts = await store.alerts.liveOf(own.map(({ key }) => key));
  const alertOf = new Map(alerts.map((alert) => [alert.sessionKey, alert]));
  const views = (...states: readonly SessionView['state'][]): readonly SessionView[] =>
    own
      .filter(({ state }) => states.includes(state))
      .map((session) => sessionView(session, alertOf.get(session.key), redact, at));
  const { team } = person;
  const ofTeam = sessions.flatMap((session) => {
    const owner = session.state === 'waiting' ? ownerOfSession(session) : null;
    return owner === null || team === null || owner.team !== team ? [] : [{ session, owner }];
  });
  const ownerOfWait = ({ machine }: WaitSeries): TeamMember | null =>
    machine === null ? null : ownerOf(machine);
  const counted = series.filter(({ ending }) => isCounted(ending));
  return {
    person: { name: person.name ?? person.email, team },
    waiting: views('waiting'),
    working: views('working', 'paused'),
    team:
      team === null
        ? null
        : {
            count: ofTeam.length,
            oldest: oldestOf(ofTeam.map(({ session }) => session.stateSince)),
            colleagues:
              shows === 'counts'
                ? null
                : ofTeam.map(({ session, owner }) => ({
                    name: owner.name ?? owner.email,
                    agent: session.agent,
                    project: session.project === null ? null : redact(session.project),
                    since: isoTime(session.stateSince),
                  })),
          },
    days,
    own: split(counted.filter((one) => ownerOfWait(one)?.email === person.email)),
    teams: [...groupByTeam(counted, ownerOfWait)]
      .filter(([, { people }]) => shows === 'people' || people.size >= FEWEST_PEOPLE)
      .map(([name, { waits }]) => ({ team: name, ...split(waits) }))
      .toSorted((a, b) => (a.team ?? '\uFFFF').localeCompare(b.team ?? '\uFFFF')),
    hidesSmallTeams: shows === 'counts',
  };
}

function oldestOf(times: readonly number[]): string | null {
  return times.length === 0 ? null : isoTime(Math.min(...times));
}

function split(waits: readonly WaitSeries[]): TeamContent['own'] {
  return {
    asked: figuresOf(waits.filter(({ kind }) => isWaiting(kind))),
    done: figuresOf(waits.filter(({ kind }) => !isWaiting(kind))),
  };
}

interface TeamWaits {
  readonly waits: WaitSeries[];
  readonly people: Set<string>;
}

/** Without the waits of machines that belong to no one. */
function groupByTeam(
  waits: readonly WaitSeries[],
  ownerOf: (wait: WaitSeries) => TeamMember | null,
): ReadonlyMap<string | null, TeamWaits> {
  const groups = new Map<string | null, TeamWaits>();
  for (const wait of waits) {
    const owner = ownerOf(wait);
    if (owner === null) continue;
    const group = groups.get(owner.team) ?? { waits: [], people: new Set() };
    groups.set(owner.team, group);
    group.waits.push(wait);
    group.people.add(owner.email);
  }
  return groups;
}
