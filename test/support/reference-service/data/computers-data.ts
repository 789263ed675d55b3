import { randomFor } from '../random.ts';
import { sessionIdOf } from './sessions-data.ts';

export interface StoredStep {
  readonly id: string;
  readonly name: string;
  status: string;
  error?: string;
  installSessionId?: string;
  startedAt?: number;
  completedAt?: number;
}

export interface StoredComputer {
  readonly id: string;
  name: string;
  readonly providerType: string;
  readonly createdAt: number;
  hostId?: string;
  hostname?: string;
  status?: 'provisioning' | 'active' | 'error';
  provisioningSteps?: StoredStep[];
  relayClientUrl?: string;
  relayAgentUrl?: string;
  remoteUser?: string;
  ownerPrincipalKind?: string;
  ownerId?: string;
}

/** The one step that can be asked for again. */
export const INSTALL_STEP = 'install-dependencies';

const HOUR_MS = 3_600_000;
const LONGEST_NAME = `build-${'x'.repeat(56)}é`;

/**
 * Six computers: a self-hosted one, a hosted one, one whose last step failed, one without a status, one with the
 * longest name and a time in seconds, and one that is being set up.
 */
export function createComputers(
  seed: number,
  now: number,
  ownerId: string,
): readonly StoredComputer[] {
  const random = randomFor(seed, 'computers');
  const id = (): string => `cmp_${random.hex(12)}`;
  const hostId = random.uuid();
  return [
    {
      id: id(),
      name: 'ada-laptop',
      providerType: 'byom',
      createdAt: now - 900 * HOUR_MS,
      hostId,
      hostname: 'ada.local',
      status: 'active',
      provisioningSteps: [],
      relayClientUrl: `wss://relay.example.com/client/${hostId}?ticket=mock-secret-${random.hex(8)}`,
      relayAgentUrl: `wss://relay.example.com/agent/${hostId}?ticket=mock-secret-${random.hex(8)}`,
      remoteUser: 'ada',
      ownerPrincipalKind: 'user',
      ownerId,
    },
    {
      id: id(),
      name: 'cloud 1/eu',
      providerType: 'hosted-sandbox',
      createdAt: now - 500 * HOUR_MS,
      status: 'active',
      provisioningSteps: [
        finished('create-machine', now - 500 * HOUR_MS),
        finished(INSTALL_STEP, now - 499 * HOUR_MS),
      ],
    },
    {
      id: id(),
      name: 'cloud-2',
      providerType: 'hosted-sandbox',
      createdAt: now - 48 * HOUR_MS,
      status: 'error',
      provisioningSteps: [
        finished('create-machine', now - 48 * HOUR_MS),
        {
          id: 'step_install',
          name: INSTALL_STEP,
          status: 'failed',
          error: 'npm ci ended with exit code 1: ERESOLVE could not resolve',
          installSessionId: sessionIdOf(seed, 6),
          startedAt: now - 47 * HOUR_MS,
        },
      ],
    },
    { id: id(), name: 'old-mac', providerType: 'byom', createdAt: now - 4_000 * HOUR_MS },
    {
      id: id(),
      name: LONGEST_NAME,
      providerType: 'byom',
      createdAt: Math.floor(now / 1_000) - 90_000,
      status: 'active',
      remoteUser: 'ci',
    },
    {
      id: id(),
      name: 'cloud-3',
      providerType: 'hosted-sandbox',
      createdAt: now - 600_000,
      status: 'provisioning',
      provisioningSteps: [
        finished('create-machine', now - 600_000),
        { id: 'step_install', name: INSTALL_STEP, status: 'installing', startedAt: now - 5_000 },
      ],
    },
  ];
}

function finished(name: string, at: number): StoredStep {
  return { id: `step_${name}`, name, status: 'done', startedAt: at, completedAt: at + 60_000 };
}
