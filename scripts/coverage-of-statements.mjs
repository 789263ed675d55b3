// Prints which acceptance statements about the service's interface (033 to 227) have a test that names them, and
// fails if one has none. A test names statements in its title ("acceptance 039, 040: …"), or in the row of a table
// the title is made from (id: '039, 040'). With --check only what is missing and the sum are printed.
import { testsThatName } from './tests-that-name.mjs';

const FIRST = 33;
const LAST = 227;

const LIST = String.raw`(?:\d{3}|[A-Z]\d{1,3})(?:(?:, | and )(?:\d{3}|[A-Z]\d{1,3}))*`;
const IN_TITLE = new RegExp(String.raw`acceptance (?:\$\{\w+\}, )?(${LIST})`, 'g');
const IN_TABLE = new RegExp(String.raw`(?:\bids?: |\[\s*)'(${LIST})'`, 'g');

const tested = testsThatName([IN_TITLE, IN_TABLE], /\b\d{3}\b/g);

const ids = Array.from({ length: LAST - FIRST + 1 }, (_, index) =>
  String(FIRST + index).padStart(3, '0'),
);
const missing = ids.filter((id) => !tested.has(id));

if (!process.argv.includes('--check')) {
  for (const id of ids) {
    process.stdout.write(`${id}  ${[...(tested.get(id) ?? ['NO TEST'])].join(', ')}\n`);
  }
}
process.stdout.write(`${ids.length - missing.length} of ${ids.length} statements have a test\n`);
if (missing.length > 0) process.stderr.write(`No test: ${missing.join(', ')}\n`);
process.exitCode = missing.length === 0 ? 0 : 1;
