import assert from 'node:assert/strict';

import type { HookPlan } from '../../src/setup/hooks.ts';
import { applyHooks } from '../../src/setup/hooks.ts';
import type { SettingsRecord } from '../../src/setup/manifest.ts';
import { emptyManifest } from '../../src/setup/manifest.ts';

/** Carries out a plan that has to be one to write, and answers what there is to undo it by. */
export async function writtenRecord(
  plan: HookPlan,
  manifest = emptyManifest,
): Promise<SettingsRecord> {
  assert.ok(plan.type === 'write', plan.type);
  const applied = await applyHooks(plan, manifest);
  assert.ok(applied.state === 'written', applied.state);
  const record = applied.manifest.settings.find(({ path }) => path === plan.path);
  assert.ok(record);
  return record;
}
