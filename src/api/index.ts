export { createClient } from './client.ts';
export type { Client } from './client.ts';
export type { CallOptions, ClientOptions, RateLimitNote } from './client-options.ts';
export type { Middleware } from './middleware.ts';
export type { CredentialKind, CredentialSource } from './credentials.ts';
export type { Send, SendInit } from './attempt.ts';
export type { Priority as Lane, RequestQueueSettings as LaneSettings } from './lanes.ts';
export type { Sleep } from './wait.ts';
export type { RawAnswer, RawOptions, RawRequest } from './raw-request.ts';
export { rawPages } from './raw-pages.ts';
export type { RawPage } from './raw-pages.ts';
export { planRequest } from './plan-request.ts';
export type { PlannedRequest } from './plan-request.ts';
export { openApiDocument } from './openapi-document.ts';
export type { Page, Paged, PagedOptions } from './pagination.ts';
export type { BadItem } from './parse-response.ts';
export type { DriftCount, DriftKind } from './drift.ts';
export { Secret } from './secret.ts';

export { mayHaveHappened } from './lost-answer.ts';
export { isNestedTooDeep } from './nesting.ts';
export { routes } from './routes.ts';
export type { ParametersOf, RouteId } from './routes.ts';
export { callRoute } from './call-route.ts';
export type { RouteOptions } from './call-route.ts';
export type { PageStyle, Route, RouteFamily } from './route.ts';
export type { RetryClass } from './retry-class.ts';
export { namesInPath } from './path.ts';

export {
  AmbiguousWriteError,
  ApiConnectionError,
  ApiError,
  AuthError,
  BadRequestError,
  CircuitOpenError,
  ConflictError,
  ForbiddenError,
  InsecureAddressError,
  MissingAddressError,
  MissingKeyError,
  NotFoundError,
  PaginationError,
  RateLimitError,
  RedirectError,
  ResponseShapeError,
  ServerError,
  TooLargeError,
  UnexpectedStatusError,
  UnprocessableError,
  UsageError,
} from './errors.ts';
export type { ApiErrorFacts, Phase } from './errors.ts';

export type {
  ComputerId,
  EpochUnknown,
  IsoDateTime,
  ReportId,
  SessionId,
  StandardCredits,
  UnixMs,
  UserId,
  UtcDay,
} from './schema-parts.ts';
export { dateOfEpoch } from './epoch.ts';
export type { DayRange } from './utc-day.ts';
export { addDays, dayOf, daysOf, isUtcDay, lastDays, yesterday } from './utc-day.ts';

export type {
  Analytics,
  AnalyticsOptions,
  AnalyticsResult,
  Groupable,
  UserRows,
} from './analytics/resource.ts';
export type {
  ActivityRow,
  AnalyticsMeta,
  GroupedActivityRow,
  GroupedTokenRow,
  GroupedToolRow,
  ModelTokens,
  ProductivityRow,
  TokenRow,
  ToolRow,
  UserRow,
} from './analytics/rows.ts';
export { EARLIEST_DAY } from './analytics/range.ts';
export { bucketToolNames, foldByCase } from './analytics/names.ts';
export type { NamedCount } from './analytics/names.ts';
export { clientLabel, creditsText, delegationLabel } from './analytics/labels.ts';

export type { Readiness } from './readiness/resource.ts';
export type { Criterion, Report } from './readiness/report.ts';
export {
  compareCriteria,
  criterionWarning,
  passShare,
  repositoryKey,
} from './readiness/criteria.ts';
export type { CriteriaChanges } from './readiness/criteria.ts';

export type { Sessions } from './sessions/resource.ts';
export type {
  Session,
  SessionListItem,
  SessionSettings,
  SessionStatus,
  SessionTag,
  TokenUsage,
} from './sessions/session.ts';
export type { WritableSettings } from './sessions/parameters.ts';
export { writableTags } from './sessions/tags.ts';
export type { AddMessageResult } from './sessions/add-message.ts';
export type { AddedMessage, ContentBlock, Message } from './sessions/message.ts';
export { messageText, textForPeople } from './sessions/message-text.ts';
export { fileAttachment, imageAttachment } from './sessions/attachments.ts';
export type { FileAttachment, ImageAttachment } from './sessions/attachments.ts';
export { sessionPhase, sessionPhases } from './sessions/phase.ts';
export type { SessionPhase } from './sessions/phase.ts';
export { childUsage, sessionCredits } from './sessions/usage.ts';
export type { SessionCredits } from './sessions/usage.ts';

export type { ComputerListing, Computers } from './computers/resource.ts';
export type { Computer, ProvisioningStep } from './computers/computer.ts';
export type { InstallDepsResult } from './computers/install-deps.ts';
export { computerStatus, failedStep, stepState } from './computers/steps.ts';

export type { Organization } from './organization/resource.ts';
export type { Directory } from './organization/directory.ts';
export type { OrganizationUser } from './organization/user.ts';
export type { ControlChange, ControlSettings, CustomModel } from './organization/controls.ts';
export { controlSettingNames, readControlSettings } from './organization/control-settings.ts';
export type { ReadSettings } from './organization/control-settings.ts';
export { pairRevisions } from './organization/revision-pairs.ts';
export type { RevisionPair } from './organization/revision-pairs.ts';
export type { LimitEntry } from './organization/parameters.ts';
export type { LimitOutcome, SetLimitsOptions, SetLimitsReport } from './organization/set-limits.ts';
