/** Programs of Linux that macOS does not have. */
export const absentPrograms =
  'timeout setsid flock systemctl loginctl notify-send busctl gdbus dbus-send dbus-monitor xdg-open getent pidof nproc tac sha256sum md5sum ldd busybox paplay aplay spd-say wl-copy xclip xdotool'.split(
    ' ',
  );

/** What GNU's programs take and those of macOS refuse, as patterns of `case`, besides words that begin with "--". */
const refusedWords = {
  cat: '-A | -T',
  chmod: '',
  cp: '-t | -T | -u',
  cut: '',
  date: '-d | -d* | *%N*',
  find: '-printf | -regextype',
  grep: '-P | -*P',
  head: '-[0-9]*c | -c-* | -n-*',
  id: '-z',
  ln: '-r | -t | -T | -sr | -srf',
  ls: '-v | -Z',
  mktemp: '-p',
  mv: '-t | -T | -u',
  readlink: '-e | -m',
  rm: '',
  sed: '-i | -s | -z',
  sort: '',
  tail: '',
  touch: '-d*[!0-9TZ:.-]*',
  tr: '',
  uname: '-i | -o',
  wc: '',
  xargs: '-d | -d*',
};

/**
 * The programs of macOS, by their manuals. Each records its words, a line per call, in `recorded/NAME`; what its manual
 * does not know it refuses, which is recorded in `recorded/refused`.
 *
 * @param node the real Node
 */
export function standIns({
  world,
  node,
}: {
  readonly world: string;
  readonly node: string;
}): Readonly<Record<string, string>> {
  const record = `printf '%s\\n' "$*" >>'${world}/recorded/'"\${0##*/}"\n`;
  const silent = `#!/bin/sh\n${record}exit 0\n`;
  const refuse = `refuse() { printf '%s\\n' "\${0##*/} $*" >>'${world}/recorded/refused'; exit 1; }\n`;
  const bsd = (name: string, words: string): readonly [string, string] => [
    name,
    `#!/bin/sh\n${refuse}for word do case $word in --?*${words === '' ? '' : ` | ${words}`}) refuse "$@" ;; esac; done\nexec '${world}/gnu/${name}' "$@"\n`,
  ];
  return {
    ...Object.fromEntries(Object.entries(refusedWords).map(([name, words]) => bsd(name, words))),
    node: `#!/bin/sh\nexec '${node}' --require '${world}/bin/as-mac.cjs' "$@"\n`,
    'as-mac.cjs': asMac,
    // ps(1) of BSD: no long options, and keywords with "=" for a column without a title.
    ps: `#!${node}\n${psOf(world)}`,
    launchctl: `#!${node}\n${launchctlOf(world, node)}`,
    osascript: `#!/bin/sh\n${record}cat >>'${world}/recorded/osascript.in'\n`,
    'terminal-notifier': `#!/bin/sh\n${record}case $1 in -version) echo 'terminal-notifier 2.0.0.' ;; esac\n`,
    ioreg: `#!/bin/sh\n${record}case $* in
'-n Root -d 1') echo '    "IOConsoleUsers" = ({"kCGSSessionOnConsoleKey"=Yes,"kCGSSessionUserIDKey"=0})' ;;
*) echo '    "HIDIdleTime" = 600000000000' ;;
esac\n`,
    sysctl: `#!/bin/sh\n${record}echo '{ sec = 1760000000, usec = 0 } Thu Oct  9 08:53:20 2025'\n`,
    stat: `#!/bin/sh\n${refuse}case $1 in -f | -L | -x) exit 0 ;; *) refuse "$@" ;; esac\n`,
    open: silent,
    pbcopy: silent,
    afplay: silent,
    say: silent,
    defaults: silent,
    lsof: silent,
  };
}

const asMac = `
const os = require('node:os');
Object.defineProperty(process, 'platform', { value: 'darwin' });
Object.defineProperty(process, 'execPath', { value: '/usr/bin/node', writable: true });
Object.assign(os, { platform: () => 'darwin', type: () => 'Darwin', release: () => '24.6.0' });
require('node:module').syncBuiltinESMExports();
`;

