import type { Computer } from './data/computers.ts';
import { INSTALL_STEP } from './data/computers.ts';
import type { Session } from './data/sessions.ts';
import { randomFor } from './random.ts';
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
    session.status = next.status;
    session.updatedAt = next.at;
    if (next.status === 'idle') finishWork(seed, session, next.at);
    session.coming.shift();
    next = session.coming[0];
  }
}

function finishWork(seed: number, session: Session, at: number): void {
  const random = randomFor(seed, 'answer', session.sessionId, session.messages.length);
  const parentId = session.messages.at(-1)?.id;
  session.completedAt = at;
  session.messages.push({
    id: `msg_${random.hex(16)}`,
    role: 'assistant',
    content: [{ id: `block_${random.hex(8)}`, text: 'Done' }],
    createdAt: at,
    updatedAt: at,
    ...(parentId === undefined ? {} : { parentId }),
    visibility: 'both',
    isUserVisible: true,
    isError: false,
  });
}

function settleComputer(computer: Computer, now: number): void {
  const step = computer.provisioningSteps?.find(({ name }) => name === INSTALL_STEP);
  if (step?.startedAt === undefined || step.status !== 'installing') return;
  if (step.startedAt + INSTALL_MS > now) return;
  step.status = 'done';
  step.completedAt = step.startedAt + INSTALL_MS;
  computer.status = 'active';
}
