import type { ModelUse, PersonDay } from '../data/telemetry.ts';
import { sumOf } from '../tally.ts';

interface ModelRow {
  model_id: string;
  model_tier: string;
  billable_tokens: number;
  input_tokens: number;
  output_tokens: number;
}

export function tokenRow(date: string, entries: readonly PersonDay[]) {
  const uses = entries.flatMap(({ models }) => models);
  return {
    date,
    billable_tokens: sumOf(uses.map(({ billable }) => billable)),
    input_tokens: sumOf(uses.map(({ input }) => input)),
    output_tokens: sumOf(uses.map(({ output }) => output)),
    cache_read_tokens: sumOf(uses.map(({ cacheRead }) => cacheRead)),
    cache_write_tokens: sumOf(uses.map(({ cacheWrite }) => cacheWrite)),
    by_model: byModel(uses),
    by_user: entries.map(({ person, models }) => ({
      user_id: person.id,
      // A string here by the document, though user rows may hold null for the same person.
      user_email: person.email,
      billable_tokens: sumOf(models.map(({ billable }) => billable)),
      by_model: byModel(models),
    })),
  };
}

/** One row a model: what `group_by=model` answers. */
export function tokenGroups(date: string, entries: readonly PersonDay[]) {
  return byModel(entries.flatMap(({ models }) => models)).map((row) => ({
    date,
    group_key: row.model_id,
    billable_tokens: row.billable_tokens,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
  }));
}

function byModel(uses: readonly ModelUse[]): ModelRow[] {
  const rows = new Map<string, ModelRow>();
  for (const { model, billable, input, output } of uses) {
    const row = rows.get(model.id);
    rows.set(model.id, {
      model_id: model.id,
      model_tier: model.tier,
      billable_tokens: (row?.billable_tokens ?? 0) + billable,
      input_tokens: (row?.input_tokens ?? 0) + input,
      output_tokens: (row?.output_tokens ?? 0) + output,
    });
  }
  return [...rows.values()];
}
