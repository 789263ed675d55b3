import type { Respond } from './call.ts';
import {
  computerUpdate,
  isShortName,
  limitsUpdate,
  newMessage,
  sessionUpdate,
  type ValueCheck,
} from './checks/body-checks.ts';
import {
  anyText,
  isDate,
  isOnly,
  isPageSize,
  isPositive,
  type QueryRules,
} from './checks/query-checks.ts';
import type { Family } from './http/errors.ts';
import * as analytics from './routes/analytics.ts';
import * as computers from './routes/computers.ts';
import * as organization from './routes/organization.ts';
import * as readiness from './routes/readiness.ts';
import * as sessions from './routes/sessions.ts';

/** One operation of the interface. */
export interface Route {
  readonly id: string;
  readonly method: string;
  /** Path with `{name}` for a part that varies. */
  readonly pattern: string;
  readonly family: Family;
  readonly query: QueryRules;
  /** Checks of parts of the path, by name. */
  readonly pathChecks?: Readonly<Record<string, ValueCheck>>;
  /** Without it a body is refused. */
  readonly body?: ValueCheck;
  readonly respond: Respond;
}

const none: QueryRules = { checks: {} };
const computer: QueryRules = { checks: { computerId: anyText } };
const pages: QueryRules = { checks: { limit: isPageSize, cursor: anyText } };

function range(extra: QueryRules['checks'] = {}): QueryRules {
  return {
    required: ['startDate', 'endDate'],
    checks: { startDate: isDate, endDate: isDate, ...extra },
  };
}

const V1 = '/api/v1/analytics';
const V0 = '/api/v0';

/** The nineteen operations, written from the document and from nothing else. */
export const ROUTES: readonly Route[] = [
  {
    id: 'analytics.tokens',
    method: 'GET',
    pattern: `${V1}/tokens`,
    family: 'analytics',
    query: range({ group_by: isOnly('model') }),
    respond: analytics.tokens,
  },
  {
    id: 'analytics.tools',
    method: 'GET',
    pattern: `${V1}/tools`,
    family: 'analytics',
    query: range({ group_by: isOnly('tool_name') }),
    respond: analytics.tools,
  },
  {
    id: 'analytics.activity',
    method: 'GET',
    pattern: `${V1}/activity`,
    family: 'analytics',
    query: range({ group_by: isOnly('client') }),
    respond: analytics.activity,
  },
  {
    id: 'analytics.productivity',
    method: 'GET',
    pattern: `${V1}/productivity`,
    family: 'analytics',
    query: range(),
    respond: analytics.productivity,
  },
  {
    id: 'analytics.users',
    method: 'GET',
    pattern: `${V1}/users`,
    family: 'analytics',
    query: range(pages.checks),
    respond: analytics.users,
  },
  {
    id: 'readiness.list',
    method: 'GET',
    pattern: '/api/organization/maturity-level-reports',
    family: 'readiness',
    query: { checks: { repoId: anyText, limit: isPositive, startAfter: anyText } },
    respond: readiness.list,
  },
  {
    id: 'sessions.list',
    method: 'GET',
    pattern: `${V0}/sessions`,
    family: 'v0',
    query: { checks: { ...pages.checks, ...computer.checks } },
    respond: sessions.list,
  },
  {
    id: 'sessions.get',
    method: 'GET',
    pattern: `${V0}/sessions/{sessionId}`,
    family: 'v0',
    query: computer,
    respond: sessions.get,
  },
  {
    id: 'sessions.update',
    method: 'PATCH',
    pattern: `${V0}/sessions/{sessionId}`,
    family: 'v0',
    query: none,
    body: sessionUpdate,
    respond: sessions.update,
  },
  {
    id: 'sessions.addMessage',
    method: 'POST',
    pattern: `${V0}/sessions/{sessionId}/messages`,
    family: 'v0',
    query: none,
    body: newMessage,
    respond: sessions.addMessage,
  },
  {
    id: 'sessions.getMessage',
    method: 'GET',
    pattern: `${V0}/sessions/{sessionId}/messages/{messageId}`,
    family: 'v0',
    query: computer,
    respond: sessions.getMessage,
  },
  {
    id: 'computers.list',
    method: 'GET',
    pattern: `${V0}/computers`,
    family: 'v0',
    query: none,
    respond: computers.list,
  },
  {
    id: 'computers.byName',
    method: 'GET',
    pattern: `${V0}/computers/name/{name}`,
    family: 'v0',
    query: none,
    pathChecks: { name: isShortName },
    respond: computers.byName,
  },
  {
    id: 'computers.get',
    method: 'GET',
    pattern: `${V0}/computers/{computerId}`,
    family: 'v0',
    query: none,
    respond: computers.get,
  },
  {
    id: 'computers.update',
    method: 'PATCH',
    pattern: `${V0}/computers/{computerId}`,
    family: 'v0',
    query: none,
    body: computerUpdate,
    respond: computers.update,
  },
  {
    id: 'computers.installDeps',
    method: 'POST',
    pattern: `${V0}/computers/{computerId}/install-deps`,
    family: 'v0',
    query: none,
    respond: computers.installDependencies,
  },
  {
    id: 'org.users',
    method: 'GET',
    pattern: `${V0}/organization/users`,
    family: 'v0',
    query: pages,
    respond: organization.users,
  },
  {
    id: 'org.history',
    method: 'GET',
    pattern: `${V0}/organization/enterprise-controls/history`,
    family: 'v0',
    query: pages,
    respond: organization.history,
  },
  {
    id: 'org.setLimits',
    method: 'PUT',
    pattern: `${V0}/organization/usage/limits/users`,
    family: 'v0',
    query: none,
    body: limitsUpdate,
    respond: organization.setLimits,
  },
];
