import { first } from './0001-first.ts';
import { alerts } from './0002-alerts.ts';
import { traffic } from './0003-traffic.ts';
import { heldConditions } from './0004-held-conditions.ts';
import { lookedUp } from './0005-looked-up.ts';
import { eventCount } from './0006-event-count.ts';
import { replyLinks } from './0007-reply-links.ts';
import { relay } from './0008-relay.ts';
import { asked } from './0009-asked.ts';
import { clocks } from './0010-clocks.ts';
import { turns } from './0011-turns.ts';
import { changes } from './0012-changes.ts';
import { snoozes } from './0013-snoozes.ts';
import { claimedHeads } from './0014-claimed-heads.ts';
import { questions } from './0015-questions.ts';
import { acknowledgements } from './0016-acknowledgements.ts';
import { waits } from './0017-waits.ts';
import { subjects } from './0018-subjects.ts';
import { people } from './0019-people.ts';

/**
 * All migrations in order. The database's `user_version` is the number of applied ones, so a released migration is
 * never changed: add a new one.
 */
export const migrations: readonly string[] = [
  first,
  alerts,
  traffic,
  heldConditions,
  lookedUp,
  eventCount,
  replyLinks,
  relay,
  asked,
  clocks,
  turns,
  changes,
  snoozes,
  claimedHeads,
  questions,
  acknowledgements,
  waits,
  subjects,
  people,
];
