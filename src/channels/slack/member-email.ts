import { z } from 'zod';

import type { CallSlack } from './web-api.ts';

/** https://docs.slack.dev/reference/methods/users.info */
const member = z.object({
  user: z.object({
    id: z.string(),
    team_id: z.string(),
    deleted: z.boolean().default(false),
    is_bot: z.boolean().default(false),
    profile: z.object({ email: z.string() }),
  }),
});

/**
 * The email address of a member, as the workspace has verified it; null for bots, former members, and members of another
 * workspace.
 *
 * @param account such as "Slack member T0123:U0123"
 */
export async function memberEmail(
  call: CallSlack,
  account: string,
  signal: AbortSignal,
): Promise<string | null> {
  const [, team, id] = /^Slack member (\w+):(\w+)$/.exec(account) ?? [];
  if (team === undefined || id === undefined) return null;
  const { data } = await call('users.info', { user: id }, signal);
  const { user } = member.safeParse(data).data ?? {};
  if (user === undefined || user.id !== id || user.team_id !== team) return null;
  return user.deleted || user.is_bot ? null : user.profile.email;
}
