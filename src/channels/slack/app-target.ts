import { z } from 'zod';

import type { ChannelCheck } from '../../core/channel.ts';
import { failed, type Outcome, retry } from '../../core/outcome.ts';
import type { Recipient } from '../../core/looked-up.ts';
import { botScopes } from './app-manifest.ts';
import { TO_PERSON } from './slack-options.ts';
import type { CallSlack } from './web-api.ts';

const conversation = z.object({ channel: z.object({ id: z.string() }) });
const foundUser = z.object({ user: z.object({ id: z.string() }) });
const identity = z.object({ team: z.string(), user: z.string() });

export type AppTarget = { readonly channel: string } | { readonly outcome: Outcome };

/** Finds the conversation of `to`. @param owner the first member's id, or null @param recipient for `dm:@person` */
export async function findTarget(
  call: CallSlack,
  { to, owner, recipient }: { to: string; owner: string | null; recipient?: Recipient | undefined },
  signal: AbortSignal,
): Promise<AppTarget> {
  if (!to.startsWith('dm:')) return { channel: to };
  let person = owner;
  if (to !== 'dm:@owner') {
    const known = recipient?.type === 'found' ? recipient.address : null;
    const email = to === TO_PERSON ? known : to.slice('dm:'.length);
    if (email === null) {
      const why = recipient?.type === 'unknown' ? recipient.reason : 'no person is known';
      return { outcome: failed(`It is for one person only, and ${why}`) };
    }
    const answer = await call('users.lookupByEmail', { email }, signal);
    if (to === TO_PERSON && answer.error === 'users_not_found') {
      // The others can still be written to.
      return { outcome: failed(`Cannot deliver to Slack: it does not know "${email}"`) };
    }
    if (answer.outcome.type !== 'delivered') return answer;
    person = foundUser.safeParse(answer.data).data?.user.id ?? null;
  }
  const answer = await call('conversations.open', { users: person }, signal);
  if (answer.outcome.type !== 'delivered') return answer;
  const { data } = conversation.safeParse(answer.data);
  if (data !== undefined) return { channel: data.channel.id };
  return { outcome: retry('Cannot deliver to Slack: it returned no conversation') };
}

/** Whether the app can post, without posting: its token, its scopes, its conversation and its connection. */
export async function checkApp(
  call: CallSlack,
  {
    trouble,
    takesPresses,
    ...place
  }: {
    readonly to: string;
    readonly owner: string | null;
    /** Why buttons have no effect; null: they have one, or none was wanted. */
    readonly trouble: string | null;
    readonly takesPresses: boolean;
  },
  signal: AbortSignal,
): Promise<ChannelCheck> {
  const me = await call('auth.test', {}, signal);
  if (me.outcome.type !== 'delivered') return { ok: false, summary: me.outcome.reason };
  const missing = botScopes.filter((scope) => !me.scopes.includes(scope));
  if (missing.length > 0) {
    return {
      ok: false,
      summary: `The app lacks the scope "${missing.join('", "')}"`,
      hint: 'Replace its manifest with the output of "hookbell channel manifest", and install the app again',
    };
  }
  const target = place.to === TO_PERSON ? null : await findTarget(call, place, signal);
  if (target !== null && 'outcome' in target && target.outcome.type !== 'delivered') {
    return { ok: false, summary: target.outcome.reason };
  }
  if (trouble !== null) {
    return { ok: false, summary: `Buttons have no effect: ${trouble}`, hint: 'Check "app_token"' };
  }
  const { data: we } = identity.safeParse(me.data);
  const how = takesPresses
    ? 'with buttons'
    : 'without buttons, which need "app_token" and "members"';
  return {
    ok: true,
    summary: `Posts as "${we?.user ?? 'the app'}" in "${we?.team ?? 'Slack'}", ${how}`,
  };
}

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

/** The address that the workspace has verified; null for bots and strangers. @param account such as "Slack member T0123:U0123" */
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
