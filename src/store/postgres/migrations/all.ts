import { firstTables } from './0001-first.ts';
import { triggers } from './0002-triggers.ts';
import { hub } from './0003-hub.ts';
import { batches } from './0004-batches.ts';
import { limits } from './0005-limits.ts';
import { policies } from './0006-policies.ts';
import { pollerMemory } from './0007-poller-memory.ts';
import { vacuum } from './0008-vacuum.ts';
import { heartbeats } from './0009-heartbeats.ts';
import { keySeal } from './0010-key-seal.ts';
import { erasure } from './0011-erasure.ts';
import { removedBy } from './0012-removed-by.ts';
import { processConfigs } from './0013-process-configs.ts';
import { fewerRequeues } from './0014-fewer-requeues.ts';
import { sealProofs } from './0015-seal-proofs.ts';
import { erasures } from './0016-erasures.ts';
import { steadyPlans } from './0017-steady-plans.ts';

/** All migrations in order. A released one is never changed: add a new one. */
export const serverMigrations: readonly string[] = [
  firstTables,
  triggers,
  hub,
  batches,
  limits,
  policies,
  pollerMemory,
  vacuum,
  heartbeats,
  keySeal,
  erasure,
  removedBy,
  processConfigs,
  fewerRequeues,
  sealProofs,
  erasures,
  steadyPlans,
];
