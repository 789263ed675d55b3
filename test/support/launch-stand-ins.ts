import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { LaunchOptions } from '../../src/setup/launch-text.ts';

/**
 * Fills a directory with stand-ins: a Node that appends its arguments and surroundings to `starts`, a line each, then
 * ENDED, and lives as long as there is a file `alive`; and a `sleep` that lasts as long as there is a file `asleep`.
 */
export function launchStandIns(directory: string): LaunchOptions {
  const node = join(directory, 'node');
  writeFileSync(
    node,
    `#!/bin/sh
cd "$(dirname "$0")"; printf '%s\\n' "$@" "$CONFIG" "$OLDPWD" ENDED >>starts
while [ -e alive ]; do /bin/sleep 0.01; done\n`,
    { mode: 0o700 },
  );
  writeFileSync(
    join(directory, 'sleep'),
    '#!/bin/sh\necho "$@" >>slept\nwhile [ -e asleep ]; do /bin/sleep 0.01; done\n',
    { mode: 0o700 },
  );
  return {
    node,
    main: '/program/main.js',
    stateDirectory: directory,
    home: directory,
    environment: { CONFIG: 'c', PATH: `${directory}:${process.env['PATH']}` },
    manager: null,
  };
}
