import { type Command, Option } from 'commander';

import { type MachinePolicy, organizationSources } from '../../core/hub/machine-policy.ts';
import { bodyDetails } from '../../core/notification.ts';
import { UsageError } from '../../platform/errors.ts';
import { didYouMean } from '../../text/suggest.ts';
import type { CommandContext, Run } from '../context.ts';
import { policyText } from '../policy-text.ts';
import { ageSince } from '../time-text.ts';

interface PolicyOptions extends MachinePolicy {
  readonly remove?: true;
}

/** `hookbell hub policy`: what the hub forbids its machines. */
export function defineHubPolicy(hub: Command, run: Run): void {
  hub
    .command('policy')
    .description('show or set restrictions for machines; the options replace the whole policy')
    .addOption(
      new Option('--text <detail>', "how much of an agent's text channels may show").choices(
        bodyDetails,
      ),
    )
    .option('--redact', 'remove secrets from notifications, and from what machines send')
    .option(
      '--channels <types>',
      'only channels of these types notify, such as desktop,terminal',
      listed,
    )
    .option(
      '--hub-only <reports>',
      `only the hub reports these: ${organizationSources.join(', ')}`,
      reports,
    )
    .option('--remove', 'remove the policy')
    .action(run(policy));
}

async function policy(
  { ask, output, json }: CommandContext,
  { remove, ...wanted }: PolicyOptions,
): Promise<void> {
  const isChange = Object.keys(wanted).length > 0;
  if (remove === true && isChange)
    throw new UsageError('--remove cannot be combined with other options');
  const found =
    isChange || remove === true
      ? await ask('POST /v1/hub-policy', { body: wanted })
      : await ask('GET /v1/hub-policy');
  if (json) return output.json(found);
  if (found === null)
    return output.say('The hub has no policy: machines follow their own configuration');
  output.line(policyText(found));
  output.say(
    isChange || remove === true
      ? 'Machines apply it with their next event, or within an hour.'
      : `Set ${ageSince(found.setAt, Date.now())} ago.`,
  );
}

function reports(text: string): readonly string[] {
  return listed(text).map((name) => {
    if (organizationSources.some((source) => source === name)) return name;
    throw new UsageError(`"${name}" is not a report${didYouMean(name, organizationSources)}`, {
      hint: `Use some of ${organizationSources.join(', ')}`,
    });
  });
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
