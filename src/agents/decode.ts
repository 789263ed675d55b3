import { isJsonObject, parseJson } from '../platform/json.ts';
import { FAILED_TURN } from '../core/agent/witness.ts';
import type { HookFacts } from '../core/facts.ts';
import { isHandMade, TEST_EVENT } from '../core/hand-made.ts';
import {
  type DialectName,
  type CallMark,
  type DuplicateKey,
  type HookEvent,
  isWaiting,
  sessionKeyOf,
  type WaitingHook,
} from '../core/hook-event.ts';
import { sha256 } from '../platform/crypto.ts';
import { dialects } from './registry.ts';
import { callHash, fromPlugin, requestHash } from './support/request.ts';
import { changesOf } from './support/read-asked.ts';
import type { Dialect } from './support/dialect.ts';
import { identifyAgent, projectName } from './support/identify.ts';
import { decodeText, firstJsonValue } from './support/json-text.ts';
import { type Payload, readPayload, Wire } from './support/payload.ts';
import { seenMeaning } from './support/seen-events.ts';
import { turnFailure } from './support/readings.ts';
import { eventWord, type Meaning } from './support/vocabulary.ts';

// oxlint-disable-next-line no-restricted-imports -- not a dialect: it chooses one

/** Why a payload is not an event: only white space, invalid or truncated JSON, another value, or an object that names no event. */
export type Unreadable = 'empty' | 'invalid-json' | 'not-object' | 'no-event';

const agents = Object.values(dialects);

export type DecodedEvent = Omit<HookEvent, 'id' | 'at' | 'receivedAt'>;

export interface NotAnEvent {
  readonly ok: false;
  readonly reason: Unreadable;
  readonly agent: DialectName;
  /** The member of a payload without an event name that seems to be the event; absent: none does. */
  readonly wrapper?: string;
}

export type Decoded = { readonly ok: true; readonly event: DecodedEvent } | NotAnEvent;

/**
 * Decodes a payload. Lenient: every JSON object that names its event, or whose hook does, becomes an event with the fields
 * that it has. Never throws, regardless of the bytes.
 *
 * @param payload the bytes a hook received; only the first JSON value in them counts
 * @param facts what the hook recorded of its surroundings
 */
export function decodePayload({
  payload: bytes,
  facts,
}: {
  readonly payload: Uint8Array;
  readonly facts: HookFacts;
}): Decoded {
  const value = parseJson(firstJsonValue(bytes, LIMITS));
  if (value === undefined) {
    const reason = decodeText(bytes).trim() === '' ? 'empty' : 'invalid-json';
    return { ok: false, reason, agent: identifyAgent(null, facts, agents).agent };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, reason: 'not-object', agent: identifyAgent(null, facts, agents).agent };
  }
  const wire = Wire.parse(value);
  const { agent, isProved } = identifyAgent(wire, facts, agents);
  const { spelling }: Dialect = dialects[agent];
  const usual = spelling === undefined ? wire : Wire.parse(respelled(value, spelling));
  const payload = readPayload(usual, facts);
  const { event } = payload;
  if (event === null) return { ok: false, reason: 'no-event', agent, ...wrapperIn(value) };
  const decoded = eventOf(dialects[agent], payload, event, facts, bytes);
  return { ok: true, event: isProved ? decoded : withoutTraits(decoded) };
}

/** The fields under their usual names, which win over those that already have such a name. */
function respelled(value: object, spelling: NonNullable<Dialect['spelling']>): object {
  const kept = Object.entries(value).filter(([name]) => !Object.hasOwn(spelling, name));
  const renamed = Object.entries(value).flatMap(([name, member]) => {
    const usual = Object.hasOwn(spelling, name) ? spelling[name] : null;
    return typeof usual === 'string' ? [[usual, member]] : [];
  });
  return Object.fromEntries([...kept, ...renamed]);
}

/** A wrapper is not opened: who made it, and what else it means, is not known. */
function wrapperIn(value: object): { readonly wrapper?: string } {
  const found = Object.entries(value).find(
    ([key, member]) => /^[\w.-]{1,40}$/.test(key) && namesEvent(member),
  );
  return found === undefined ? {} : { wrapper: found[0] };
}

function namesEvent(member: unknown): boolean {
  const wire = isJsonObject(member) ? Wire.parse(member) : {};
  return (wire.hook_event_name ?? wire.hookEventName) !== undefined;
}

/** Parsing, hashing and comparing the whole of 16 MB would take several times its memory. The payload itself is kept whole. */
const LIMITS = { text: 256 * 1024, member: 1024 * 1024 };

