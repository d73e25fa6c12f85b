# Completion of prefetch-sweep for fish; it belongs into ~/.config/fish/completions.
function __prefetch_sweep
  set -l words (commandline -opc) (commandline -ct | string unescape)
  test (count $words) -gt 1; or set -a words ''
  for line in ($words[1] completion words -- $words[2..-1])
    switch $line
      case -f
        __fish_complete_path $words[-1]
      case -d
        __fish_complete_directories $words[-1]
      case '*'
        echo $line
    end
  end
end
complete -c prefetch-sweep -f -a '(__prefetch_sweep)'
complete -c prefetch-sweep-live -w prefetch-sweep
