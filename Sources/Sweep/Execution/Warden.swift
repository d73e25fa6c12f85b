// Ends what a killed tool leaves running: after SIGKILL nobody else would, and the device would be busy with a run that nobody wants.

import Import

/// A process beside ours that reads which groups run and, when we are gone without a word, ends them.
///
/// It is a few lines of shell, which reads nothing but process ids; the end of our life is the end of its input. While it works it holds
/// a lock, so that the next start does not give a device a run before the last one is off it.
package final class Warden: Sendable {
  /// How long a start waits for the warden of an earlier one, beyond the time that this gives its groups.
  private static let patience = Duration.seconds(30)

  /// $1 is how often it looks, every tenth of a second, whether the groups have ended themselves.
  private static let script = """
    trap '' INT TERM HUP QUIT
    groups=
    while read -r what group; do
      case $what in
        begun) groups="$groups $group" ;;
        ended) rest=; for one in $groups; do [ "$one" = "$group" ] || rest="$rest $one"; done; groups=$rest ;;
      esac
    done
    [ -z "$groups" ] && exit 0
    for one in $groups; do kill -s TERM -- "-$one"; done
    left=$1
    while [ "$left" -gt 0 ]; do
      alive=
      for one in $groups; do kill -s 0 -- "-$one" && alive=1; done
      [ -z "$alive" ] && exit 0
      sleep 0.1
      left=$((left - 1))
    done
    for one in $groups; do kill -s KILL -- "-$one"; done
    """

  private let input: SystemFile
  private let group: ProcessGroup

  /// How long a start waits for the warden of an earlier one, which gave its groups so many nanoseconds to end themselves.
  package static func patience(grace: Int64) -> Duration { patience + .nanoseconds(grace) }

  /// Starts it; `lock` is handed to it, and is free again when it has ended. Groups have so many nanoseconds to end themselves.
  package init(lock: SystemFile?, grace: Int64) throws(SpawnProblem) {
    guard let pipe = OutputPipe.ends() else { throw SpawnProblem(reason: SystemFile.message) }
    defer { pipe.reading.close() }
    guard let silence = SystemFile(path: "/dev/null", flags: O_WRONLY) else { throw SpawnProblem(reason: SystemFile.message) }
    defer { silence.close() }
    var descriptors = [(own: pipe.reading.descriptor, theirs: Int32(0)), (silence.descriptor, 1), (silence.descriptor, 2)]
    if let lock { descriptors.append((lock.descriptor, 3)) }
    do throws(SpawnProblem) {
      let looks = (grace + 99_999_999) / 100_000_000
      group = try ProcessGroup(
        ProcessStart(
          path: "/bin/sh", arguments: ["sh", "-c", Self.script, "sh", "\(looks)"], environment: ["PATH=/usr/bin:/bin"],
          descriptors: descriptors))
    } catch {
      pipe.writing.close()
      throw error
    }
    input = pipe.writing
  }

  /// Says that a group runs.
  package func begin(_ group: pid_t) { say("begun \(group)\n") }

  /// Says that a group is gone.
  package func end(_ group: pid_t) { say("ended \(group)\n") }

  /// A line shorter than a pipe's piece goes through whole, whoever else writes.
  private func say(_ line: String) { _ = Array(line.utf8).withUnsafeBytes { input.write($0) } }

  deinit {
    input.close()
    _ = group.reap()
  }
}
