import { z } from 'zod';
import type { ChannelDefinition } from '../core/channel.ts';
import { commonChannelSchema } from './channel-schema.ts';
import { configSchema } from './schema.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Editors read draft 7 best (yaml-language-server). */
const DRAFT = 'http://json-schema.org/draft-07/schema#';

/** The whole configuration as JSON Schema, every type of channel included, for editors and `config schema`. */
export function configJsonSchema(definitions: readonly ChannelDefinition[]): JsonSchema {
  const { properties, ...schema } = plainSchema(configSchema);
  const { channels, ...others } = properties ?? {};
  const selectable = definitions.filter(({ type }) => type !== 'inbox');
  return {
    $schema: DRAFT,
    title: 'Configuration of hookbell',
    ...schema,
    properties: {
      channels: {
        ...(typeof channels === 'object' ? channels : {}),
        additionalProperties: {
          type: 'object',
          // Editors complete by this one: they pass over those types whose other keys are still missing.
          properties: {
            type: {
              description: 'What kind of channel it is',
              enum: selectable.map(({ type }) => type),
            },
          },
          required: ['type'],
          oneOf: selectable.map(channelJsonSchema),
        },
      },
      ...others,
    },
  };
}

/** The keys every channel has, whatever its type. */
export function commonChannelJsonSchema(): JsonSchema {
  return plainSchema(commonChannelSchema);
}

/** The options of one type of channel, with `type` and the keys every channel has. */
export function channelJsonSchema({ type, summary, options }: ChannelDefinition): JsonSchema {
  const own = plainSchema(options);
  if (own.type !== 'object')
    throw new Error(`The options of channel type "${type}" are no mapping`);
  return {
    ...own,
    title: type,
    description: summary,
    properties: {
      type: { const: type, description: summary },
      ...own.properties,
      ...commonChannelJsonSchema().properties,
    },
    required: ['type', ...(own.required ?? [])],
  };
}

function plainSchema(schema: z.ZodType): JsonSchema {
  // What people write, not what comes out of it: keys with a default may be missing.
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return json;
}
