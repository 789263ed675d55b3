import { answerOf } from './exchange.ts';
import { fileJobs } from './jobs.ts';

// Does file work for the daemon, one piece after the other, where touching a file may hang: whoever does so can become
// unkillable, which the daemon must not. It ends with the daemon.
process.on('disconnect', () => process.exit());
process.on('message', (text) => {
  void answerOf(String(text), fileJobs).then((answer) => process.send?.(answer));
});
process.send?.('ready');
