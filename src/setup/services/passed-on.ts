import type { ServiceFacts } from './service-manager.ts';

/** Environment the daemon cannot do without when a manager starts it: where its files are. */
const names = ['HOOKBELL_CONFIG', 'HOOKBELL_STATE_DIR', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];

/** What of the environment goes into the description of a service: nothing secret. */
export function passedOn({
  env,
}: Pick<ServiceFacts, 'env'>): readonly { readonly name: string; readonly value: string }[] {
  return names.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [{ name, value }];
  });
}
