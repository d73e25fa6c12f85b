// Short names of axes, and of points by their values.

/// Names of axes and points in sentences and tables.
package enum AxisNames {
  /// The shortest names that tell paths apart: the last part where no other path ends so.
  package static func short(_ paths: [String]) -> [String] {
    let last = paths.map { path in path.split(separator: ".").last.map(String.init) ?? path }
    return paths.indices.map { index in last.count { $0 == last[index] } == 1 ? last[index] : paths[index] }
  }

  /// `maxCost 5, videoCost 2`.
  package static func point(_ axes: [String], _ values: [String]) -> String {
    zip(axes, values).map { "\($0) \($1)" }.joined(separator: ", ")
  }
}
