import type { Fields, ValueCheck } from '../checks/body-checks.ts';
import { hasFields, isNumber, isString } from '../checks/body-checks.ts';
import { isJsonObject } from '../json-object.ts';
import type { Effect } from './effects.ts';
import { RETRY_AFTER_FORMS } from './retry-after.ts';
import type { Rule } from './rules.ts';

const isPresent: ValueCheck = () => null;

function isOneOf(...allowed: readonly unknown[]): ValueCheck {
  return (value) => (allowed.includes(value) ? null : `is none of ${allowed.join(', ')}`);
}

function effect(required: Fields = {}, optional: Fields = {}): ValueCheck {
  const fields = { kind: isPresent, ...required, ...optional };
  return hasFields(fields, ['kind', ...Object.keys(required)]);
}

const isTextRecord: ValueCheck = (value) =>
  isJsonObject(value) && Object.values(value).every((field) => typeof field === 'string')
    ? null
    : 'is not an object of strings';

const when = isOneOf('before', 'after');
const form = isOneOf(...RETRY_AFTER_FORMS);
const retryAfter = hasFields({ form, seconds: isNumber }, ['form', 'seconds']);

const CHECKS: Readonly<Record<Effect['kind'], ValueCheck>> = {
  latency: effect({ ms: isNumber }),
  drip: effect({ ms: isNumber }, { bytes: isNumber }),
  truncate: effect(),
  stall: effect(),
  hang: effect({}, { when }),
  reset: effect({}, { when }),
  status: effect(
    { status: isNumber },
    { when, body: isOneOf('own', 'html', 'nothing'), retryAfter, headers: isTextRecord },
  ),
  redirect: effect({ to: isString }, { status: isNumber }),
  'half-json': effect(),
  empty: effect(),
  html: effect(),
  bom: effect(),
  'bad-gzip': effect(),
  'content-type': effect({ type: isString }),
  field: effect({ fault: isOneOf('extra', 'null', 'missing', 'retyped') }, { at: isString }),
  'bad-item': effect({}, { index: isNumber }),
  shuffle: effect(),
  cursor: effect({ fault: isOneOf('repeated', 'cyclic', 'missing', 'null', 'empty') }),
  page: effect({ fault: isOneOf('empty', 'short', 'overlapping') }),
  limits: effect({ fault: isOneOf('errors', 'silence', 'clamp') }),
  batch: effect({ fault: isOneOf('late', 'zero') }),
  'max-span': effect({ days: isNumber }),
  skew: effect({ ms: isNumber }),
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

export const ruleProblem: ValueCheck = hasFields(
  {
    match: hasFields({
      method: isString,
      path: isString,
      nth: isNumber,
      times: isNumber,
      probability: isNumber,
    }),
    effect: effectProblem,
  },
  ['effect'],
);

export function isEffect(value: unknown): value is Effect {
  return effectProblem(value) === null;
}

export function isRule(value: unknown): value is Rule {
  return ruleProblem(value) === null;
}
