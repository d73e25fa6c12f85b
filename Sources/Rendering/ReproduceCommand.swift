// From a report back to the run: the command that makes one row of runs.csv again.

/// The command that runs one row again.
package enum ReproduceCommand {
  /// The template with `{point}`, `{repetition}` and `{seed}` filled in.
  package static func text(_ template: String, point: String, repetition: Int, seed: UInt64) -> String {
    var rest = Substring(template)
    var result = ""
    let values = [("{point}", point), ("{repetition}", String(repetition)), ("{seed}", String(seed))]
    while let character = rest.first {
      if let (key, value) = values.first(where: { rest.hasPrefix($0.0) }) {
        result += value
        rest = rest.dropFirst(key.count)
      } else {
        result.append(character)
        rest.removeFirst()
      }
    }
    return result
  }
}
