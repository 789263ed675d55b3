#!/bin/sh
# Installs hookbell for this user: builds it, then hands over to `hookbell install`, which copies the program, registers
# the hooks and starts the daemon; the first time it shows one test notification. Needs no root, changes only your home.
#
#   ./install.sh [--no-hooks] [--no-service | --wake] [--agent NAME | --all] [--scope user|project] [--refresh] [--restore-database] [--dry-run] [--yes]
#   ./install.sh --uninstall [--purge] [--dry-run] [--yes]
set -eu
# The installed program runs with every event: no other user may write to it.
umask "$(printf %o "$(($(umask) | 022))")"

say() { printf '%s\n' "$*" >&2; }
die() { say "hookbell: $1"; shift; for line in "$@"; do say "  $line"; done; exit 1; }

# Prints the lines FROM to TO of this file.
header() {
  sed -n "$1,$2s/^# \{0,1\}//p" "$0"
}

check_node() {
  how="Get it from https://nodejs.org, or with a version manager: nvm install 22"
  command -v node >/dev/null 2>&1 || die 'Node.js is missing, version 20.19 or newer is needed' "$how"
  node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1);
  ' || die "Node.js $(node --version) is too old, version 20.19 or newer is needed" "$how"
  command -v npm >/dev/null 2>&1 || die 'npm is missing; it comes with Node.js' "$how"
}

# Packages are fetched only if the lockfile is newer than the installed ones, and unchanged sources are not built
# again: a second run needs no network and no time.
build() (
  cd "$here"
  # npm leaves a cache in the home directory; if there was none, use a temporary one.
  if [ ! -d "$HOME/.npm" ] && [ -z "${npm_config_cache-}" ]; then
    npm_config_cache=$(mktemp -d) || die 'Cannot make a temporary directory'
    export npm_config_cache
    trap 'rm -rf "$npm_config_cache"' EXIT
  fi
  # A link leads to the packages of another checkout, which npm would empty. They are used unchanged.
  if [ -L node_modules ]; then
    say 'Using the packages that node_modules links to'
  elif [ ! -d node_modules ] || [ -n "$(find package-lock.json -newer node_modules/.package-lock.json)" ]; then
    say 'Installing the packages (npm ci)…'
    npm ci --no-audit --no-fund --no-update-notifier --no-progress --loglevel=error --ignore-scripts >&2 || die 'npm ci failed: see above'
  fi
  if [ -f dist/.built ] && [ -z "$(find src hooks scripts/bundle.mjs tsconfig.json tsconfig.program.json package-lock.json -newer dist/.built)" ]; then
    return
  fi
  say 'Building…'
  # Not by npm, which would leave files in the home directory, even in a dry run. The program is bundled from its sources:
  # the compiler only writes the types of its client, and leaves the check of them to CI.
  { node scripts/clean.mjs && node_modules/.bin/tsc --project tsconfig.program.json --noCheck && node scripts/bundle.mjs && : >dist/.built; } >&2 || die 'The build failed: see above'
)

# Without it Node would use the directory in the user database, which may be the wrong one.
case ${HOME-} in
  /*) ;;
  *) die "HOME is \"${HOME-}\", expected the path of your home directory" 'Set HOME, then run this again' ;;
esac

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
uninstall=no
for word do
  shift
  case $word in
    --uninstall) uninstall=yes ;;
    -h | --help) header 2 6; exit 0 ;;
    --no-hooks | --no-service | --wake | --all | --agent | --agent=* | --scope | --scope=* | --refresh | --restore-database | --dry-run | --purge | --yes | [!-]*)
      set -- "$@" "$word" ;;
    # Reported before anything is fetched and built.
    *) say "hookbell: \"$word\" is not an option of install.sh"; header 5 6 >&2; exit 2 ;;
  esac
done

case " $* " in
  *' --purge '*)
    [ "$uninstall" = yes ] || {
      say 'hookbell: "--purge" is for "--uninstall"; nothing was changed'
      say 'Run "./install.sh --uninstall --purge"'
      exit 2
    } ;;
esac

check_node
if [ "$uninstall" = yes ]; then
  program=$HOME/.local/share/hookbell
  # The installed program uninstalls itself, so that nothing has to be built.
  [ -f "$program/dist/program/cli.js" ] || { build; program=$here; }
  exec node "$program/dist/program/cli.js" uninstall "$@"
fi
build
exec node "$here/dist/program/cli.js" install "$@"
