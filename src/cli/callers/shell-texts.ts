import { programEvents } from '../../core/hand-made.ts';

interface ShellParts {
  /** The command of the hook with its words, quoted. */
  readonly hook: string;
  /** The file that must exist. */
  readonly program: string;
  readonly seconds: number;
  /** Names with blanks between. */
  readonly ignore: string;
}

/** The payload, with the names of the shell's variables in it. */
function payload(
  variables: Readonly<Record<'session' | 'cwd' | 'tool' | 'command' | 'status' | 'took', string>>,
): string {
  const { session, cwd, tool, command, status, took } = variables;
  return `{"hook_event_name":"${programEvents.command}","session_id":"shell-${session}","cwd":"${cwd}","tool_name":"${tool}","tool_input":{"command":"${command}"},"status":"${status}","duration_ms":${took}}`;
}

/** "%s" in the place of each value, in the order of the arguments of printf. */
const FORMAT = payload({
  session: '%s',
  cwd: '%s',
  tool: '%s',
  command: '%s',
  status: '%s',
  took: '%s000',
});

/** Between two prompts, the shell only compares numbers. What is quick, stopped by Ctrl-C or ignored starts no process. */
const posixDone = ({ hook, ignore }: ShellParts) => `  # shellcheck disable=SC2254
  __hookbell_word=$__hookbell_cmd
  while :; do
    case \${__hookbell_word%% *} in
      sudo | env | command | nice | time | [A-Za-z_]*=*) ;;
      *) break ;;
    esac
    case $__hookbell_word in *\\ *) __hookbell_word=\${__hookbell_word#* } ;; *) break ;; esac
  done
  __hookbell_word=\${__hookbell_word%%[[:space:]]*}
  __hookbell_word=\${__hookbell_word##*/}
  case " ${ignore} " in *" $__hookbell_word "*) return $__hookbell_status ;; esac
  __hookbell_json "$PWD"; __hookbell_dir=$REPLY
  __hookbell_json "$__hookbell_word"; __hookbell_word=$REPLY
  __hookbell_json "$__hookbell_cmd"
  (printf '${FORMAT}' "$$" "$__hookbell_dir" "$__hookbell_word" "$REPLY" "$__hookbell_status" "$__hookbell_took" | ${hook} &) >/dev/null 2>&1
  return $__hookbell_status`;

function bash(parts: ShellParts): string {
  const { program, seconds } = parts;
  return `# Notifies of long commands. In ~/.bashrc, as its last line: eval "$(hookbell shell-init bash)"
if [[ $- == *i* ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
  echo "hookbell: shell-init needs bash 4.4 or newer, and this is $BASH_VERSION: no command is reported" >&2
elif [[ $- == *i* && -z \${__hookbell_set-} && -x ${program} ]]; then
__hookbell_set=1 __hookbell_at='' __hookbell_no=0 __hookbell_last=0
__hookbell_json() {
  local b='\\' q='"'
  REPLY=\${1:0:500} REPLY=\${REPLY//"$b"/"$b$b"} REPLY=\${REPLY//"$q"/"$b$q"}
  REPLY=\${REPLY//$'\\n'/ } REPLY=\${REPLY//$'\\t'/ }
  REPLY=\${REPLY//[[:cntrl:]]/}
}
__hookbell_done() {
  local __hookbell_status=$? __hookbell_took __hookbell_cmd='' __hookbell_word __hookbell_dir REPLY
  [[ -n $__hookbell_at ]] || return $__hookbell_status
  __hookbell_took=$((SECONDS - __hookbell_at)) __hookbell_at=''
  local number=$__hookbell_no before=$__hookbell_last
  __hookbell_last=$number
  ((__hookbell_took < ${seconds} || __hookbell_status == 130)) && return $__hookbell_status
  # What is not in the history, as a line that begins with a blank, is not told.
  if ((number != before)) || [[ ! :\${HISTCONTROL-}: =~ :ignore(space|both): ]]; then
    __hookbell_cmd=$(HISTTIMEFORMAT='' builtin history 1)
    [[ $__hookbell_cmd =~ ^\\ *[0-9]+[*\\ ]\\ *(.*)$ ]] && __hookbell_cmd=\${BASH_REMATCH[1]}
  fi
${posixDone(parts)}
}
# PS0 is expanded when a command is about to run: the arithmetic in it notes the time, without a process.
PS0='\${__hookbell_set:((__hookbell_at=SECONDS,__hookbell_no=HISTCMD,1)):0}'\${PS0-}
if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
  PROMPT_COMMAND=(__hookbell_done "\${PROMPT_COMMAND[@]}")
else
  PROMPT_COMMAND=__hookbell_done\${PROMPT_COMMAND:+$'\\n'$PROMPT_COMMAND}
fi
fi`;
}

