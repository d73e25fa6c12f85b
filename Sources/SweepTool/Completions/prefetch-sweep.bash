# Completion of prefetch-sweep for bash: source <(prefetch-sweep completion bash)
_prefetch_sweep() {
  local IFS=$'\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} line
  COMPREPLY=()
  # Bash takes = for a word of its own. A value after PATH= may be a file.
  if [ "$current" = = ]; then
    current=
    set -- -f
  elif [ "$previous" = = ]; then
    set -- -f
  else
    set -- $("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  fi
  case ${1-} in
    -f | -d)
      COMPREPLY=($(compgen "$1" -- "$current"))
      compopt -o filenames 2>/dev/null
      return
      ;;
    *=) compopt -o nospace 2>/dev/null ;;
  esac
  for line in "$@"; do COMPREPLY+=("$(printf %q "${line%%$'\t'*}")"); done
}
complete -F _prefetch_sweep prefetch-sweep prefetch-sweep-live
