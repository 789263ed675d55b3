import { sessionStates } from '../core/session.ts';
import type { Store } from '../core/store.ts';
import { acceptRecord } from './accept.ts';
import { listLiveAlerts, liveAlertsOf, openRequests } from './alerts.ts';
import { addQuarantined, audit, listQuarantined } from './audit.ts';
import {
  claimDeliveries,
  dueTimes,
  recoverClaims,
  releaseClaim,
  releaseLost,
  settleClaim,
} from './claims.ts';
import { addAwakeTime, countElapsedTime } from './clock.ts';
import type { Connection } from './connection.ts';
import { reevaluateHeld, shiftForClock } from './deliveries.ts';
import {
  acknowledgeAlerts,
  answerRequest,
  endSession,
  expireAlerts,
  snoozeAlert,
} from './end-alerts.ts';
import { addDecision, lastEvents, lastHook } from './events.ts';
import { dueSessions, fireDue, nextTimer } from './fire.ts';
import { GroupCommit } from './group-commit.ts';
import { findEvent, followHistory, idsBeginning, listHistory } from './history.ts';
import { addMute, listMutes, removeMutes } from './mutes.ts';
import { prune } from './prune.ts';
import {
  countEvents,
  dropDeliveries,
  giveUpDeliveries,
  listChannelStates,
  listDeliveries,
  readCounts,
  retryDeliveries,
  retryNow,
  saveChannelState,
} from './queue.ts';
import { giveUpRelaying, relayBacklog, relayBatch, settleRelayed } from './relay.ts';
import { addReplyLink, readReplyLink, settleReplyLink, useReplyLink } from './reply-links.ts';
import { listSessions, noteLookedUp, runningTurns, sessionsElsewhere } from './sessions.ts';
import { standingDeliveries, tallyOf } from './traffic.ts';
import { takeWithdrawals } from './withdrawals.ts';

/** Implements the store's port on an open database: each method is in the file of its table. */
export function sqliteStore(connection: Connection, now: () => number): Store {
  const commits = new GroupCommit(connection);
  const write = <Result>(work: () => Result): Promise<Result> => commits.write(work);
  const read = async <Result>(work: () => Result): Promise<Result> => connection.guarded(work);
  return {
    accept: (records, decide) =>
      write(() => {
        const circumstances = { decide, now: now() };
        const verdicts = records.map((record) => acceptRecord(connection, record, circumstances));
        countEvents(connection, verdicts.filter((verdict) => verdict === 'committed').length);
        return verdicts;
      }),

    claim: (query) => write(() => claimDeliveries(connection, query)),
    settle: (settlement) => write(() => settleClaim(connection, settlement)),
    release: (deliveryId, fence) => write(() => releaseClaim(connection, deliveryId, fence)),
    releaseLost: (channel, underWay) => write(() => releaseLost(connection, channel, underWay)),
    giveUp: (query) => write(() => giveUpDeliveries(connection, query)),
    recoverClaims: (at) => write(() => recoverClaims(connection, at)),
    followClock: (at) => write(() => shiftForClock(connection, at)),
    addAwakeTime: (ms) => write(() => addAwakeTime(connection, ms)),
    countElapsedTime: (at) => write(() => countElapsedTime(connection, at)),
    retryNow: (channel, at) => write(() => retryNow(connection, channel, at)),
    dueTimes: () => read(() => dueTimes(connection)),

    relayBatch: (query) => read(() => relayBatch(connection, query)),
    settleRelayed: (settled) => write(() => settleRelayed(connection, settled)),
    giveUpRelaying: (query) => write(() => giveUpRelaying(connection, query)),
    relayBacklog: () => read(() => relayBacklog(connection)),

    fire: (at, decide) => write(() => fireDue(connection, at, decide)),
    decideAgain: (heldFor) => write(() => reevaluateHeld(connection, heldFor, now())),
    nextTimer: () => read(() => nextTimer(connection)),
    dueSessions: (at) => read(() => dueSessions(connection, at)),
    expireAlerts: (query) => write(() => expireAlerts(connection, query)),
    acknowledge: (query) => write(() => acknowledgeAlerts(connection, query)),
    snooze: (query) => write(() => snoozeAlert(connection, query)),
    endSession: (end) => write(() => endSession(connection, end)),
    runningTurns: (query) => read(() => runningTurns(connection, query)),
    openRequests: (query) => read(() => openRequests(connection, query)),
    answerRequest: (answer) => write(() => answerRequest(connection, answer)),
    liveAlerts: () => read(() => listLiveAlerts(connection)),
    liveAlertsOf: (keys) => read(() => liveAlertsOf(connection, keys)),

    standing: (channel, limit) => read(() => standingDeliveries(connection, channel, limit)),
    takeWithdrawals: (channel, limit) => write(() => takeWithdrawals(connection, channel, limit)),

    addMute: (mute, exceptChannels) => write(() => addMute(connection, mute, exceptChannels)),
    removeMutes: (ids) => write(() => removeMutes(connection, ids, now())),
    mutes: (at) => read(() => listMutes(connection, at)),

    channelStates: () => read(() => listChannelStates(connection)),
    saveChannelState: (state) => write(() => saveChannelState(connection, state)),

    history: (query) => read(() => listHistory(connection, query)),
    follow: (query) => read(() => followHistory(connection, query)),
    idsBeginning: (table, beginning, limit) =>
      read(() => idsBeginning(connection, table, beginning, limit)),
    event: (id) => read(() => findEvent(connection, id)),
    sessions: ({ limit, states = sessionStates }) =>
      read(() => listSessions(connection, states, limit)),
    sessionsElsewhere: (id) => read(() => sessionsElsewhere(connection, id)),
    noteLookedUp: (key, change) => write(() => noteLookedUp(connection, key, change)),
    queue: ({ limit, states }) => read(() => listDeliveries(connection, states, limit)),
    retryDeliveries: (ids, at) => write(() => retryDeliveries(connection, ids, at)),
    dropDeliveries: (ids, reason) => write(() => dropDeliveries(connection, ids, reason)),
    addDecision: (eventId, decision) => write(() => addDecision(connection, eventId, decision)),
    audit: (at) => read(() => audit(connection, at)),
    tally: (query) => read(() => tallyOf(connection, query)),
    counts: () => read(() => readCounts(connection)),
    lastEvents: () => read(() => lastEvents(connection)),
    lastHook: (sessionId) => read(() => lastHook(connection, sessionId)),

    addReplyLink: (link) => write(() => addReplyLink(connection, link)),
    replyLink: (tokenHash) => read(() => readReplyLink(connection, tokenHash)),
    useReplyLink: (tokenHash, at) => write(() => useReplyLink(connection, tokenHash, at)),
    settleReplyLink: (tokenHash, outcome, at) =>
      write(() => settleReplyLink(connection, tokenHash, outcome, at)),

    addQuarantined: (entry) => write(() => addQuarantined(connection, entry)),
    quarantined: (limit) => read(() => listQuarantined(connection, limit)),

    prune: (limits) => prune(connection, commits, limits),
    close: async () => {
      commits.flush();
      connection.close();
    },
  };
}
