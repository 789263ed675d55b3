import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HookEvent } from '../../src/core/hook-event.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { Session } from '../../src/core/session.ts';
import { NOW, temporaryStore, type TestStore } from '../support/store.ts';
import { findSessionTerminal } from '../../src/channels/support/notify-terminal.ts';
import { bringForward } from '../../src/attention/bring-forward.ts';
import { createDecide } from '../../src/daemon/decide-now.ts';
import { createSessionReaper } from '../../src/daemon/session-reaper.ts';
import { createEnricher } from '../../src/delivery/enrich.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import { systemTimer } from '../../src/platform/time.ts';
import { createPresence } from '../../src/attention/presence.ts';
import { tmuxFocus, tmuxPaneLife } from '../../src/attention/tmux-panes.ts';
import { x11Focus } from '../../src/attention/x11-focus.ts';
import { takeBatch } from '../../src/relay/take-batch.ts';
import { claim } from '../support/claims.ts';
import { sampleConfig } from '../support/doctor-ports.ts';
import { samplePolicy } from '../support/decisions.ts';

/** All that a hostile machine could name of ours: a process that lives, terminals, windows, files, a directory. */
const hostile = {
  facts: {
    agent: 'claude',
    pid: String(process.pid),
    ppid: String(process.pid),
    claude_pid: String(process.pid),
    tty: '/dev/pts/0',
    tmux: '/tmp/tmux-1000/default,1,0',
    tmux_pane: '%1',
    term_program: 'tmux',
    windowid: '77',
    kitty_window_id: '1',
    wezterm_pane: '1',
    iterm_session_id: 'w0t0p0',
  },
  payload: {
    hook_event_name: 'PermissionRequest',
    session_id: 's1',
    tool_name: 'Bash',
    cwd: '/home/dev/shop',
    transcript_path: '/home/dev/.claude/projects/shop/s1.jsonl',
  },
};

interface Relayed {
  readonly event: HookEvent;
  readonly session: Session;
  /** Directories whose project files were asked for. */
  readonly directories: (string | null)[];
}

/** The hostile event, come from another machine and decided upon. */
async function relayed({ store }: TestStore): Promise<Relayed> {
  const directories: (string | null)[] = [];
  let ids = 0;
  const decide = createDecide({
    config: () => sampleConfig({ policy: samplePolicy }),
    projects: {
      of: (directory) => {
        directories.push(directory);
        return null;
      },
    },
    now: () => NOW,
    newId: () => `id-${(ids += 1)}`,
  });
  const payload = Buffer.from(JSON.stringify(hostile.payload)).toString('base64');
  const sent = { id: 'a'.repeat(32), at: NOW - 90_000, facts: hostile.facts, payload };
  await takeBatch('devbox', [sent], {
    store,
    decide,
    prepare: (record) => record,
    now: () => NOW,
    log: silentLog,
    onCommitted: () => {},
  });
  const event = (await store.history.event('last'))?.event;
  const [session] = await store.sessions.list({ limit: 1 });
  assert.ok(event && session);
  return { event, session, directories };
}

test('the daemon does not look for the processes, panes and windows a relayed event names, so no session ends because of them', async () => {
  await using opened = await temporaryStore();
  const { session } = await relayed(opened);
  const asked: string[] = [];
  const ask = (program: string, words: readonly string[]): Promise<string | null> => {
    asked.push([program, ...words].join(' '));
    return Promise.resolve(null);
  };
  const watch = createSessionReaper({
    store: opened.store,
    isAlive: (pid) => {
      asked.push(`process ${pid}`);
      return false;
    },
    gonePanes: tmuxPaneLife(ask, () => NOW),
    programChannels: () => [],
    now: () => NOW,
    log: silentLog,
    onEnded: () => asked.push('ended'),
  });

  await watch.run();
  const presence = createPresence({
    machine: [],
    terminals: [tmuxFocus(ask, () => NOW), x11Focus(ask)],
  });
  const seen = await presence.look([session]);

  assert.equal(session.state, 'waiting');
  assert.deepEqual(asked, []);
  assert.equal(seen(session.key)?.watching, null);
});

test('the daemon does not read the transcript or the project file a relayed event names, and no terminal of that name is written to or brought forward', async () => {
  await using opened = await temporaryStore();
  const { event, session, directories } = await relayed(opened);
  const read: string[] = [];
  const enricher = createEnricher({
    lookUp: () => null,
    readTranscriptTitle: (path) => {
      read.push(path);
      return Promise.resolve('Somebody else');
    },
    sessions: opened.store.sessions,
    now: () => NOW,
    startTimer: systemTimer,
  });
  const renderer = createRenderer({
    labelOf: (directory) => {
      if (directory !== null) read.push(directory);
      return null;
    },
  });
  const [claimed] = await claim(opened.store, { channel: 'desktop' });
  assert.ok(claimed);

  const notification = renderer.notification(await enricher.prepare(claimed));
  await enricher.stop();

  assert.deepEqual([read, directories], [[], []]);
  const asked: string[] = [];
  const terminal = await findSessionTerminal(notification, {
    platform: 'linux',
    ask: (program) => {
      asked.push(program);
      return Promise.resolve(null);
    },
    now: () => NOW,
  });
  assert.deepEqual([terminal, asked], [null, []]);
  assert.deepEqual(notification.facts, { agent: 'claude' });
  const said: string[] = [];
  const say = (_fields: object, sentence: string): void => void said.push(sentence);
  await bringForward(notification, {
    env: { PATH: '/nowhere' },
    platform: 'linux',
    now: () => NOW,
    log: { debug: say, info: say, warn: say, error: say },
  });
  // Whatever is tried and does not work would be logged as well.
  assert.deepEqual(said, [
    "Cannot bring the session's terminal forward: it is closed, or none of the known methods works",
  ]);
  assert.equal(notification.computer, 'devbox');
  assert.deepEqual([event.facts, session.facts], [{ agent: 'claude' }, { agent: 'claude' }]);
  // The notification still has the name from the other machine.
  assert.equal(notification.project, 'shop');
});
