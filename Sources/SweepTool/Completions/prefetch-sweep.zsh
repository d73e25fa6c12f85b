#compdef prefetch-sweep prefetch-sweep-live
# Completion of prefetch-sweep for zsh; it belongs into a folder of $fpath.
_prefetch_sweep() {
  local -a lines=("${(@f)$("$words[1]" completion words -- "${(@)words[2,CURRENT]}")}")
  case $lines[1] in
    -f) _files ;;
    -d) _files -/ ;;
    ?*)
      local -a names=("${(@)lines%%$'\t'*}") shown=("${(@)lines/$'\t'/  -- }")
      if [[ $names[1] == *= ]]; then compadd -S '' -- $names; else compadd -l -d shown -- $names; fi
      ;;
  esac
}
if [ "$funcstack[1]" = "_prefetch-sweep" ]; then
  _prefetch_sweep "$@"
else
  compdef _prefetch_sweep prefetch-sweep prefetch-sweep-live
fi
