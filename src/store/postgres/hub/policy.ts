import type { PolicySetting } from '../../../core/hub/hub-store.ts';
import type { PolicyInForce } from '../../../core/hub/machine-policy.ts';
import { isJsonObject } from '../../../platform/json.ts';
import type { Connection, Query } from '../../query.ts';
import { readInteger, readJson } from '../../row.ts';
import { audit } from './audit.ts';

/** The policy for machines; null: none was ever set. */
export function* readPolicy(connection: Connection): Query<PolicyInForce | null> {
  const row = yield* connection.get('SELECT * FROM policies ORDER BY version DESC LIMIT 1');
  if (row === null) return null;
  return { version: readInteger(row, 'version'), policy: readJson(row, 'body', isJsonObject) };
}

/** A change of the clock does not make a new one older than the one before. */
export function* setPolicy(
  connection: Connection,
  now: number,
  { policy, actor }: PolicySetting,
): Query<PolicyInForce> {
  yield* connection.run('LOCK TABLE policies IN SHARE ROW EXCLUSIVE MODE');
  const version = Math.max(now, ((yield* readPolicy(connection))?.version ?? 0) + 1);
  const body = JSON.stringify(policy);
  yield* connection.run('INSERT INTO policies (version, body) VALUES (?, ?)', version, body);
  yield* audit(connection, now, { actor, action: 'policy', target: null, detail: policy });
  return { version, policy };
}
