import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { inDisposableRoot, needsDisposableRoot } from '../../support/disposable-root.ts';
import { projectRoot } from '../../support/hookbell-home.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A machine with the parts that the page expects: a name, PostgreSQL as Debian installs it, and two accounts. */
const MACHINE = `
step() { echo "== $*"; }
echo "127.0.0.1 localhost hub.example.com $(hostname)" >/etc/hosts
for user in hub ada; do useradd --create-home --shell /bin/bash "$user"; done
echo 'hub ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/hub
printf '#!/bin/sh\\nexec node /opt/hookbell/dist/program/cli.js "$@"\\n' >/usr/local/bin/hookbell
chmod 755 /usr/local/bin/hookbell
install -d -o postgres -m 2775 /run/postgresql
pg_dropcluster 15 main 2>/dev/null || true
pg_createcluster --locale=C.UTF-8 15 main --start >/dev/null
as() { user=$1; shift; su --login "$user" --command "$*"; }
# Until a command succeeds.
soon() { i=0; until "$@" >/dev/null 2>&1; do i=$((i + 1)); [ "$i" -lt 100 ] || { "$@"; return 1; }; sleep 0.1; done; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=hub \\
  -addext subjectAltName=DNS:hub.example.com -keyout /tmp/hub.key -out /tmp/hub.pem 2>/dev/null
chmod 644 /tmp/hub.key
`;

/** The blocks of a section of docs/hub.md in their order. */
async function blocksOf(heading: string): Promise<readonly string[]> {
  const page = await readFile(join(projectRoot, 'docs/hub.md'), 'utf8');
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^( *)```\w+\n([^]*?)^ *```$/gm)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

test(
  'docs/hub.md: its commands, as they stand there, make a first hub and then a service of it',
  {
    skip:
      needsPostgres() ||
      needsDisposableRoot('sudo', 'su', 'useradd', 'openssl', 'busybox', 'pg_createcluster'),
  },
  async () => {
    const [database = '', config = '', run = '', invite = '', joining = ''] = await blocksOf(
      'A first hub in ten minutes',
    );
    const [service = '', command = ''] = await blocksOf('systemd');
    assert.match(joining, /^hookbell join https:\/\/hub\.example\.com:8443\n$/);
    const [unit, account] = [/^ExecStart=\/usr\/bin\/env (.*)$/m, /^Environment=(.*)$/gm];
    const file = await readFile(join(projectRoot, 'packaging/hub/hookbell-hub.service'), 'utf8');
    const serviceRun = `env ${[...file.matchAll(account)].map(([, word]) => word).join(' ')} ${unit.exec(file)?.[1]}`;
    await using place = await temporaryDirectory();
    const steps = join(place.path, 'steps');
    await mkdir(steps);
    const texts = {
      'config.yaml': config,
      database: `set -e\n${database}cp /steps/config.yaml /tmp/hub.pem /tmp/hub.key .\nchmod 600 hub.key\n`,
      run,
      invite,
      service: `set -e\ncd /opt/hookbell/packaging/hub\n${service.replace(/^sudo systemctl.*\n/m, '')}`,
      command,
    };
    for (const [name, text] of Object.entries(texts)) await writeFile(join(steps, name), text);

    const ran = await inDisposableRoot({
      place: place.path,
      bring: {
        '/opt/hookbell': projectRoot,
        '/usr/bin/node': process.execPath,
        '/steps': steps,
      },
      isOffline: true,
      script: `${MACHINE}
step database
as hub bash /steps/database
as hub hookbell config check
step run
as hub bash /steps/run </dev/null >/tmp/run.log 2>&1
soon as hub hookbell hub status || { cat /tmp/run.log; exit 1; }
step invite
as hub bash /steps/invite | tee /tmp/invited
step join
mkdir /home/ada/.claude && chown ada /home/ada/.claude
as ada hookbell install --yes --no-service >/dev/null
line=$(grep -oh 'hookbell join .*' /tmp/invited)
echo "$line"
as ada "$line --certificate /tmp/hub.pem" 2>&1
step event
as ada 'echo "{\\"hook_event_name\\":\\"Stop\\",\\"session_id\\":\\"s1\\",\\"cwd\\":\\"/tmp\\"}" | sh -c "$(node -p "JSON.parse(require(\\"fs\\").readFileSync(\\"/home/ada/.claude/settings.json\\")).hooks.Stop[0].hooks[0].command")"'
soon as hub 'hookbell --json history | grep -q s1'
as hub hookbell hub machines
as hub hookbell hub status
as hub hookbell stop
step service
mkdir /etc/hookbell
cp /tmp/hub.pem /tmp/hub.key /home/hub/.config/hookbell/config.yaml /home/hub/.config/hookbell/slack-webhook /home/hub/.config/hookbell/hub-secret /etc/hookbell
echo 'postgres://hookbell-hub@localhost/service?host=/run/postgresql' >/etc/hookbell/database-url
mkdir -p /etc/systemd/system
as hub bash /steps/service
cmp /opt/hookbell/packaging/hub/hookbell-hub.service /etc/systemd/system/hookbell-hub.service
su postgres -c 'createuser hookbell-hub && createdb --owner=hookbell-hub --encoding=UTF8 --template=template0 service'
install -d -o hookbell-hub -m 700 /var/lib/hookbell-hub
setpriv --reuid=hookbell-hub --regid=hookbell-hub --clear-groups ${serviceRun} </dev/null >/tmp/service.log 2>&1 &
soon sudo -u hub sudo sh /opt/hookbell/packaging/hub/hookbell-hub status || { cat /tmp/service.log; exit 1; }
step command
as hub bash /steps/command
step script
as hub sh /opt/hookbell/packaging/hub/hookbell-hub people
step end
`,
    });

    const said = `${ran.stdout}\n${ran.stderr}`;
    if (process.env['HOOKBELL_SHOW'] !== undefined) process.stderr.write(said);
    const parts = new Map(
      ran.stdout.split('== ').map((part) => {
        const at = part.indexOf('\n');
        return [part.slice(0, at), part.slice(at + 1)] as const;
      }),
    );
    assert.ok(parts.has('end'), said);
    assert.ok(parts.get('join')?.startsWith(`${joining.trim()} --code `), said);
    assert.match(parts.get('join') ?? '', /The link works/);
    assert.match(parts.get('event') ?? '', /ada@example\.com/);
    assert.match(
      parts.get('command') ?? '',
      /hookbell join https:\/\/hub\.example\.com:8443 --code/,
    );
    assert.match(parts.get('script') ?? '', /ada@example\.com/);
  },
);
