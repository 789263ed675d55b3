import { z } from 'zod';
import {
  StandardCredits,
  UserId,
  UtcDay,
  flag,
  number,
  openEnum,
  text,
  textOrNull,
  texts,
} from '../schema-parts.ts';

const credits = StandardCredits.nullish();

export const ModelTokens = z.looseObject({
  model_id: text,
  model_tier: text,
  billable_tokens: credits,
  input_tokens: number,
  output_tokens: number,
});
export type ModelTokens = z.infer<typeof ModelTokens>;

export const TokenRow = z.looseObject({
  date: UtcDay,
  billable_tokens: credits,
  input_tokens: number,
  output_tokens: number,
  cache_read_tokens: number,
  cache_write_tokens: number,
  by_model: z.array(ModelTokens).nullish(),
  by_user: z
    .array(
      z.looseObject({
        user_id: text,
        // "string" here, "string or null" in the user rows: nullable in both.
        user_email: textOrNull,
        billable_tokens: credits,
        // Its items are not documented; assumed to be those of the row's `by_model`.
        by_model: z.array(ModelTokens).nullish(),
      }),
    )
    .nullish(),
});
export type TokenRow = z.infer<typeof TokenRow>;

export const GroupedTokenRow = z.looseObject({
  date: UtcDay,
  /** Model id. */
  group_key: z.string(),
  billable_tokens: credits,
  input_tokens: number,
  output_tokens: number,
});
export type GroupedTokenRow = z.infer<typeof GroupedTokenRow>;

export const ToolRow = z.looseObject({
  date: UtcDay,
  tool_calls: number,
  by_tool: z.array(z.looseObject({ tool: text, invocations: number })).nullish(),
  mcp_users_with_mcp: number,
  mcp_by_server: z.array(z.looseObject({ server: text, invocations: number })).nullish(),
  skills_invocations: number,
  skills_by_name: z.array(z.looseObject({ name: text, count: number })).nullish(),
  slash_commands_invocations: number,
  slash_commands_by_name: z.array(z.looseObject({ name: text, count: number })).nullish(),
  hooks_invocations: number,
  hooks_by_event: z
    .array(z.looseObject({ event: text, matcher: text, command: text, count: number }))
    .nullish(),
  web_users: number,
  autonomy_ratio_avg: number,
  /** The median. */
  autonomy_ratio_p50: number,
  autonomy_ratio_p90: number,
  tool_calls_per_session_avg: number,
  user_turns_per_session_avg: number,
  /** `auto_high`, `auto_medium`, `auto_low`, `manual`: underscores, unlike the hyphens of `delegation_level`. */
  tool_autonomy_level_ratio: z
    .looseObject({ auto_high: number, auto_medium: number, auto_low: number, manual: number })
    .catchall(number)
    .nullish(),
});
export type ToolRow = z.infer<typeof ToolRow>;

export const GroupedToolRow = z.looseObject({
  date: UtcDay,
  /** Tool name. */
  group_key: z.string(),
  tool_calls: number,
});
export type GroupedToolRow = z.infer<typeof GroupedToolRow>;

export const ActivityRow = z.looseObject({
  date: UtcDay,
  daily_active_users: number,
  /** Of the trailing 7 days: never sum over days. */
  weekly_active_users: number,
  /** Of the trailing 30 days: never sum over days. */
  monthly_active_users: number,
  /** By client type. A person on two clients counts in both, so the sum may exceed `daily_active_users`. */
  daily_active_users_by_client: z.record(z.string(), z.number()).nullish(),
  sessions: number,
  messages: number,
  user_messages: number,
});
export type ActivityRow = z.infer<typeof ActivityRow>;

export const GroupedActivityRow = z.looseObject({
  date: UtcDay,
  /** Client type. */
  group_key: openEnum(['terminal-ui', 'web', 'non-interactive-cli']),
  daily_active_users: number,
});
export type GroupedActivityRow = z.infer<typeof GroupedActivityRow>;

export const ProductivityRow = z.looseObject({
  date: UtcDay,
  files_created: number,
  files_edited: number,
  by_extension: z.array(z.looseObject({ extension: text, count: number })).nullish(),
  by_language: z.array(z.looseObject({ language: text, count: number })).nullish(),
  git_commits: number,
  git_prs_created: number,
});
export type ProductivityRow = z.infer<typeof ProductivityRow>;

export const UserRow = z.looseObject({
  user_id: UserId,
  user_email: textOrNull,
  date: UtcDay,
  tool_calls: number,
  billable_tokens: credits,
  files_created: number,
  files_edited: number,
  git_commits: number,
  git_prs_created: number,
  mcp_calls: number,
  skill_calls: number,
  slash_commands: number,
  hooks: number,
  sessions: number,
  messages: number,
  user_messages: number,
  assistant_messages: number,
  primary_model: text,
  primary_model_tier: openEnum(['standard', 'thinking']).nullish(),
  /** Tool calls per user turn. */
  autonomy_ratio: number,
  delegation_level: openEnum(['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual']).nullish(),
  languages: texts,
});
export type UserRow = z.infer<typeof UserRow>;

export const AnalyticsMeta = z.looseObject({
  org_id: text,
  /** Echo of the requested range. */
  start_date: text,
  end_date: text,
  /** Of `/users` only, like `next_cursor`. */
  has_more: flag,
  next_cursor: text,
});
export type AnalyticsMeta = z.infer<typeof AnalyticsMeta>;

/** The envelope of every analytics response. */
export function envelopeOf<Row extends z.ZodType>(row: Row) {
  return z.looseObject({ data: z.array(row), meta: AnalyticsMeta });
}
