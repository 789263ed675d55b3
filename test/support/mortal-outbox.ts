import type { Outbox } from '../../src/core/outbox.ts';

/** A store as a process sees it that is killed: after `die` nothing is written and no call returns. */
export function mortalOutbox(store: Outbox): { readonly outbox: Outbox; readonly die: () => void } {
  let isDead = false;

  async function call<T>(work: () => Promise<T>): Promise<T> {
    const answer = isDead ? null : await work();
    return answer === null || isDead ? new Promise(() => {}) : answer;
  }

  return {
    die() {
      isDead = true;
    },
    outbox: {
      claim: (query) => call(() => store.claim(query)),
      recordAttempt: (settlement) => call(() => store.recordAttempt(settlement)),
      release: (id, fence) => call(() => store.release(id, fence)),
      releaseLost: (channel, underWay) => call(() => store.releaseLost(channel, underWay)),
      recoverClaims: (now) => call(() => store.recoverClaims(now)),
      giveUp: (query) => call(() => store.giveUp(query)),
      addAwakeTime: (ms) => call(() => store.addAwakeTime(ms)),
      shiftForClock: (now) => call(() => store.shiftForClock(now)),
      retryNow: (channel, now) => call(() => store.retryNow(channel, now)),
      dueTimes: () => call(() => store.dueTimes()),
      channelStates: () => call(() => store.channelStates()),
      saveChannelState: (state) => call(() => store.saveChannelState(state)),
    },
  };
}
