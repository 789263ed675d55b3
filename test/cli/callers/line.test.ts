import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { hookbellHome, until } from '../../support/hookbell-home.ts';
import { runProcess } from '../../support/run-process.ts';
import { spawnHere } from '../../support/spawn-here.ts';
import { startSway } from '../../support/sway.ts';
import { needs } from '../../support/system-part.ts';
import { openTmux } from '../../support/tmux.ts';

test(
  'the files for bars follow the sessions, tmux shows one, and "line" prints the same',
  { skip: needs('tmux', 'script') },
  async () => {
    await using place = await hookbellHome();
    const absent = await place.cli('line');
    assert.deepEqual([absent.code, absent.stdout], [4, '']);
    assert.match(absent.stderr, /Cannot reach the daemon/);
    await place.start();
    const read = (format: string) =>
      readFile(join(place.paths.state, 'line', format), 'utf8').catch(() => '');
    await until(async () => (await read('plain')) === '\n');
    await using tmux = await openTmux();
    await tmux.run('set', '-g', 'status-interval', '1');
    await tmux.run(
      'set',
      '-g',
      'status-right',
      `#(cat ${join(place.paths.state, 'line', 'tmux')})`,
    );

    const session = { session_id: 's1', cwd: '/home/dev/shop' };
    await place.hook({ hook_event_name: 'Notification', message: 'needs you', ...session });

    await until(async () => /^1 waits · shop \d+ s\n$/.test(await read('plain')));
    await tmux.shown('1 waits');
    const { stdout } = await place.cli('line');
    assert.match(stdout, /^1 waits · shop \d+ s\n$/);
    await place.hook({ hook_event_name: 'UserPromptSubmit', prompt: 'go on', ...session });
    await until(async () => (await read('plain')) === '\n');
  },
);

test(
  'Waybar shows the file, in the style of its class while a session waits',
  { skip: needs('waybar', 'sway', 'swaymsg', 'setpriv', 'grim', 'convert') },
  async () => {
    await using place = await hookbellHome();
    await place.start();
    await using sway = await startSway();
    const config = join(sway.home, 'bar.json');
    const style = join(sway.home, 'bar.css');
    const picture = join(sway.home, 'bar.png');
    const snippet = { exec: `cat ${join(place.paths.state, 'line', 'waybar')}`, interval: 1 };
    const bar = {
      layer: 'top',
      'modules-right': ['custom/hookbell'],
      'custom/hookbell': { ...snippet, 'return-type': 'json' },
    };
    await writeFile(config, JSON.stringify(bar));
    await writeFile(style, '#custom-hookbell.waiting { background: #ff0000; }');
    await using _bar = await spawnHere('waybar', ['-c', config, '-s', style], sway.env);
    const isRed = async () => {
      const shot = await runProcess('grim', [picture], { env: sway.env });
      if (shot.code !== 0) return null;
      const count = ['-fill', 'black', '+opaque', '#ff0000', '-format', '%[fx:mean > 0]', 'info:'];
      return (await runProcess('convert', [picture, ...count], { env: sway.env })).stdout === '1';
    };
    const session = { session_id: 's1', cwd: '/home/dev/shop' };

    await until(async () => (await isRed()) === false);
    await place.hook({ hook_event_name: 'Notification', message: 'needs you', ...session });
    await until(async () => (await isRed()) === true);
    await place.hook({ hook_event_name: 'UserPromptSubmit', prompt: 'go on', ...session });
    await until(async () => (await isRed()) === false);
  },
);
