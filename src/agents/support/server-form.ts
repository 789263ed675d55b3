import { z } from 'zod';

import { type Asked, MAX_ASKED, MAX_LABEL } from '../../core/asked.ts';
import { cutMiddle } from '../../text/sanitize.ts';

const Text = z.string().min(1);

/** The form of an MCP server (`Elicitation` of Claude Code): its question, its fields, and what each offers. */
export function askedByServer(
  server: string | null,
  { message, url, schema }: { message: string | null; url: string | null; schema: unknown },
): Asked | null {
  if (server === null && message === null) return null;
  const { properties = {}, required = [] } = Form.safeParse(schema).data ?? {};
  const questions = Object.entries(properties)
    .slice(0, MOST_FIELDS)
    .map(([name, field]) => fieldOf(field, name, required.includes(name)));
  const sentence = [server, message].filter((part) => part !== null).join(': ');
  return {
    action: 'answer',
    text: cutMiddle([sentence, ...(url === null ? [] : [url])].join('\n'), MAX_ASKED),
    options: [],
    ...(questions.length > 0 && { questions }),
  };
}

const MOST_FIELDS = 20;

const FormField = z.object({
  title: Text.optional().catch(undefined),
  description: Text.optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  enum: z.array(z.string()).optional().catch(undefined),
  enumNames: z.array(z.string()).optional().catch(undefined),
  oneOf: z
    .array(z.object({ const: z.string(), title: Text.optional() }))
    .optional()
    .catch(undefined),
});

/** The part of a JSON Schema that the Model Context Protocol allows in a form: flat, with primitive fields. */
const Form = z.object({
  properties: z.record(z.string(), FormField.catch({})).optional().catch(undefined),
  required: z.array(z.string()).optional().catch(undefined),
});

function fieldOf(field: z.output<typeof FormField>, name: string, isRequired: boolean) {
  const about = field.description === undefined ? '' : `: ${field.description}`;
  const labels =
    field.oneOf?.map((one) => one.title ?? one.const) ??
    field.enum?.map((value, index) => field.enumNames?.[index] ?? value) ??
    (field.type === 'boolean' ? ['yes', 'no'] : []);
  return {
    text: cutMiddle(`${field.title ?? name}${isRequired ? '' : ' (optional)'}${about}`, MAX_LABEL),
    options: labels.map((label) => ({ label: cutMiddle(label, MAX_LABEL), description: null })),
  };
}
