// Small systems of linear equations.

package enum LinearSystem {
  /// The share of the largest diagonal element that is added to each, so that the matrix is not singular.
  private static let ridge = 1e-9

  /// Solves rows of coefficients with any number of right sides after them, by Gauss–Jordan elimination.
  package static func solved(_ rows: [[Double]]) -> [[Double]] {
    var rows = rows
    let scale = rows.indices.reduce(0) { max($0, rows[$1][$1]) }
    for index in rows.indices { rows[index][index] += max(scale * ridge, 1e-12) }
    for pivot in rows.indices {
      let divisor = rows[pivot][pivot]
      rows[pivot] = rows[pivot].map { $0 / divisor }
      for row in rows.indices where row != pivot {
        let factor = rows[row][pivot]
        rows[row] = zip(rows[row], rows[pivot]).map { $0 - factor * $1 }
      }
    }
    return rows.map { Array($0[rows.count...]) }
  }
}
