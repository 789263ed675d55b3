import { type Answer, type Call, ok } from '../call.ts';
import { pageOf } from '../paging.ts';
import { updateLimits } from './limits-update.ts';

export function users(call: Call): Answer {
  const page = pageOf(call, call.world.people);
  if (page.isRefusal) return page;
  return ok({
    users: page.rows.map(({ id, email, createdAt, firstName, lastName, lastSignInAt, role }) => ({
      id,
      email,
      createdAt,
      metadata: { role },
      firstName,
      ...(lastName === undefined ? {} : { lastName }),
      lastSignInAt,
    })),
    pagination: { hasMore: page.hasMore, nextCursor: page.next },
  });
}

export function history(call: Call): Answer {
  const page = pageOf(call, call.world.controls);
  if (page.isRefusal) return page;
  return ok({
    changes: page.rows,
    pagination: { hasMore: page.hasMore, nextCursor: page.next },
  });
}

export function setLimits(call: Call): Answer {
  return ok(updateLimits(call));
}
