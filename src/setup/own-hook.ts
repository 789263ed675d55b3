/** The name by which our own entries are recognised, wherever the program was installed. */
const HOOK_NAME = 'hookbell-hook';

/** Whether a command runs our hook, and does not only mention it. */
export function isOwnCommand(command: string): boolean {
  return new RegExp(`(^|[/\\\\])${HOOK_NAME}(['"\\s]|$)`).test(command);
}
