import type { Computer } from './data/computers.ts';
import { INSTALL_STEP } from './data/computers.ts';
import { addMessageTo } from './data/new-message.ts';
import type { Session } from './data/sessions.ts';
import type { World } from './world.ts';

/** How long an installation asked for takes. */
const INSTALL_MS = 30_000;

/** Lets happen what was due by `now`: sessions take up their work and end it, installations end. */
export function settle(world: World, now: number): void {
  for (const session of world.sessions) settleSession(world.seed, session, now);
  for (const computer of world.computers) settleComputer(computer, now);
}

function settleSession(seed: number, session: Session, now: number): void {
  for (let next = session.coming[0]; next !== undefined && next.at <= now;) {
    const { at, status } = next;
    session.status = status;
    session.updatedAt = at;
    if (status === 'pending') {
      delete session.completedAt;
      const user = { role: 'user', text: 'Go on', userMessageSource: 'web' } as const;
      addMessageTo(session, { seed, at, ...user });
    }
    if (status === 'idle') {
      session.completedAt = at;
      addMessageTo(session, { seed, at, role: 'assistant', text: 'Done' });
    }
    session.coming.shift();
    next = session.coming[0];
  }
}

function settleComputer(computer: Computer, now: number): void {
  const step = computer.provisioningSteps?.find(({ name }) => name === INSTALL_STEP);
  if (step?.startedAt === undefined || step.status !== 'installing') return;
  if (step.startedAt + INSTALL_MS > now) return;
  step.status = 'done';
  step.completedAt = step.startedAt + INSTALL_MS;
  computer.status = 'active';
}
