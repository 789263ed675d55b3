import type { z } from 'zod';

import {
  ActivityParameters,
  ProductivityParameters,
  TokenParameters,
  ToolParameters,
  UserParameters,
} from './analytics/names.ts';
import {
  ActivityRow,
  envelopeOf,
  GroupedActivityRow,
  GroupedTokenRow,
  GroupedToolRow,
  ProductivityRow,
  TokenRow,
  ToolRow,
  UserRow,
} from './analytics/rows.ts';
import {
  Computer,
  ComputerList,
  ComputerNameParameters,
  ComputerParameters,
  ListComputersParameters,
  UpdateComputerParameters,
} from './computers/computer.ts';
import { ControlHistory } from './organization/controls.ts';
import {
  LimitsAnswer,
  PageParameters,
  SetLimitsParameters,
  UserList,
} from './organization/directory.ts';
import { ListReportsParameters, ReportList } from './readiness/report.ts';
import type { Route } from './route.ts';
import { AddedMessage, Message } from './sessions/message.ts';
import {
  AddMessageParameters,
  GetMessageParameters,
  GetSessionParameters,
  ListSessionsParameters,
  UpdateSessionParameters,
} from './sessions/parameters.ts';
import { Session, SessionList } from './sessions/session.ts';

const analytics = {
  method: 'GET',
  family: 'analytics',
  status: 200,
  lists: ['data'],
  pages: null,
  retry: 'read',
  secrets: 'none',
} as const;

const v0 = { family: 'v0', status: 200, lists: [], pages: null, secrets: 'none' } as const;
const v0Read = { ...v0, method: 'GET', retry: 'read' } as const;
const computers = { ...v0, secrets: 'relay' } as const;

/** All operations of the service: types, requests, retries, pages, redaction and the command line follow from it. */
export const routes = {
  'analytics.tokens': {
    ...analytics,
    id: 'analytics.tokens',
    summary: 'Standard credits and tokens by day',
    path: '/api/v1/analytics/tokens',
    parameters: TokenParameters,
    response: envelopeOf(TokenRow),
    grouped: envelopeOf(GroupedTokenRow),
  },
  'analytics.tools': {
    ...analytics,
    id: 'analytics.tools',
    summary: 'Tool usage and autonomy by day',
    path: '/api/v1/analytics/tools',
    parameters: ToolParameters,
    response: envelopeOf(ToolRow),
    grouped: envelopeOf(GroupedToolRow),
  },
  'analytics.activity': {
    ...analytics,
    id: 'analytics.activity',
    summary: 'Active users, sessions and messages by day',
    path: '/api/v1/analytics/activity',
    parameters: ActivityParameters,
    response: envelopeOf(ActivityRow),
    grouped: envelopeOf(GroupedActivityRow),
  },
  'analytics.productivity': {
    ...analytics,
    id: 'analytics.productivity',
    summary: 'Files, commits and pull requests by day',
    path: '/api/v1/analytics/productivity',
    parameters: ProductivityParameters,
    response: envelopeOf(ProductivityRow),
  },
  'analytics.users': {
    ...analytics,
    id: 'analytics.users',
    summary: 'Metrics of each user by day',
    path: '/api/v1/analytics/users',
    parameters: UserParameters,
    response: envelopeOf(UserRow),
    pages: 'meta',
  },
  'readiness.list': {
    id: 'readiness.list',
    summary: 'Readiness reports of repositories',
    method: 'GET',
    path: '/api/organization/maturity-level-reports',
    family: 'readiness',
    parameters: ListReportsParameters,
    response: ReportList,
    status: 200,
    lists: ['reports'],
    pages: 'after',
    retry: 'read',
    secrets: 'none',
  },
  'sessions.list': {
    ...v0Read,
    id: 'sessions.list',
    summary: 'Sessions',
    path: '/api/v0/sessions',
    parameters: ListSessionsParameters,
    response: SessionList,
    lists: ['sessions'],
    pages: 'cursor',
  },
  'sessions.get': {
    ...v0Read,
    id: 'sessions.get',
    summary: 'One session',
    path: '/api/v0/sessions/{sessionId}',
    parameters: GetSessionParameters,
    response: Session,
  },
  'sessions.update': {
    ...v0,
    id: 'sessions.update',
    summary: 'Change settings of a session',
    method: 'PATCH',
    path: '/api/v0/sessions/{sessionId}',
    parameters: UpdateSessionParameters,
    response: Session,
    retry: 'idempotent-write',
  },
  'sessions.addMessage': {
    ...v0,
    id: 'sessions.addMessage',
    summary: 'Add a user message to a session',
    method: 'POST',
    path: '/api/v0/sessions/{sessionId}/messages',
    parameters: AddMessageParameters,
    response: AddedMessage,
    retry: 'never-after-send',
  },
  'sessions.getMessage': {
    ...v0Read,
    id: 'sessions.getMessage',
    summary: 'One message of a session',
    path: '/api/v0/sessions/{sessionId}/messages/{messageId}',
    parameters: GetMessageParameters,
    response: Message,
  },
  'computers.list': {
    ...computers,
    id: 'computers.list',
    summary: 'Computers',
    method: 'GET',
    path: '/api/v0/computers',
    parameters: ListComputersParameters,
    response: ComputerList,
    lists: ['computers'],
    retry: 'read',
  },
  'computers.get': {
    ...computers,
    id: 'computers.get',
    summary: 'One computer',
    method: 'GET',
    path: '/api/v0/computers/{computerId}',
    parameters: ComputerParameters,
    response: Computer,
    retry: 'read',
  },
  'computers.byName': {
    ...computers,
    id: 'computers.byName',
    summary: 'One computer, by its name',
    method: 'GET',
    path: '/api/v0/computers/name/{name}',
    parameters: ComputerNameParameters,
    response: Computer,
    retry: 'read',
  },
  'computers.update': {
    ...computers,
    id: 'computers.update',
    summary: 'Change name, host or user of a computer',
    method: 'PATCH',
    path: '/api/v0/computers/{computerId}',
    parameters: UpdateComputerParameters,
    response: Computer,
    retry: 'idempotent-write',
  },
  'computers.installDeps': {
    ...computers,
    id: 'computers.installDeps',
    summary: 'Retry the dependency-install step of a computer',
    method: 'POST',
    path: '/api/v0/computers/{computerId}/install-deps',
    parameters: ComputerParameters,
    response: Computer,
    status: 202,
    retry: 'check-then-retry',
  },
  'org.users': {
    ...v0Read,
    id: 'org.users',
    summary: 'Users of the organization',
    path: '/api/v0/organization/users',
    parameters: PageParameters,
    response: UserList,
    lists: ['users'],
    pages: 'cursor',
  },
  'org.history': {
    ...v0Read,
    id: 'org.history',
    summary: 'Changes of enterprise control settings, newest first',
    path: '/api/v0/organization/enterprise-controls/history',
    parameters: PageParameters,
    response: ControlHistory,
    lists: ['changes'],
    pages: 'cursor',
    secrets: 'settings',
  },
  'org.setLimits': {
    ...v0,
    id: 'org.setLimits',
    summary: 'Set credit limits of users',
    method: 'PUT',
    path: '/api/v0/organization/usage/limits/users',
    parameters: SetLimitsParameters,
    response: LimitsAnswer,
    lists: ['updated', 'errors'],
    retry: 'idempotent-write',
  },
} as const satisfies Record<string, Route>;

export type RouteId = keyof typeof routes;

/** The parameters of a typed call. */
export type ParametersOf<Id extends RouteId> = z.input<(typeof routes)[Id]['parameters']>;
