import type { Check } from './check.ts';
import { ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

/** Who starts the daemon. Both ways are fine; people want to know which it is. */
export async function checkService({
  service,
  lookAt,
}: Pick<DoctorPorts, 'service' | 'lookAt'>): Promise<Check> {
  const isInstalled = service !== null && (await lookAt(service.path)) !== null;
  return ok(
    'service',
    isInstalled
      ? `${service.name} starts the daemon: ${service.path}`
      : 'none: the first hook starts the daemon when it is needed',
  );
}
