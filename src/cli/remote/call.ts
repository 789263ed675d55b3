import type { ApiError, Client, RouteId, RouteOptions } from '../../api/index.ts';
import { callRoute, routes } from '../../api/index.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { displayText } from '../../core/sanitize.ts';
import type { CommandContext } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { Extent } from './collect.ts';
import { collect } from './collect.ts';
import type { Shown } from './show.ts';
import { show } from './show.ts';
import { viewOf } from './views.ts';

/** A typed call as a command makes it. */
export interface RemoteCall {
  readonly id: RouteId;
  /** Checked by the client before anything is sent. */
  readonly parameters: unknown;
  readonly options?: RouteOptions;
  readonly extent: Extent;
  readonly csv?: boolean | undefined;
}

/** Makes a typed call and prints what came of it. @throws ApiError as the call does */
export async function callAndShow(
  context: Pick<CommandContext, 'output' | 'json'>,
  api: Client,
  call: RemoteCall,
): Promise<ExitCode> {
  return printCall(context, call, await makeCall(api, call));
}

/** Makes a typed call. @throws ApiError as the call does */
export function makeCall(
  api: Client,
  { id, parameters, options, extent }: RemoteCall,
): Promise<Shown> {
  return collect(routes[id], callRoute(api, id, parameters, options), extent);
}

/** Prints what came of a typed call. */
export function printCall(
  { output, json }: Pick<CommandContext, 'output' | 'json'>,
  { id, parameters, csv }: RemoteCall,
  shown: Shown,
): ExitCode {
  const isGrouped = isJsonObject(parameters) && parameters['group_by'] !== undefined;
  const format = csv === true ? 'csv' : json ? 'json' : 'people';
  show(output, viewOf(id, { isGrouped }), shown, format);
  const { failure = null, items, exitCode = exitCodes.ok } = shown;
  if (failure === null) return exitCode;
  complainOfCut(output, items.length, failure);
  return exitCodes.partial;
}

/** Says that a list ends before its end, and why. */
export function complainOfCut(output: Output, count: number, { message, hint }: ApiError): void {
  output.complain(`These are only the first ${count}, and there are more: ${displayText(message)}`);
  if (hint !== undefined) output.complain(`  ${hint}`);
}