function psOf(world: string): string {
  return `
const fs = require('node:fs');
const words = process.argv.slice(2);
const refuse = () => { fs.appendFileSync('${world}/recorded/refused', 'ps ' + words.join(' ') + '\\n'); process.exit(1); };
const read = (path) => { try { return fs.readFileSync('${world}/hidden-proc/' + path, 'utf8'); } catch { return ''; } };
// A keyword with "=" takes the rest of its word as the title, so there is one of them in a word.
const pid = words.pop(), keywords = words.filter((_, index) => index % 2 === 1);
if (words.pop() !== '-p' || keywords.length === 0 || words.some((word, index) => index % 2 === 0 && word !== '-o')) refuse();
const stat = read(pid + '/stat');
if (stat === '') process.exit(1);
const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
const booted = Number(/^btime (\\d+)/m.exec(read('stat'))[1]);
const started = new Date((booted + Number(fields[19]) / 100) * 1000);
const [day, month, date, year, time] = started.toString().split(' ');
const known = {
  'command=': read(pid + '/cmdline').replaceAll('\\0', ' ').trim(),
  'lstart=': [day, month, String(Number(date)).padStart(2), time, year].join(' '),
  'tty=': '??', 'ppid=': fields[1], 'pid=': pid, 'stat=': fields[0],
  'comm=': stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
};
const found = keywords.map((name) => known[name] ?? refuse());
console.log(found.join(' '));
`;
}

/** launchctl(1) and launchd.plist(5), as far as they are used: a job that fails is started again after ThrottleInterval. */
function launchctlOf(world: string, node: string): string {
  return `
const fs = require('node:fs'), { spawn } = require('node:child_process');
const words = process.argv.slice(2), [verb, target, path] = words;
fs.appendFileSync('${world}/recorded/launchctl', words.join(' ') + '\\n');
const job = '${world}/launchd/job';
const isLoaded = () => { try { process.kill(Number(fs.readFileSync(job, 'utf8')), 0); return true; } catch { return false; } };
const domain = 'gui/' + process.getuid();
if (verb === 'print') process.exit(target === domain || isLoaded() ? 0 : 113);
if (verb === 'bootstrap') {
  if (isLoaded()) { console.error('Bootstrap failed: 5: Input/output error'); process.exit(5); }
  const plist = fs.readFileSync(path, 'utf8');
  const [, list] = /<key>ProgramArguments<\\/key>\\s*<array>([^]*?)<\\/array>/.exec(plist);
  const text = (xml) => xml.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&apos;/g, "'").replace(/&amp;/g, '&');
  const program = [...list.matchAll(/<string>([^]*?)<\\/string>/g)].map(([, word]) => text(word));
  const seconds = Number(/<key>ThrottleInterval<\\/key><integer>(\\d+)/.exec(plist)?.[1] ?? 10);
  const keeper = spawn('${node}', ['-e', \`
    const { spawn } = require('node:child_process');
    const [words, seconds] = JSON.parse(process.argv[1]);
    let child;
    const start = () => {
      child = spawn(words[0], words.slice(1), { env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: process.env.HOME }, stdio: 'ignore', cwd: '/' });
      child.on('exit', (code) => { if (code === 0) process.exit(0); else setTimeout(start, seconds * 1000); });
    };
    process.on('SIGTERM', () => { child.removeAllListeners('exit'); child.on('exit', () => process.exit(0)); child.kill('SIGTERM'); });
    start();
  \`, JSON.stringify([program, seconds])], { detached: true, stdio: 'ignore', env: { HOME: '${world}/Users/dev' } });
  fs.writeFileSync(job, String(keeper.pid)); keeper.unref(); process.exit(0);
}
if (verb === 'kickstart') process.exit(isLoaded() ? 0 : 113);
if (verb === 'bootout') {
  if (!isLoaded()) process.exit(3);
  const keeper = Number(fs.readFileSync(job, 'utf8'));
  process.kill(keeper, 'SIGTERM');
  const gone = () => { try { process.kill(keeper, 0); setTimeout(gone, 20); } catch { process.exit(0); } };
  gone();
} else { fs.appendFileSync('${world}/recorded/refused', 'launchctl ' + words.join(' ') + '\\n'); process.exit(64); }
`;
}
