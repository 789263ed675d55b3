#!/bin/sh
# Ten minutes for the first person with a Mac: installs hookbell into a temporary home, asks what the screen shows, and prints a
# report to paste into an issue, without the names of your account, machine and folders. Your settings, agents and launch agents are not
# touched, except in the last step, which asks first and is left out where hookbell is installed.
#
#   sh scripts/first-run.sh [FOLDER OF HOOKBELL]     (default: this checkout, after "npm ci && npm run build")
set -u

root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
cli=$root/dist/program/cli.js
hook=$root/hooks/hookbell-hook
report=
failures=0
[ -f "$cli" ] || {
  echo "first-run: \"$cli\" is missing: run \"npm ci && npm run build\" first" >&2
  exit 2
}
command -v node >/dev/null || {
  echo 'first-run: Node.js is not in PATH' >&2
  exit 2
}

home=$(mktemp -d "${TMPDIR:-/tmp}/hookbell first run.XXXXXX") || exit 2
HOOKBELL_STATE_DIR=$home/state HOOKBELL_CONFIG=$home/config.yaml
export HOOKBELL_STATE_DIR HOOKBELL_CONFIG
# shellcheck disable=SC2329 # By the trap.
clean() {
  node "$cli" stop >/dev/null 2>&1
  rm -rf "$home"
}
trap clean EXIT
trap 'exit 130' HUP INT TERM

# masked TEXT: without what tells who and where this is; a long word with digits may be a token
# shellcheck disable=SC2016 # JavaScript
masked() {
  node -e '
    const { homedir, hostname, userInfo } = require("node:os");
    const [, text, folder, program] = process.argv;
    const real = require("node:fs").realpathSync;
    const names = [[real(folder), "FOLDER"], [folder, "FOLDER"], [real(program), "HOOKBELL"], [program, "HOOKBELL"],
      [homedir(), "~"], [userInfo().homedir, "~"],
      [hostname(), "HOST"], [hostname().split(".")[0], "HOST"], [userInfo().username, "USER"]];
    const escaped = (name) => name.replace(/[^\w]/g, "\\$&");
    names.sort(([a], [b]) => b.length - a.length); // A folder in another one comes first.
    const hidden = names.reduce((left, [name, sign]) =>
      left.replace(new RegExp(`(?<!\\w)${escaped(name)}(?!\\w)`, "gi"), sign), text);
    console.log(hidden.replace(/[\w+=-]{24,}/g, (word) => (/\d/.test(word) ? "***" : word)).replace(/:\/\/[^\s/]*@/g, "://***@"));
  ' -- "$1" "$home" "$root"
}

note() {
  line=$(masked "$1")
  report="$report$line
"
  printf '%s\n' "$line"
}

# shellcheck disable=SC2317,SC2329 # By "check".
person_is_seen() {
  node "$cli" doctor --all | grep -q 'idle for [0-9]* s'
}

# shellcheck disable=SC2317,SC2329 # By "check".
capitals_do_not_matter() {
  HOOKBELL_STATE_DIR=$home/STATE node "$cli" status
}

# check NAME COMMAND...: a fact without a person
check() {
  name=$1
  shift
  if said=$("$@" 2>&1 </dev/null); then
    note "ok      $name"
  else
    status=$?
    failures=$((failures + 1))
    note "FAILED  $name: status $status: $(printf '%s' "$said" | tail -n 3 | tr '\n' ' ')"
  fi
}

# asked QUESTION: what only a person sees; without a terminal it is not asked
asked() {
  if [ ! -t 0 ]; then
    note "not asked: $1"
    return
  fi
  printf '\n%s [y/n, or what you see instead] ' "$1"
  IFS= read -r answer || answer=
  case $answer in
  y | Y | yes) note "ok      $1" ;;
  *)
    failures=$((failures + 1))
    note "FAILED  $1: ${answer:-no answer}"
    ;;
  esac
}

