import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { FileSystemView, OwnedKind } from '../../src/platform/ownership.ts';
import { whyNotOurs } from '../../src/platform/ownership.ts';

const US = 1000;
const OTHER = 1001;
const types = { f: 0o100_000, d: 0o040_000, l: 0o120_000, s: 0o140_000 } as const;
type Entry = readonly [type: keyof typeof types, uid: number, mode: number, more?: string | number];

/** A file system of the entries; the fourth value is a link's target, or the group where it is not the user's own. */
function viewOf(entries: Readonly<Record<string, Entry>>): FileSystemView {
  const all: Readonly<Record<string, Entry>> = {
    '/': ['d', 0, 0o755],
    '/home': ['d', 0, 0o755],
    '/home/dev': ['d', US, 0o700],
    '/tmp': ['d', 0, 0o1777],
    '/srv': ['d', OTHER, 0o755],
    ...entries,
  };
  const entryOf = (path: string): Entry => {
    const entry = all[path];
    if (entry === undefined) throw new Error(`ENOENT ${path}`);
    return entry;
  };
  return {
    uid: US,
    lstat: async (path) => {
      const [type, uid, mode, more] = entryOf(path);
      // oxlint-disable-next-line no-bitwise
      return { uid, gid: typeof more === 'number' ? more : uid, mode: types[type] | mode };
    },
    readlink: async (path) => String(entryOf(path)[3]),
  };
}

const cases: readonly (readonly [
  what: string,
  path: string,
  kind: OwnedKind,
  entries: Readonly<Record<string, Entry>>,
  expected: RegExp | null,
])[] = [
  ['a file of ours', '/home/dev/c', 'file', { '/home/dev/c': ['f', US, 0o644] }, null],
  ['a file of root', '/home/dev/c', 'file', { '/home/dev/c': ['f', 0, 0o644] }, null],
  [
    'umask 002 with our own group',
    '/home/dev/c',
    'file',
    { '/home/dev/c': ['f', US, 0o664] },
    null,
  ],
  [
    'umask 002 with a group of many',
    '/home/dev/c',
    'file',
    { '/home/dev/c': ['f', US, 0o664, 100] },
    /others may write to "\/home\/dev\/c" \(mode 0664\)/,
  ],
  [
    'a world-writable file',
    '/home/dev/c',
    'file',
    { '/home/dev/c': ['f', US, 0o666] },
    /mode 0666/,
  ],
  [
    'a file of another user',
    '/home/dev/c',
    'file',
    { '/home/dev/c': ['f', OTHER, 0o600] },
    /"\/home\/dev\/c" belongs to user 1001/,
  ],
  [
    'a file in the directory of another user',
    '/srv/c',
    'file',
    { '/srv/c': ['f', US, 0o600] },
    /"\/srv" belongs to user 1001/,
  ],
  [
    'a directory below one of another user',
    '/srv/a/b',
    'directory',
    { '/srv/a': ['d', US, 0o700], '/srv/a/b': ['d', US, 0o700] },
    /"\/srv" belongs/,
  ],
  [
    'a link to a directory of another user',
    '/home/dev/l/c',
    'file',
    { '/home/dev/l': ['l', US, 0o777, '/srv'], '/srv/c': ['f', US, 0o600] },
    /"\/srv" belongs/,
  ],
  [
    'a link that another user made in /tmp',
    '/tmp/l',
    'directory',
    { '/tmp/l': ['l', OTHER, 0o777, '/home/dev'] },
    /"\/tmp\/l" belongs/,
  ],
  [
    'a relative link of ours',
    '/home/dev/l',
    'file',
    { '/home/dev/l': ['l', US, 0o777, '../dev/c'], '/home/dev/c': ['f', US, 0o600] },
    null,
  ],
  [
    'links in a circle',
    '/home/dev/l',
    'file',
    { '/home/dev/l': ['l', US, 0o777, 'l'] },
    /too many links/,
  ],
  ['a file in /tmp', '/tmp/c', 'file', { '/tmp/c': ['f', US, 0o600] }, null],
  [
    'a file in a world-writable directory',
    '/home/dev/o/c',
    'file',
    { '/home/dev/o': ['d', US, 0o777], '/home/dev/o/c': ['f', US, 0o600] },
    /write to "\/home\/dev\/o"/,
  ],
  [
    'a directory that root gave to a group',
    '/usr/c',
    'file',
    { '/usr': ['d', 0, 0o2775, 50], '/usr/c': ['f', US, 0o600] },
    null,
  ],
  [
    'a socket in a directory of ours',
    '/tmp/tmux-1000/default',
    'socket',
    { '/tmp/tmux-1000': ['d', US, 0o700], '/tmp/tmux-1000/default': ['s', US, 0o770] },
    null,
  ],
  [
    'a socket of ours in /tmp',
    '/tmp/s',
    'socket',
    { '/tmp/s': ['s', US, 0o700] },
    /its directory "\/tmp" also belongs to others/,
  ],
  [
    'a socket of another user',
    '/tmp/d/s',
    'socket',
    { '/tmp/d': ['d', US, 0o700], '/tmp/d/s': ['s', OTHER, 0o777] },
    /"\/tmp\/d\/s" belongs/,
  ],
  [
    'a socket in the directory of another user',
    '/tmp/d/s',
    'socket',
    { '/tmp/d': ['d', OTHER, 0o755], '/tmp/d/s': ['s', US, 0o700] },
    /"\/tmp\/d" belongs/,
  ],
  [
    'a file where a socket should be',
    '/home/dev/c',
    'socket',
    { '/home/dev/c': ['f', US, 0o600] },
    /is not a socket/,
  ],
  ['nothing', '/home/dev/none/c', 'file', {}, /"\/home\/dev\/none\/c" does not exist/],
  ['a relative path', 'c', 'file', {}, /is not an absolute path/],
];

describe('whyNotOurs()', () => {
  for (const [what, path, kind, entries, expected] of cases) {
    test(`${expected === null ? 'trusts' : 'refuses'} ${what}`, async () => {
      const found = await whyNotOurs(path, kind, viewOf(entries));

      if (expected === null) assert.equal(found, null);
      else assert.match(found ?? '', expected);
    });
  }

  test('trusts a socket of ours in /tmp where that is allowed, and everything without user ids', async () => {
    const view = viewOf({ '/tmp/s': ['s', US, 0o700] });

    assert.equal(await whyNotOurs('/tmp/s', 'socket', view, { allowSticky: true }), null);
    assert.equal(await whyNotOurs('/srv/c', 'file', { ...view, uid: undefined }), null);
  });
});
