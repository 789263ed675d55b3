import { type RouteRefusal, refuse } from '../call.ts';
import {
  type Fields,
  hasFields,
  isNumberIn,
  isString,
  isWholeIn,
  type ValueCheck,
} from '../request-checks.ts';
import { isJsonObject, parseJson } from '../../../../src/platform/json.ts';
import { type Effect, RETRY_AFTER_FORMS } from './effects.ts';

const isPresent: ValueCheck = () => null;

function isOneOf(...allowed: readonly unknown[]): ValueCheck {
  return (value) => (allowed.includes(value) ? null : `is none of ${allowed.join(', ')}`);
}

function effect(required: Fields = {}, optional: Fields = {}): ValueCheck {
  const fields = { kind: isPresent, ...required, ...optional };
  return hasFields(fields, ['kind', ...Object.keys(required)]);
}

/** What a header may hold; anything else would end the connection instead of being sent. */
const isHeaderText: ValueCheck = (value) =>
  typeof value === 'string' && /^[\t\u0020-\u007e]*$/.test(value)
    ? null
    : 'is not valid header text';

const isHeaders: ValueCheck = (value) =>
  isJsonObject(value) &&
  Object.entries(value).every(
    ([name, field]) => /^[\w-]+$/.test(name) && isHeaderText(field) === null,
  )
    ? null
    : 'is not an object of headers';

/** The longest a timer can be set to. */
const isWait = isNumberIn(0, 2 ** 31 - 1);
const CENTURY_S = 100 * 366 * 86_400;
const isStatus = isWholeIn(200, 599);
const when = isOneOf('before', 'after');
const form = isOneOf(...RETRY_AFTER_FORMS);
const retryAfter = hasFields({ form, seconds: isNumberIn(0, CENTURY_S) }, ['form', 'seconds']);

const CHECKS: Readonly<Record<Effect['kind'], ValueCheck>> = {
  latency: effect({ ms: isWait }),
  drip: effect({ ms: isWait }, { bytes: isWholeIn(1) }),
  truncate: effect(),
  stall: effect(),
  hang: effect({}, { when }),
  reset: effect({}, { when }),
  status: effect(
    { status: isStatus },
    { when, body: isOneOf('own', 'html', 'nothing'), retryAfter, headers: isHeaders },
  ),
  redirect: effect({ to: isHeaderText }, { status: isWholeIn(300, 399) }),
  'half-json': effect(),
  empty: effect(),
  html: effect(),
  bom: effect(),
  'bad-gzip': effect(),
  'content-type': effect({ type: isHeaderText }),
  field: effect({ fault: isOneOf('extra', 'null', 'missing', 'retyped') }, { at: isString }),
  'bad-item': effect({}, { index: isWholeIn(0) }),
  shuffle: effect(),
  cursor: effect({ fault: isOneOf('repeated', 'cyclic', 'missing', 'null', 'empty') }),
  page: effect({ fault: isOneOf('empty', 'short', 'overlapping') }),
  limits: effect({ fault: isOneOf('errors', 'silence', 'clamp') }),
  batch: effect({ fault: isOneOf('late', 'zero') }),
  'max-span': effect({ days: isWholeIn(1) }),
  skew: effect({ ms: isNumberIn(-CENTURY_S * 1_000, CENTURY_S * 1_000) }),
  role: effect({ role: isOneOf('owner', 'manager', 'member', 'guest') }),
  'revoke-key': effect(),
  'v0-off': effect({}, { status: isOneOf(403, 404) }),
  'list-status': effect(),
};

const checks: ReadonlyMap<unknown, ValueCheck> = new Map(Object.entries(CHECKS));

export const effectProblem: ValueCheck = (value) => {
  const kind = isJsonObject(value) ? value['kind'] : undefined;
  const check = checks.get(kind);
  return check === undefined ? `has the unknown kind "${String(kind)}"` : check(value);
};

export function isEffect(value: unknown): value is Effect {
  return effectProblem(value) === null;
}

/**
 * Reads the header `x-ref-fault`, by which one request chooses what goes wrong with it: an effect, or a list of
 * effects, as JSON.
 */
export function effectsOf(header: string | string[] | undefined): {
  readonly effects: readonly Effect[];
  readonly refusal: RouteRefusal | null;
} {
  if (typeof header !== 'string') return { effects: [], refusal: null };
  const parsed = parseJson(header);
  const wanted = Array.isArray(parsed) ? parsed : [parsed];
  const wrong = wanted.find((each) => !isEffect(each));
  if (wrong === undefined && parsed !== undefined) {
    return { effects: wanted.filter((each) => isEffect(each)), refusal: null };
  }
  const problem = parsed === undefined ? 'is not JSON' : effectProblem(wrong);
  return { effects: [], refusal: refuse(400, `The header x-ref-fault ${problem}`) };
}
