# shellcheck shell=bash
# hookbell: completion for bash, also for the 3.2 of macOS. Where nothing is proposed, bash looks for files.
_hookbell() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) ;;
      *) COMPREPLY+=("$(printf '%q' "${line%%$'\t'*}")") ;;
    esac
  done < <(hookbell complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _hookbell hookbell