function eventOf(
  dialect: Dialect,
  payload: Payload,
  event: string,
  { ask, ...facts }: HookFacts,
  bytes: Uint8Array,
): DecodedEvent {
  const { agent } = dialect;
  const { sessionId, cwd } = payload;
  const meaning = meaningOf(dialect, payload, event, facts);
  const sessionKey = sessionKeyOf(agent, sessionId, cwd);
  const changes =
    meaning.kind === 'tool.done' && meaning.text === null
      ? changesOf(payload.tool, payload.toolInput, cwd)
      : [];
  return {
    machine: null,
    agent,
    event,
    kind: meaning.kind,
    sessionKey,
    sessionId,
    cwd,
    project: projectName(cwd),
    message: meaning.text,
    tool: meaning.tool ?? payload.tool,
    asked: meaning.asked ?? null,
    ...(changes.length > 0 && { changes }),
    ...(payload.toolMs !== null && { toolMs: payload.toolMs }),
    ...(meaning.reportsTask === true && { reportsTask: true }),
    ...(meaning.wakes !== undefined && { wakes: meaning.wakes }),
    ...(meaning.wokeItself === true && { wokeItself: true }),
    ...(meaning.isUnknown === true && { isUnknownType: true }),
    ...(meaning.wishes !== undefined && { wishes: meaning.wishes }),
    ...(dialect.traits.helperEvent !== undefined && { mayHelp: true }),
    ...(payload.tookAnswer !== null && { tookAnswer: payload.tookAnswer }),
    ...callOf(payload),
    ...waitingHook(ask, payload),
    reason: meaning.reason ?? null,
    ...(meaning.failure !== undefined && { failure: meaning.failure }),
    failed: isFailure(meaning),
    notificationType: payload.notificationType,
    permissionMode: payload.permissionMode,
    subagent: payload.agentId !== null || meaning.isAside === true,
    attended: dialect.attended?.(facts) ?? null,
    source: meaning.kind === 'session.start' ? payload.source : null,
    title: meaning.title ?? payload.title,
    transcriptPath: payload.transcriptPath ?? usualTranscript(dialect, sessionId),
    backgroundWork: meaning.backgroundWork ?? false,
    subject: subjectOf(meaning),
    duplicate: duplicateOf(dialect, sessionKey, payload, meaning, bytes),
    facts: dialect.runsElsewhere === true ? whoItIs(facts) : facts,
  };
}

/** What an agent without a proof must not have: nothing of another agent is read or believed for it. */
function withoutTraits({ mayHelp: _mayHelp, ...event }: DecodedEvent): DecodedEvent {
  const { claude_pid: _pid, ...facts } = event.facts;
  return {
    ...event,
    isUnproved: true,
    attended: null,
    transcriptPath: null,
    facts: { ...facts, unproved: 'yes' },
  };
}

function usualTranscript({ transcript }: Dialect, sessionId: string | null): string | null {
  return sessionId === null ? null : (transcript?.pathOf?.(sessionId) ?? null);
}

function callOf({ agentId, tool, toolInput, requestId, ...payload }: Payload): {
  readonly call?: CallMark;
} {
  if (requestId !== null) {
    // An answer names the request and not what it was for.
    const asked = pluginRequest(payload);
    return { call: { agentId, tool: asked?.tool ?? null, hash: sha256(requestId) } };
  }
  if (agentId === null && tool === null) return {};
  return { call: { agentId, tool, hash: callHash(tool, toolInput) } };
}

function pluginRequest({ event, properties }: Pick<Payload, 'event' | 'properties'>) {
  return fromPlugin({ type: event, properties });
}

/** `NAME OF THE FIFO:PROCESS ID:START`, from hookbell-ask. */
const ASK = /^([\da-f-]{32,36}):(\d+):(\d+|-)$/;

/** Kept out of the facts, which are stored and shown: the name is a secret while the hook waits. */
function waitingHook(ask: string | undefined, payload: Payload): { readonly waits?: WaitingHook } {
  const [, fifo, pid, start] = ASK.exec(ask ?? '') ?? [];
  if (fifo === undefined) return {};
  const { tool, toolInput: input, suggestions } = payload;
  const asked = pluginRequest(payload) ?? { tool, input, suggestions };
  const hash = requestHash(asked.tool, asked.input, asked.suggestions);
  return {
    waits: {
      fifo,
      pid: Number(pid),
      start: start === '-' ? null : (start ?? null),
      requestHash: hash,
    },
  };
}

/** Without the process and terminal that started the agent's daemon. */
function whoItIs({ agent, event }: HookFacts): HookFacts {
  return { ...(agent !== undefined && { agent }), ...(event !== undefined && { event }) };
}

function meaningOf(dialect: Dialect, payload: Payload, event: string, facts: HookFacts): Meaning {
  const seen = seenMeaning(payload, event, facts);
  if (seen !== null) return seen;
  if (event === TEST_EVENT && isHandMade(payload.sessionId)) {
    return { kind: 'test', text: payload.message };
  }
  if (event === FAILED_TURN) return turnFailure(payload);
  const word = eventWord(dialect.vocabulary, event);
  const { kind, reading } = word ?? { kind: 'activity' };
  return reading?.(payload, dialect.vocabulary) ?? { kind, text: null };
}

function isFailure({ kind, reason, failed = false }: Meaning): boolean {
  if (failed || kind === 'turn.failed') return true;
  return kind === 'session.end' && (reason === 'error' || reason === 'abort');
}

const MAX_SUBJECT = 200;

function subjectOf({ kind, text, about }: Meaning): string | null {
  if (!isWaiting(kind) && kind !== 'tool.done') return null;
  if (about !== undefined) return sha256(JSON.stringify(about));
  if (kind === 'tool.done') return null;
  return text === null || text.length <= MAX_SUBJECT ? text : sha256(text);
}

/** How long the same content counts as the same event if the agent sends no ids, ms. */
const DUPLICATE_WINDOW_MS = 2_000;

function duplicateOf(
  { identity, likeness }: Dialect,
  sessionKey: string,
  payload: Payload,
  meaning: Meaning,
  bytes: Uint8Array,
): DuplicateKey {
  const ids = identity?.(payload, meaning) ?? null;
  if (ids !== null) return { key: JSON.stringify([sessionKey, ...ids]), windowMs: null };
  const content = likeness?.(payload, meaning) ?? [payload.event ?? '', sha256(bytes)];
  return { key: JSON.stringify([sessionKey, ...content]), windowMs: DUPLICATE_WINDOW_MS };
}
