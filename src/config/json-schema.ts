import { z } from 'zod';
import type { ChannelDefinition } from '../core/channel.ts';
import { commonChannelSchema } from './channel-schema.ts';
import { configSchema } from './config.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The draft that editors (yaml-language-server) support best. */
const DRAFT = 'http://json-schema.org/draft-07/schema#';

/** The whole configuration as JSON Schema, including all channel types, for editors. */
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
          // Needed for completion: in `oneOf`, editors skip types whose required keys are still missing.
          properties: {
            type: {
              description: 'Type of the channel',
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

/** The keys of every channel, regardless of its type. */
export function commonChannelJsonSchema(): JsonSchema {
  return plainSchema(commonChannelSchema);
}

/** The options of a channel type, including `type` and the common keys. */
export function channelJsonSchema({ type, summary, options }: ChannelDefinition): JsonSchema {
  const optionsSchema = plainSchema(options);
  if (optionsSchema.type !== 'object')
    throw new Error(`The options of channel type "${type}" are not a mapping`);
  return {
    ...optionsSchema,
    title: type,
    description: summary,
    properties: {
      type: { const: type, description: summary },
      ...optionsSchema.properties,
      ...commonChannelJsonSchema().properties,
    },
    required: ['type', ...(optionsSchema.required ?? [])],
  };
}

function plainSchema(schema: z.ZodType): JsonSchema {
  // The input side: keys with a default are optional.
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return json;
}
