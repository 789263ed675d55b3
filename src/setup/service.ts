import { launchd } from './services/launchd.ts';
import type { ServiceFacts, ServiceManager } from './services/service-manager.ts';
import { systemd } from './services/systemd.ts';
import { taskScheduler } from './services/task-scheduler.ts';

/** The service manager of the platform, or null where there is none (the hook then starts the daemon). */
export function serviceManager(facts: ServiceFacts): ServiceManager | null {
  if (facts.platform === 'linux') return systemd(facts);
  if (facts.platform === 'darwin') return launchd(facts);
  return facts.platform === 'win32' ? taskScheduler(facts) : null;
}
