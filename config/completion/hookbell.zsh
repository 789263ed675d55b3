#compdef hookbell
# hookbell: completion for zsh. Source it below compinit, or put it as _hookbell into a directory of fpath.
_hookbell() {
  local line value files=''
  local -a values
  while IFS= read -r line; do
    case $line in
      :files) files=files ;;
      :directories) files=directories ;;
      *$'\t'*)
        value=${line%%$'\t'*}
        values+=("${value//:/\\:}:${line#*$'\t'}")
        ;;
      *) values+=("${line//:/\\:}") ;;
    esac
  done < <(hookbell complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#values )) && _describe -V hookbell values
  [[ $files == files ]] && _files
  [[ $files == directories ]] && _files -/
  return 0
}
if [[ $funcstack[1] == _hookbell ]]; then _hookbell "$@"; else compdef _hookbell hookbell; fi
