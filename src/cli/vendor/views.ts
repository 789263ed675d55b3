import type { RouteId } from '../../vendor/client/index.ts';
import { isJsonObject, type JsonObject } from '../../platform/json.ts';
import { dirtOf } from '../../vendor/reports/compare-readiness.ts';
import { computerListView, computerView } from './computers-views.ts';
import { controlView, limitView, userView } from './organization-views.ts';
import { addedMessageView, messageView, sessionListView, sessionView } from './sessions-views.ts';
import type { View } from './show.ts';
import {
  activityByClientView,
  activityView,
  productivityView,
  tokensByModelView,
  tokenView,
  toolsByNameView,
  toolView,
  userDayView,
} from './usage-views.ts';

const reportView: View = {
  columns: [
    { name: 'created', from: 'createdAt', kind: 'time' },
    { name: 'repository', from: 'repoUrl' },
    { name: 'branch', from: 'branch' },
    {
      name: 'commit',
      from: ({ commitHash: hash }) => (typeof hash === 'string' ? hash.slice(0, 8) : hash),
    },
    { name: 'criteria', from: (item) => criteriaOf(item).length, kind: 'number' },
    { name: 'passed', from: (item) => criteriaOf(item).filter(isPassed).length, kind: 'number' },
    { name: 'marked', from: dirtOf },
    { name: 'model', from: 'modelUsed.id' },
    { name: 'report', from: 'reportId' },
  ],
  empty: 'No reports found',
  arrange: newestReportsFirst,
};

/** One report; its criteria are shown in a separate table. */
export const reportCardView: View = {
  columns: [
    { name: 'report', from: 'reportId' },
    { name: 'repository', from: 'repoUrl' },
    { name: 'branch', from: 'branch' },
    { name: 'commit', from: 'commitHash' },
    { name: 'created', from: 'createdAt', kind: 'time' },
    { name: 'marked', from: dirtOf },
    { name: 'model', from: 'modelUsed.id' },
    { name: 'reasoning effort', from: 'modelUsed.reasoningEffort' },
    { name: 'agent version', from: 'agentVersion' },
    { name: 'applications', from: applicationsOf, kind: 'lines' },
  ],
};

/** The service guarantees no order. Reports without a time come last. */
export function newestReportsFirst(items: readonly JsonObject[]): readonly JsonObject[] {
  return items.toSorted((left, right) => timeOf(right) - timeOf(left));
}

function applicationsOf({ apps }: JsonObject): unknown {
  if (!isJsonObject(apps)) return undefined;
  return Object.entries(apps).map(([path, app]) => {
    const description = isJsonObject(app) ? app['description'] : undefined;
    return typeof description === 'string' && description !== '' ? `${path}: ${description}` : path;
  });
}

function criteriaOf({ report }: JsonObject): readonly JsonObject[] {
  return isJsonObject(report) ? Object.values(report).filter(isJsonObject) : [];
}

/** Every sub-application passes; implausible numbers do not. */
function isPassed({ numerator, denominator }: JsonObject): boolean {
  return typeof denominator === 'number' && denominator >= 1 && numerator === denominator;
}

function timeOf({ createdAt }: JsonObject): number {
  return typeof createdAt === 'number' ? createdAt : 0;
}

const views: Readonly<Record<RouteId, View>> = {
  'analytics.tokens': tokenView,
  'analytics.tools': toolView,
  'analytics.activity': activityView,
  'analytics.productivity': productivityView,
  'analytics.users': userDayView,
  'readiness.list': reportView,
  'sessions.list': sessionListView,
  'sessions.get': sessionView,
  'sessions.update': sessionView,
  'sessions.addMessage': addedMessageView,
  'sessions.getMessage': messageView,
  'computers.list': computerListView,
  'computers.get': computerView,
  'computers.byName': computerView,
  'computers.update': computerView,
  'computers.installDeps': computerView,
  'org.users': userView,
  'org.history': controlView,
  'org.setLimits': limitView,
};

const groupedViews: Readonly<Partial<Record<RouteId, View>>> = {
  'analytics.tokens': tokensByModelView,
  'analytics.tools': toolsByNameView,
  'analytics.activity': activityByClientView,
};

/** How the responses of a route are shown; grouped rows have other fields. */
export function viewOf(id: RouteId, { isGrouped }: { readonly isGrouped: boolean }): View {
  return (isGrouped ? groupedViews[id] : undefined) ?? views[id];
}
