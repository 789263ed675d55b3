import type { Play } from './play.ts';

/** The scenes, in order. */
export const scenes: readonly ((play: Play) => Promise<void>)[] = [
  escalation,
  answerInTime,
  secondQuestion,
  burst,
  acknowledged,
  crash,
];

async function escalation({ scene, hook, sent, closed }: Play): Promise<void> {
  await scene('An unanswered question escalates to the team');
  await hook('shop', 'asks to run "npm publish"', permission('Bash', { command: 'npm publish' }));
  await sent('desktop', ['shop']);
  await sent('team', ['shop']);
  await hook('shop', 'gets an answer', prompt('Yes, publish it'));
  await closed('shop');
}

async function answerInTime({ scene, hook, sent, closed, cancelled }: Play): Promise<void> {
  await scene('An answer in time: the alert is closed, and the team is not notified');
  await hook('web', 'asks to write a file', permission('Write', { file_path: 'src/cart.ts' }));
  await sent('desktop', ['web']);
  await hook('web', 'gets an answer', prompt('Yes'));
  await closed('web');
  await cancelled('team', 'web');
}

async function secondQuestion(play: Play): Promise<void> {
  const { scene, hook, sent, closed, cancelled, pause } = play;
  await scene('A second question replaces the first');
  await hook('billing', 'asks which currency', question('Which currency?'));
  await sent('desktop', ['billing']);
  await pause();
  await hook('billing', 'asks which tax rate', question('Which tax rate?'));
  await sent('desktop', ['billing']);
  await cancelled('team', 'billing');
  await sent('team', ['billing']);
  await hook('billing', 'gets an answer', prompt('EUR, 19 %'));
  await closed('billing');
}

async function burst({ scene, hook, sent }: Play): Promise<void> {
  await scene('Four turns end together: one notification, then one for the rest');
  await hook('docs', 'is done', stop);
  await sent('desktop', ['docs']);
  const others = ['mobile', 'infra', 'search'];
  await Promise.all(others.map((project) => hook(project, 'is done', stop)));
  await sent('desktop', others);
}

async function acknowledged(play: Play): Promise<void> {
  await play.scene('"hookbell ack": you have seen it, and the team is not notified');
  const apply = permission('Bash', { command: 'terraform apply' });
  await play.hook('payments', 'asks to run "terraform apply"', apply);
  await play.sent('desktop', ['payments']);
  await play.acknowledge('payments');
  await play.cancelled('team', 'payments');
}

/** A question from before a crash still escalates, and events during the outage notify afterwards. */
async function crash({ scene, hook, sent, closed, killDaemon, awaitDaemon }: Play): Promise<void> {
  await scene('The daemon is killed, and nothing is lost');
  await hook('mail', 'asks to send mail', permission('Bash', { command: 'sendmail -t' }));
  await sent('desktop', ['mail']);
  await killDaemon();
  await hook('reports', 'is done; its hook finds no daemon and starts one', stop);
  await awaitDaemon();
  await sent('desktop', ['reports']);
  await sent('team', ['mail']);
  await hook('mail', 'gets an answer', prompt('No, stop'));
  await closed('mail');
}

type Payload = Readonly<Record<string, unknown>>;

/** Payloads of Claude Code's hooks, without what is the same in all of a session. */
const permission = (tool: string, input: Payload): Payload => ({
  hook_event_name: 'PermissionRequest',
  tool_name: tool,
  tool_input: input,
});
const question = (message: string): Payload => ({
  hook_event_name: 'Notification',
  notification_type: 'elicitation_dialog',
  message,
});
const prompt = (text: string): Payload => ({ hook_event_name: 'UserPromptSubmit', prompt: text });
const stop: Payload = { hook_event_name: 'Stop', stop_hook_active: false };
