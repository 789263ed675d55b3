import type { Check } from './check.ts';
import { ok, warning } from './check.ts';
import type { DoctorPorts } from './ports.ts';

/** Who starts the daemon. Both ways are fine; people want to know which it is, and whether it is in force. */
export async function checkService({
  service,
  lookAt,
  run,
}: Pick<DoctorPorts, 'service' | 'lookAt' | 'run'>): Promise<Check> {
  const name = 'service';
  if (service === null || (await lookAt(service.files[0].path)) === null) {
    return ok(name, 'none: the first hook starts the daemon when it is needed');
  }
  const { path } = service.files[0];
  const status = await run(service.status);
  if (!status.ok) {
    const said = status.said === '' ? '' : `: ${status.said}`;
    return warning(
      name,
      `${path} is there, but ${service.name} does not have it in force${said}`,
      'Run "hookbell install" again; until then the first hook starts the daemon',
    );
  }
  const { hint } = service;
  const isTold = hint !== null && (await lookAt(hint.unless)) === null;
  return ok(name, `${service.name} starts the daemon: ${path}`, isTold ? hint.text : null);
}
