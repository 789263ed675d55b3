// Prints which acceptance statements about the service's interface (033 to 227) have a test that names them, and
// fails if one has none. A test names statements in its title ("acceptance 039, 040: …"), or in the row of a table
// the title is made from (id: '039, 040').
import { readFileSync, readdirSync } from 'node:fs';

const FIRST = 33;
const LAST = 227;

/** What the client alone cannot satisfy, and who will. A statement that has a test by now must leave the list. */
const PENDING = {
  '067': 'reports: clients are never summed into daily users',
  '069': 'reports: trailing windows are never summed over days',
};

/** Tested as far as the client goes; these parts have their share still to show. */
const REST = {
  '050': 'reports',
  '061': 'reports and alerts',
  '062': 'tables, CSV, HTML and Slack texts',
  '082': 'scheduled jobs',
  '088': 'charts',
  114: 'watchers',
  141: 'notifications',
  146: 'notifications',
  161: 'notifications and logs',
  163: 'alerts on computers',
  168: 'routing',
  171: 'diffs of controls',
  179: 'state files and notifications',
  188: 'texts about controls',
  193: 'exit codes',
  199: 'jobs that pause',
  203: 'features that turn off',
  227: 'the command line and what it is for',
};

const LIST = String.raw`(?:\d{3}|[A-Z]\d{1,3})(?:(?:, | and )(?:\d{3}|[A-Z]\d{1,3}))*`;
const IN_TITLE = new RegExp(String.raw`acceptance (?:\$\{\w+\}, )?(${LIST})`, 'g');
const IN_TABLE = new RegExp(String.raw`(?:\bids?: |\[\s*)'(${LIST})'`, 'g');

const root = new URL('../test/', import.meta.url);
const tested = new Map();
for (const name of readdirSync(root, { recursive: true }).map(String).toSorted()) {
  if (!name.endsWith('.ts')) continue;
  const text = readFileSync(new URL(name, root), 'utf8');
  for (const [, list = ''] of [...text.matchAll(IN_TITLE), ...text.matchAll(IN_TABLE)]) {
    for (const [id] of list.matchAll(/\b\d{3}\b/g)) {
      tested.set(id, (tested.get(id) ?? new Set()).add(name));
    }
  }
}

const ids = Array.from({ length: LAST - FIRST + 1 }, (_, index) =>
  String(FIRST + index).padStart(3, '0'),
);
const missing = ids.filter((id) => !tested.has(id) && PENDING[id] === undefined);
const stale = Object.keys(PENDING).filter((id) => tested.has(id));

for (const id of ids) {
  const rest = REST[id] === undefined ? '' : `  (client only; rest: ${REST[id]})`;
  const where = [...(tested.get(id) ?? [])].join(', ') + rest;
  process.stdout.write(
    `${id}  ${where || (PENDING[id] ? `pending: ${PENDING[id]}` : 'NO TEST')}\n`,
  );
}
process.stdout.write(
  `${ids.length - missing.length - Object.keys(PENDING).length + stale.length} of ${ids.length} have a test\n`,
);
if (stale.length > 0) process.stderr.write(`No longer pending: ${stale.join(', ')}\n`);
if (missing.length > 0) process.stderr.write(`No test: ${missing.join(', ')}\n`);
process.exitCode = missing.length + stale.length === 0 ? 0 : 1;
