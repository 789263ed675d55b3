import type { PersonDay } from '../data/telemetry.ts';
import { MODELS } from '../data/vocabulary.ts';
import { mostSeen, sumOf, totalOf } from '../tally.ts';
import { languagesOf } from './productivity.ts';
import { ratio } from './ratio.ts';

export function userRow(date: string, entry: PersonDay) {
  const { person, userMessages, assistantMessages } = entry;
  const model = mostSeen(new Map(entry.models.map((use) => [use.model.id, use.input])));
  return {
    user_id: person.id,
    user_email: person.analyticsEmail,
    date,
    tool_calls: totalOf(entry.tools),
    billable_tokens: sumOf(entry.models.map(({ billable }) => billable)),
    files_created: entry.filesCreated,
    files_edited: totalOf(entry.extensions) - entry.filesCreated,
    git_commits: entry.commits,
    git_prs_created: entry.pullRequests,
    mcp_calls: totalOf(entry.servers),
    skill_calls: totalOf(entry.skills),
    slash_commands: totalOf(entry.commands),
    hooks: sumOf(entry.hooks),
    sessions: totalOf(entry.clients),
    messages: userMessages + assistantMessages,
    user_messages: userMessages,
    assistant_messages: assistantMessages,
    primary_model: model,
    primary_model_tier: MODELS.find(({ id }) => id === model)?.tier ?? 'standard',
    autonomy_ratio: ratio(totalOf(entry.tools), userMessages),
    delegation_level: entry.level,
    languages: [...languagesOf(entry.extensions).keys()],
  };
}
