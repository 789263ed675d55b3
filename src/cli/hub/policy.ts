import { type Command, Option } from 'commander';

import {
  type MachinePolicy,
  organizationSources,
  type OrganizationSource,
} from '../../core/hub/machine-policy.ts';
import { type BodyDetail, bodyDetails } from '../../core/notification.ts';
import { UsageError } from '../../platform/errors.ts';
import { didYouMean } from '../../text/suggest.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { policyText } from '../policy-text.ts';
import { ageSince } from '../time-text.ts';

interface PolicyOptions {
  readonly text?: BodyDetail;
  readonly redact?: true;
  readonly channels?: string[];
  readonly hubOnly?: OrganizationSource[];
  readonly remove?: true;
}

/** `hookbell hub policy`: what the hub forbids its machines. */
export function defineHubPolicy(hub: Command, run: Parameters<DefineCommand>[1]): void {
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
    .action((options: PolicyOptions) => run((context) => policy(context, options)));
}

async function policy(
  { ask, output, json }: CommandContext,
  { remove, ...wanted }: PolicyOptions,
): Promise<void> {
  const isChange = Object.keys(wanted).length > 0;
  if (remove === true && isChange)
    throw new UsageError('--remove cannot be combined with other options');
  const body: MachinePolicy = wanted;
  const found =
    isChange || remove === true
      ? await ask('POST /v1/hub-policy', { body })
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

function reports(text: string): OrganizationSource[] {
  return listed(text).map((name) => {
    const found = organizationSources.find((source) => source === name);
    if (found !== undefined) return found;
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
