// The whole configuration as JSON Schema, including all channel types, for editors.
import { channelJsonSchema, plainSchema } from '../dist/src/config/channel-schema.js';
import { configSchema } from '../dist/src/config/config.js';

/** The draft that editors (yaml-language-server) support best. */
const DRAFT = 'http://json-schema.org/draft-07/schema#';

export function configJsonSchema(definitions) {
  const { properties, ...schema } = plainSchema(configSchema);
  const { channels, ...others } = properties;
  const selectable = definitions.filter(({ type }) => type !== 'inbox');
  return {
    $schema: DRAFT,
    title: 'Configuration of hookbell',
    ...schema,
    properties: {
      channels: {
        ...channels,
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
