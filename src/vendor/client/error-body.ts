import { parseJson } from '../../platform/json.ts';

/** The content of an error body of any form. */
export interface ErrorBody {
  readonly title: string | undefined;
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
}

const MAX_TEXT = 300;
const MAX_REASONS = 5;
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-amzn-requestid', 'cf-ray'];

/**
 * Reads the body of an error: the documented `{title, detail, status, requestId}`, problem JSON, `{message}`,
 * `{error: …}`, `{errors: […]}`, HTML, text or nothing. Only analytics document theirs.
 */
export function readErrorBody(text: string, headers: Headers): ErrorBody {
  const json = parseJson(text) ?? undefined;
  const fromHeader = REQUEST_ID_HEADERS.map((name) => headers.get(name)).find(
    (value) => value !== null && value !== '',
  );
  if (json === undefined) {
    return { title: undefined, detail: plain(text), requestId: fromHeader ?? undefined };
  }
  const inner = field(json, 'error');
  const sources = [json, inner];
  const said = pick(sources, ['detail', 'message', 'error_description']) ?? plain(inner ?? json);
  const reasons = reasonsIn(
    field(json, 'errors') ?? field(inner, 'errors') ?? field(json, 'detail'),
  );
  return {
    title: pick(sources, ['title']),
    detail: plain([said, reasons].filter((part) => part !== undefined).join(': ')),
    requestId: pick(sources, ['requestId', 'request_id']) ?? fromHeader ?? undefined,
  };
}

function pick(sources: readonly unknown[], names: readonly string[]): string | undefined {
  for (const source of sources) {
    for (const name of names) {
      const value = plain(field(source, name));
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

/** A short line of text: no markup, no control characters. */
function plain(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value
    .slice(0, 20_000)
    .replaceAll(/<(script|style|head)\b[^>]*>[^]*?<\/\1>/gi, ' ')
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  if (line === '') return undefined;
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT - 1)}…`;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const entry = Object.entries(value).find(([key]) => key === name);
  return entry?.[1] ?? undefined;
}

/** The text of a list of reasons, such as those of a 422: strings, objects with text and place, or lists of strings by field. */
function reasonsIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const texts = Array.isArray(value)
    ? value.map(reasonOf)
    : Object.entries(value).map(([name, reason]: [string, unknown]) => {
        const text = Array.isArray(reason) ? reason.map(reasonOf).join(', ') : reasonOf(reason);
        return text === undefined || text === '' ? undefined : `${name} ${text}`;
      });
  const found = texts.filter((text) => text !== undefined);
  if (found.length === 0) return undefined;
  const more = found.length > MAX_REASONS ? [`and ${found.length - MAX_REASONS} more`] : [];
  return [...found.slice(0, MAX_REASONS), ...more].join('; ');
}

function reasonOf(value: unknown): string | undefined {
  const text =
    plain(value) ??
    pick([value], ['detail', 'message', 'msg', 'error', 'reason', 'description', 'title', 'code']);
  if (text === undefined) return undefined;
  const place = ['field', 'path', 'pointer', 'param', 'loc', 'property', 'email']
    .map((name) => field(value, name))
    .find((one) => one !== undefined);
  const where = Array.isArray(place) ? place.join('.') : plain(place);
  return where === undefined ? text : `${where}: ${text}`;
}
