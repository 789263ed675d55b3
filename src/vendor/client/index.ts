export { createClient } from './client.ts';
export type { Client } from './client.ts';
export type { CallOptions, ClientOptions, RateLimitNote } from './client-options.ts';
export type { Middleware } from './client-options.ts';
export type { CredentialKind, CredentialSource } from './credentials.ts';
export type { Send, SendInit } from './attempt.ts';
export type { Priority as Lane, RequestQueueSettings as LaneSettings } from './lanes.ts';
export type { Sleep } from './wait.ts';
export type { RawAnswer, RawOptions, RawRequest } from './raw-request.ts';
export { rawPages } from './raw-pages.ts';
export type { RawPage } from './raw-pages.ts';
export { planRequest } from './call-route.ts';
export type { PlannedRequest } from './call-route.ts';
export { openApiDocument } from './openapi-document.ts';
export type { Page, Paged, PagedOptions } from './pagination.ts';
export type { BadItem } from './parse-response.ts';
export type { DriftCount, DriftKind } from './drift.ts';
export { Secret } from './hide-secrets.ts';

export { mayHaveHappened } from './errors.ts';
export { isNestedTooDeep } from './read-answer.ts';
export { routes } from './routes.ts';
export type { ParametersOf, RouteId } from './routes.ts';
export { callRoute } from './call-route.ts';
export type { RouteOptions } from './call-route.ts';
export type { PageStyle, Route, RouteFamily } from './route.ts';
export type { RetryClass } from './route.ts';
export { namesInPath } from './address.ts';

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
export { dateOfEpoch } from './utc-day.ts';
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
export { EARLIEST_DAY } from './analytics/windows.ts';
export { bucketToolNames, foldByCase } from './analytics/names.ts';
export type { NamedCount } from './analytics/names.ts';
export { clientLabel, creditsText, delegationLabel } from './analytics/names.ts';

export type { Readiness } from './readiness/resource.ts';
export type { Criterion, Report } from './readiness/report.ts';
export { compareCriteria, criterionWarning, passShare, repositoryKey } from './readiness/report.ts';
export type { CriteriaChanges } from './readiness/report.ts';

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
export { writableTags } from './sessions/parameters.ts';
export type { AddMessageResult } from './sessions/add-message.ts';
export type { AddedMessage, ContentBlock, Message } from './sessions/message.ts';
export { messageText, textForPeople } from './sessions/attachments.ts';
export { fileAttachment, imageAttachment } from './sessions/attachments.ts';
export type { FileAttachment, ImageAttachment } from './sessions/attachments.ts';
export { sessionPhase, sessionPhases } from './sessions/session.ts';
export type { SessionPhase } from './sessions/session.ts';
export { childUsage, sessionCredits } from './sessions/session.ts';
export type { SessionCredits } from './sessions/session.ts';

export type { ComputerListing, Computers } from './computers/resource.ts';
export type { Computer, ProvisioningStep } from './computers/computer.ts';
export type { InstallDepsResult } from './computers/resource.ts';
export { computerStatus, failedStep, stepState } from './computers/computer.ts';

export type { Organization } from './organization/resource.ts';
export type { Directory } from './organization/directory.ts';
export type { OrganizationUser } from './organization/directory.ts';
export type { ControlChange, ControlSettings, CustomModel } from './organization/controls.ts';
export { controlSettingNames, readControlSettings } from './organization/controls.ts';
export type { ReadSettings } from './organization/controls.ts';
export { pairRevisions } from './organization/controls.ts';
export type { RevisionPair } from './organization/controls.ts';
export type { LimitEntry } from './organization/directory.ts';
export type { LimitOutcome, SetLimitsOptions, SetLimitsReport } from './organization/set-limits.ts';
