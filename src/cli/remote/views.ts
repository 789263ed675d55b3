import type { RouteId } from '../../api/index.ts';
import type { View } from './show.ts';
import { computerListView, computerView } from './computers-views.ts';
import { controlView, limitView, userView } from './organization-views.ts';
import { reportView } from './readiness-views.ts';
import { addedMessageView, messageView, sessionListView, sessionView } from './sessions-views.ts';
import {
  activityByClientView,
  activityView,
  productivityView,
  tokenView,
  tokensByModelView,
  toolView,
  toolsByNameView,
  userDayView,
} from './usage-views.ts';

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

/** How the answers of a route are shown; rows that are grouped have other fields. */
export function viewOf(id: RouteId, { isGrouped }: { readonly isGrouped: boolean }): View {
  return (isGrouped ? groupedViews[id] : undefined) ?? views[id];
}
