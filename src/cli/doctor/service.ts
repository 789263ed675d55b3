import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const serviceGuide = {
  name: 'service',
  about: 'Whether a service or the first hook starts the daemon. Both are fine',
  troubles: {
    idle: {
      state: 'warning',
      meaning: 'The service file exists, but the service manager has not loaded it',
      remedy: 'Run "hookbell install" again; until then the first hook starts the daemon',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = serviceGuide;

/** Reports what starts the daemon. Both ways are fine; users want to know which applies, and whether it is loaded. */
export async function checkService({
  service,
  lookAt,
  run,
}: Pick<DoctorPorts, 'service' | 'lookAt' | 'run'>): Promise<Check> {
  if (service === null || (await lookAt(service.files[0].path)) === null) {
    return ok(name, 'none: the first hook starts the daemon when needed');
  }
  const { path } = service.files[0];
  const status = await run(service.status);
  if (!status.ok) {
    const said = status.said === '' ? '' : `: ${status.said}`;
    const summary = `${path} exists, but ${service.name} has not loaded it${said}`;
    return found(name, troubles.idle, summary);
  }
  const { hint } = service;
  const isTold = hint !== null && (await lookAt(hint.unless)) === null;
  return ok(name, `${service.name} starts the daemon: ${path}`, isTold ? hint.text : null);
}
