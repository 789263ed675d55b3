import { z } from 'zod';
import type { DesktopSession } from './desktop-session.ts';

export interface ShownPopUp {
  readonly title: string;
  /** As a reader sees it. */
  readonly body: string;
}

const text = z.object({ data: z.string() });
const answer = z.object({ data: z.array(z.array(z.object({ summary: text, body: text }))) });

/** Closes what dunst shows and answers all the pop-ups it has closed so far, the latest first. */
export async function dunstHistory(session: DesktopSession): Promise<readonly ShownPopUp[]> {
  await session.run('dunstctl', 'close-all');
  const { data } = answer.parse(JSON.parse(await session.run('dunstctl', 'history')));
  return data.flat().map(({ summary, body }) => ({
    title: summary.data,
    body: body.data.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  }));
}
