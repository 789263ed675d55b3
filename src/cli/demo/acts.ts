import type { Play } from './play.ts';

type Act = (play: Play) => Promise<void>;

/** The acts, in order. */
export const acts: readonly Act[] = [
  escalation,
  answerInTime,
  secondQuestion,
  burst,
  stillRunning,
  seen,
  crash,
];

async function escalation(play: Play): Promise<void> {
  await play.act('An unanswered question escalates to the team, with the title from the service');
  await play.hook('shop', 'asks to run "npm publish"', (script) =>
    script.permission('Execute', { command: 'npm publish' }),
  );
  await play.rings('desktop', 'shop');
  // The first notification hardly waits for the title; by now it must be known.
  await play.rings('team', 'shop', play.titleOf('shop'));
  await play.hook('shop', 'gets an answer', (script) => script.answer('Yes, publish it'));
  await play.withdrawn('shop');
}

async function answerInTime(play: Play): Promise<void> {
  await play.act('An answer in time: the team is not notified, and the pop-up is withdrawn');
  await play.hook('web', 'asks to write a file', (script) =>
    script.permission('Write', { file_path: 'src/cart.ts', content: 'export {};' }),
  );
  await play.rings('desktop', 'web');
  await play.hook('web', 'gets an answer', (script) => script.answer('Yes'));
  await play.withdrawn('web');
  await play.silent('team', 'web');
}

async function secondQuestion(play: Play): Promise<void> {
  await play.act('A second question replaces the first');
  await play.hook('billing', 'asks which currency', (script) => script.question('Which currency?'));
  await play.rings('desktop', 'billing', 'Which currency?');
  await play.pause(play.tempo.burstMs + 50);
  await play.hook('billing', 'asks which tax rate', (script) => script.question('Which tax rate?'));
  await play.rings('desktop', 'billing', 'Which tax rate?');
  await play.silent('team', 'billing');
  await play.rings('team', 'billing', 'Which tax rate?');
  await play.hook('billing', 'gets an answer', (script) => script.answer('EUR, 19 %'));
  await play.withdrawn('billing');
}

async function burst(play: Play): Promise<void> {
  await play.act('Four turns end together: one notification, then one for the rest');
  await play.hook('docs', 'is done', (script) => script.stop());
  await play.rings('desktop', 'docs');
  await Promise.all(
    (['mobile', 'infra', 'search'] as const).map((project) =>
      play.hook(project, 'is done', (script) => script.stop()),
    ),
  );
  await play.ringsTogether('desktop', ['mobile', 'infra', 'search']);
}

async function stillRunning(play: Play): Promise<void> {
  await play.act(
    'A turn ends while the service reports a running session: the notification waits until it stops',
  );
  await play.reply('deploy', 'And now the changelog');
  await play.hook('deploy', 'reports that it is done', (script) => script.stop());
  await play.held('desktop', 'deploy');
  play.letWorkEnd();
  await play.rings('desktop', 'deploy');
}

async function seen(play: Play): Promise<void> {
  await play.act('"hookbell ack": you have seen it, and the team is not notified');
  await play.hook('payments', 'asks to run "terraform apply"', (script) =>
    script.permission('Execute', { command: 'terraform apply' }),
  );
  await play.rings('desktop', 'payments');
  await play.acknowledge('payments');
  await play.withdrawn('payments');
  await play.silent('team', 'payments');
}

/** A question from before a crash still escalates, and events during the outage notify afterwards. */
async function crash(play: Play): Promise<void> {
  const { stage, timeline } = play;
  await play.act('The daemon is killed, and nothing is lost');
  await play.hook('mail', 'asks to send mail', (script) =>
    script.permission('Bash', { command: 'sendmail -t' }),
  );
  await play.rings('desktop', 'mail');
  await play.settled('mail');
  const killed = await stage.killDaemon();
  timeline.add({
    type: 'daemon',
    what: `The daemon (pid ${killed}) is killed by SIGKILL`,
    pid: killed,
  });
  await play.hook('reports', 'is done; its hook finds no daemon and starts one', (script) =>
    script.stop(),
  );
  const started = await stage.awaitDaemon();
  timeline.add({ type: 'daemon', what: `The daemon runs again (pid ${started})`, pid: started });
  await play.rings('desktop', 'reports');
  await play.rings('team', 'mail');
  await play.hook('mail', 'gets an answer', (script) => script.answer('No, stop'));
  await play.withdrawn('mail');
}
