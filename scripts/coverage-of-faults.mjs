// Prints which faults have a test that names them ("… (fault 12)", "… (faults 5, 16)"), and fails if one has none and
// no reason why it cannot have one. With --check only what is missing and the sum are printed.
import { testsThatName } from './tests-that-name.mjs';

/** What may go wrong, by the number that tests carry in their names. Numbers left out belong to a server for teams. */
const FAULTS = {
  1: 'the daemon is killed under load',
  2: 'the daemon is killed between commit and removal of the envelope',
  3: 'the daemon is killed between the answer of a channel and its record',
  4: 'the daemon is killed inside a commit of several events',
  5: 'a hook is killed wherever it is',
  6: 'the daemon is ended with a queue',
  7: 'the daemon is stopped for a while',
  8: 'memory runs out',
  9: 'a channel throws or hangs',
  10: 'two concurrent daemons, stale pid files, numbers used again',
  11: 'a daemon that dies at each start',
  12: 'the disk of the database is full',
  13: 'the disk of the spool is full',
  14: 'quota, read-only file system, no rights, no spool',
  15: 'the disk answers with an I/O error',
  16: 'a write that is cut short',
  17: 'an envelope or a log that is cut at any byte',
  18: 'bits that flip',
  19: 'a database that is replaced',
  20: 'a state directory that is deleted or replaced',
  21: 'an envelope that is removed before its event is on disk',
  22: 'a power cut',
  23: 'a reader that keeps the log from being cut',
  24: 'an old schema, a newer schema, a crash inside a migration',
  25: 'a large backlog',
  26: 'a clock that jumps',
  27: 'a suspension of hours',
  28: '429 with Retry-After',
  29: '429 without, or with an odd one',
  30: 'an hour of 429',
  31: 'every status of HTTP',
  32: 'a success that is none',
  33: 'connections that fail, drip or never end',
  34: 'an outage of a day',
  35: 'a token that is revoked',
  36: 'all channels down',
  37: 'mail servers that refuse, cut and strip',
  38: 'no desktop, or one that hangs',
  39: 'one channel that hangs beside others',
  40: 'odd input of the hook',
  41: 'input that never ends',
  42: 'output that is closed or full',
  43: 'keys of a prototype',
  44: 'the same event twice',
  45: 'hundreds of concurrent hooks',
  46: 'any bytes at all, anywhere',
  47: 'an invalid configuration, a channel that is removed',
  48: 'a plan that is edited during an escalation',
  49: 'a mute between acceptance and sending',
  50: 'another user',
  51: 'planted links, pipes and directories',
  52: 'hostile texts in channels',
  53: 'hostile surroundings of the hook',
  54: 'webhooks to private addresses',
  55: 'secrets in texts',
  56: 'forged lines in the log',
  57: 'a control socket under attack',
  58: 'a configuration inside a repository',
  59: 'the package as published',
};

/** Why there is no test. */
const UNTESTABLE = {};

const LIST = String.raw`\d{1,2}(?:(?:, | and )\d{1,2})*`;
const tested = testsThatName([new RegExp(String.raw`\bfaults? (${LIST})`, 'g')], /\d+/g);
const numbers = Object.keys(FAULTS);
const missing = numbers.filter((id) => !tested.has(id) && UNTESTABLE[id] === undefined);
const stale = Object.keys(UNTESTABLE).filter((id) => tested.has(id));

if (!process.argv.includes('--check')) {
  for (const id of numbers) {
    const where = [...(tested.get(id) ?? [])].join(', ');
    process.stdout.write(
      `${id.padStart(2)}  ${FAULTS[id]}: ${where || UNTESTABLE[id] || 'NO TEST'}\n`,
    );
  }
}
process.stdout.write(
  `${numbers.filter((id) => tested.has(id)).length} of ${numbers.length} faults have a test\n`,
);
if (missing.length > 0) process.stderr.write(`No test: ${missing.join(', ')}\n`);
if (stale.length > 0) process.stderr.write(`Have a test by now: ${stale.join(', ')}\n`);
process.exitCode = missing.length + stale.length === 0 ? 0 : 1;