# event SESSION MESSAGE: what an agent hands to the hook
event() {
  printf '{"hook_event_name":"Notification","notification_type":"permission_prompt","session_id":"%s","message":"%s","cwd":"%s"}' \
    "$1" "$2" "$home/shop"
}

# silent WORD...: the hook promises exit 0 and no output
silent() {
  said=$(event "$1" "May I run the tests? $1" | sh "$hook" --state "$HOOKBELL_STATE_DIR" 2>&1)
  status=$?
  printf '%s' "$said"
  [ -z "$said" ] && return "$status"
}

# arrived SESSION: within ten seconds in the history
arrived() {
  tries=0
  while [ "$tries" -lt 20 ]; do
    case $(node "$cli" history --json 2>/dev/null) in *"$1"*) return 0 ;; esac
    tries=$((tries + 1))
    sleep 0.5
  done
  return 1
}

cat >"$HOOKBELL_CONFIG" <<END
channels:
  screen: { type: desktop }
routes:
  - notify: screen
alerts: { settle: 0 }
END
mkdir "$home/shop"

note "system: $(uname -srm), $(sw_vers -productVersion 2>/dev/null || echo 'not macOS'), $(sh --version 2>/dev/null | head -n 1)"
note "node $(node --version), hookbell $(node "$cli" --version), terminal ${TERM_PROGRAM:-unknown}"
for program in alerter terminal-notifier osascript; do
  command -v "$program" >/dev/null && note "has $program"
done

check 'the daemon starts' node "$cli" start
check 'status' node "$cli" status
check 'the hook: exit 0, silent' silent first
check 'its event arrives' arrived first
asked 'Did a notification about "shop" appear? (macOS may first ask whether to allow notifications: allow them)'
asked 'Did it say "May I run the tests?"'
check 'a second one' silent second
asked 'Open another application, then click the notification. Is this terminal in front now?'
node "$cli" sessions >/dev/null 2>&1 && note "alerts that are open now: $(node "$cli" ack --all --json 2>/dev/null | tr -d '\n ')"
check 'presence is detected' person_is_seen
pid=$(cut -d ' ' -f 1 "$HOOKBELL_STATE_DIR/daemon.pid" 2>/dev/null)
case $pid in '' | *[!0-9]*) ;; *) kill -9 "$pid" ;; esac
check 'the hook after a crash of the daemon' silent crash
check 'that event arrives, too' arrived crash
if [ -e "$home/SHOP" ]; then
  check 'a path with other capitals is the same folder' capitals_do_not_matter
else
  note 'this disk tells capitals apart'
fi
check 'stop' node "$cli" stop

if [ -t 0 ] && [ "$(uname -s)" = Darwin ]; then
  theirs=
  for place in .config/hookbell .local/state/hookbell .local/share/hookbell .local/bin/hookbell; do
    [ -e "$HOME/$place" ] && theirs=$place
  done
fi
if [ -n "${theirs-}" ]; then
  note "not asked: install and uninstall, because ~/$theirs is there"
elif [ -t 0 ] && [ "$(uname -s)" = Darwin ]; then
  printf '\nInstall hookbell for you as a launch agent, and remove it again? It changes the settings of no agent. [y/n] '
  IFS= read -r answer || answer=
  if [ "$answer" = y ]; then
    unset HOOKBELL_STATE_DIR HOOKBELL_CONFIG
    check 'install' node "$cli" install --yes --no-hooks
    check 'launchd knows it' launchctl print "gui/$(id -u)/dev.hookbell.daemon"
    check 'doctor' node "$cli" doctor
    check 'uninstall' node "$cli" uninstall --purge --yes
    if launchctl print "gui/$(id -u)/dev.hookbell.daemon" >/dev/null 2>&1; then
      failures=$((failures + 1))
      note 'FAILED  launchd still knows it'
    fi
  fi
fi

printf '\n----- report: please paste it into an issue -----\n%s----- %s failed -----\n' "$report" "$failures"
[ "$failures" -eq 0 ]
