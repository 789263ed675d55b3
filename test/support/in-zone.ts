import { after, before } from 'node:test';

/** Runs the tests of this suite in a time zone: call it within `describe`. */
export function inZone(zone: string): void {
  const { TZ: usual } = process.env;
  before(() => {
    process.env['TZ'] = zone;
  });
  after(() => {
    if (usual === undefined) delete process.env['TZ'];
    else process.env['TZ'] = usual;
  });
}
