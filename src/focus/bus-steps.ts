import type { Step } from './step.ts';

/** A method of an object on the session bus. */
export interface BusMethod {
  readonly service: string;
  readonly object: string;
  readonly interface: string;
  readonly name: string;
}

/** Calls it by busctl, with types before values, or by gdbus, as GVariant text. */
export function busSteps(
  { service, object, interface: face, name }: BusMethod,
  values: { readonly busctl: readonly string[]; readonly gdbus: readonly string[] },
): readonly Step[] {
  const options = ['--user', '--auto-start=no', '--'];
  const target = ['--dest', service, '--object-path', object, '--method', `${face}.${name}`];
  return [
    {
      program: 'busctl',
      arguments: [...options, 'call', service, object, face, name, ...values.busctl],
    },
    { program: 'gdbus', arguments: ['call', '--session', ...target, '--', ...values.gdbus] },
  ];
}