function zsh(parts: ShellParts): string {
  const { program, seconds } = parts;
  return `# Notifies of long commands. In ~/.zshrc: eval "$(hookbell shell-init zsh)"
if [[ -o interactive && -x ${program} ]] && (( ! \${+functions[__hookbell_done]} )); then
typeset -g __hookbell_at='' __hookbell_cmd=''
__hookbell_json() {
  emulate -L zsh
  REPLY=\${1[1,500]}
  REPLY=\${REPLY//\\\\/\\\\\\\\} REPLY=\${REPLY//\\"/\\\\\\"} REPLY=\${REPLY//$'\\n'/ } REPLY=\${REPLY//$'\\t'/ }
  REPLY=\${REPLY//[[:cntrl:]]/}
}
__hookbell_start() { __hookbell_at=$SECONDS __hookbell_cmd=$1 }
__hookbell_done() {
  local __hookbell_status=$? __hookbell_took __hookbell_word __hookbell_dir REPLY
  emulate -L zsh
  setopt no_monitor
  [[ -n $__hookbell_at ]] || return $__hookbell_status
  __hookbell_took=$(( SECONDS - __hookbell_at )) __hookbell_took=\${__hookbell_took%.*} __hookbell_at=''
  (( __hookbell_took < ${seconds} || __hookbell_status == 130 )) && return $__hookbell_status
  [[ -o hist_ignore_space && $__hookbell_cmd == ' '* ]] && __hookbell_cmd=''
${posixDone(parts)}
}
autoload -Uz add-zsh-hook
add-zsh-hook preexec __hookbell_start
add-zsh-hook precmd __hookbell_done
fi`;
}

function fish({ hook, program, seconds, ignore }: ShellParts): string {
  return `# Notifies of long commands. In ~/.config/fish/config.fish: hookbell shell-init fish | source
if status is-interactive; and test -x ${program}
    function __hookbell_json
        string sub -l 500 -- "$argv" | string join ' ' | string replace -a '\\\\' '\\\\\\\\' | string replace -a '"' '\\\\"' | string replace -ra '[[:cntrl:]]' ' '
    end
    function __hookbell_done --on-event fish_postexec
        set -l code $status
        set -l took (math --scale=0 "$CMD_DURATION / 1000")
        if test $took -lt ${seconds}; or test $code -eq 130
            return $code
        end
        set -l word (string replace -r '^((sudo|env|command|nice|time|[A-Za-z_]\\w*=\\S*) +)*' '' -- (string trim -- "$argv" | string join ' '))
        set word (string replace -r '^.*/' '' -- (string split -m 1 -- ' ' $word)[1])
        if contains -- "$word" ${ignore}
            return $code
        end
        set -l text "$argv"
        # fish keeps such a line out of its history.
        string match -qr '^ ' -- "$argv"; and set text ''
        printf '${FORMAT}' $fish_pid (__hookbell_json $PWD) (__hookbell_json $word) (__hookbell_json $text) $code $took | ${hook} >/dev/null 2>&1 &
        disown 2>/dev/null
        return $code
    end
end`;
}

/** The code of each shell. It survives prompts of other programs, which have their own hooks, and never changes the status. */
export const shellTexts = { bash, zsh, fish };
