export { createClient } from './client.ts';
export type { Client } from './client.ts';
export type { CallOptions, ClientOptions, RateLimitNote } from './client-options.ts';
export type { Middleware } from './client-options.ts';
export type { CredentialKind, CredentialSource } from './credentials.ts';
export type { Send, SendInit } from './http-attempt.ts';
export type { Priority, RequestQueueSettings } from './request-queue.ts';
export type { Sleep } from './wait.ts';
export type { RawAnswer, RawOptions, RawRequest } from './raw-request.ts';
export { rawPages } from './raw-request.ts';
export { planRequest } from './routes.ts';
export type { PlannedRequest } from './routes.ts';
export { openApiDocument } from './routes.ts';
export type { Page, Paged, PagedOptions } from './pagination.ts';
export type { BadItem } from './parse-response.ts';
export type { DriftCount, DriftKind } from './parse-response.ts';
export { Secret } from '../../text/secret.ts';

export { mayHaveHappened } from './api-errors.ts';
export { isNestedTooDeep } from './http-attempt.ts';
export { routes } from './routes.ts';
export type { AnyRoute, ParametersOf, RouteId } from './routes.ts';
export type { RouteOptions } from './methods.ts';
export { numberText, valueIn } from './define-routes.ts';
export type {
  Column,
  PageStyle,
  ServiceRoute as Route,
  RouteFamily,
  View,
} from './define-routes.ts';
export type { RetryClass } from './define-routes.ts';
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
  ApiNotFoundError as NotFoundError,
  PaginationError,
  RateLimitError,
  RedirectError,
  ResponseShapeError,
  ServerError,
  TooLargeError,
  UnexpectedStatusError,
  UnprocessableError,
  ApiUsageError as UsageError,
} from './api-errors.ts';
export type { ApiErrorFacts, Phase } from './api-errors.ts';

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
export { dateOfEpoch } from './schema-parts.ts';
export type { DayRange } from './schema-parts.ts';
export { addDays, dayOf, daysOf, isUtcDay, lastDays, yesterday } from './schema-parts.ts';

export type { Methods } from './methods.ts';
export type { AnalyticsOptions, AnalyticsResult, Groupable, UserRows } from './analytics/daily.ts';
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

export type { CriteriaChanges, Criterion, ReadinessReport } from './readiness.ts';
export {
  compareCriteria,
  criterionWarning,
  dirtOf,
  passShare,
  repositoryKey,
} from './readiness.ts';
export { newestReportsFirst, reportCardView } from './readiness.ts';

export type {
  ApiSession as Session,
  SessionCredits,
  SessionListItem,
  SessionPhase,
  SessionSettings,
  SessionStatus,
  SessionTag,
  TokenUsage,
  WritableSettings,
} from './sessions.ts';
export {
  childUsage,
  sessionCredits,
  sessionPhase,
  sessionPhases,
  writableTags,
} from './sessions.ts';
export type { AddMessageResult } from './add-message.ts';
export type { AddedMessage, ContentBlock, FileAttachment } from './messages.ts';
export type { ImageAttachment, Message } from './messages.ts';
export { fileAttachment, imageAttachment, messageText, textForPeople } from './messages.ts';

export type { Computer, ProvisioningStep } from './computers.ts';
export { computerStatus, failedStep, stepState } from './computers.ts';
export type { InstallDepsResult } from './computers.ts';

export type { Directory, OrganizationUser } from './organization.ts';
export type { ControlChange, ControlSettings, CustomModel } from './controls.ts';
export type { ReadSettings, RevisionPair } from './controls.ts';
export { controlSettingNames, pairRevisions, readControlSettings } from './controls.ts';
export type { LimitEntry, LimitOutcome, SetLimitsOptions, SetLimitsReport } from './set-limits.ts';
