import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { hookbellHome, projectRoot } from '../support/hookbell-home.ts';
import { needs } from '../support/system-part.ts';
import { openTmux } from '../support/tmux.ts';

test(
  'a question in a tmux pane appears in the terminal around tmux, by nothing but the terminal',
  { skip: needs('tmux', 'script'), timeout: 60_000 },
  async () => {
    await using place = await hookbellHome();
    await using tmux = await openTmux();
    await tmux.run('set', '-g', 'allow-passthrough', 'on');
    await place.writeConfig(
      'channels: { here: { type: terminal } }\nroutes: [{ match: {}, notify: here }]\n',
    );
    await place.start();
    const payload = join(place.home, 'payload.json');
    const question = {
      session_id: 's1',
      cwd: '/home/dev/shop',
      hook_event_name: 'Notification',
      message: 'Claude needs your permission to use Bash\u001b]52;c;aWQ=\u0007',
    };
    await writeFile(payload, JSON.stringify(question));

    const hook = join(projectRoot, 'hooks/hookbell-hook');
    const script = `HOME='${place.home}' '${hook}' --agent claude <'${payload}'; exec sleep 600`;
    await tmux.run('new-window', script);

    const seen = await tmux.shown('s1\u0007');
    const [message = ''] = seen.split('\u001b]777;notify;').slice(1);
    const [title = '', body = ''] = message.slice(0, message.indexOf('\u0007')).split(';');
    assert.match(title, /shop/);
    assert.equal(body, 'Claude needs your permission to use Bash · Claude Code · Session: s1');
  },
);
