import { fileAnswerOf } from './file-exchange.ts';
import { fileJobs } from './file-jobs.ts';

// Does file work for the daemon, one job after the other, where accessing a file may hang and make the process
// unkillable, which must not happen to the daemon. It ends with the daemon.
process.on('disconnect', () => process.exit());
process.on('message', (text) => {
  void fileAnswerOf(String(text), fileJobs).then((answer) => process.send?.(answer));
});
process.send?.('ready');
