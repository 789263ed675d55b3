import type { Message } from './message.ts';

/** The text of a message; blocks without text are skipped. */
export function messageText({ content }: Pick<Message, 'content'>): string {
  return content
    .map(({ text }) => text ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

/** The text people may see in a notification: null for what is meant for the model only or marked invisible. */
export function textForPeople(message: Message): string | null {
  if (message.visibility === 'llm_only' || message.isUserVisible === false) return null;
  return messageText(message);
}
