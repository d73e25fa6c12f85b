# Ends process groups: its input names them ("begun 12", "ended 12"); at its end those that are left get SIGTERM, then SIGKILL.
# usage: reaper.sh CHECKS     the number of checks, one every 0.1 s, before SIGKILL; killed groups have 10 s
trap '' INT TERM HUP QUIT
groups=
while read -r what group; do
  case $what in
    begun) groups="$groups $group" ;;
    ended) rest=; for one in $groups; do [ "$one" = "$group" ] || rest="$rest $one"; done; groups=$rest ;;
  esac
done
# A zombie counts as gone although it can be signalled: state Z, with no thread but the one that ended.
lives() {
  kill -s 0 -- "-$1" || return 1
  unreaped=
  for file in /proc/[0-9]*/stat; do
    read -r line < "$file" || continue
    set -- "$1" ${line##*) }
    [ "$4" = "$1" ] || continue
    case "$2 ${19}" in "Z 0" | "Z 1") unreaped=1 ;; *) return 0 ;; esac
  done
  [ -z "$unreaped" ]
}
end() {
  for one in $groups; do kill -s "$1" -- "-$one"; done
  left=$2
  while :; do
    alive=
    for one in $groups; do lives "$one" && alive=1; done
    [ -z "$alive" ] && exit 0
    [ "$left" -gt 0 ] || return
    sleep 0.1
    left=$((left - 1))
  done
}
end TERM "$1"
end KILL 100
