// The reference's statistics vectors (scipy and statsmodels) as typed values.

import Foundation
import Testing

/// A value of the reference's JSON.
package struct Vector: @unchecked Sendable {
  package let value: Any

  package init(value: Any) { self.value = value }

  /// The whole of `statistics/vectors.json`.
  package static func all() throws -> Vector {
    Vector(value: try JSONSerialization.jsonObject(with: try Reference.data("statistics/vectors.json")))
  }

  /// The whole of `statistics/calibration.json`.
  package static func calibration() throws -> Vector {
    Vector(value: try JSONSerialization.jsonObject(with: try Reference.data("statistics/calibration.json")))
  }

  package subscript(key: String) -> Vector { Vector(value: (value as? [String: Any])?[key] ?? NSNull()) }
  package var exists: Bool { !(value is NSNull) }
  package var list: [Vector] { (value as? [Any] ?? []).map(Vector.init) }
  package var number: Double { (value as? NSNumber)?.doubleValue ?? .nan }
  package var count: Int { (value as? NSNumber)?.intValue ?? -1 }
  package var text: String { value as? String ?? "" }
  package var numbers: [Double] { list.map(\.number) }
  package var entries: [(key: String, value: Vector)] {
    (value as? [String: Any] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, Vector(value: $0.value)) }
  }
}

/// The tolerances of the reference's note.
package enum Tolerance {
  package static let iterative = 1e-9
  package static let closedForm = 1e-12
}

/// Expects two numbers to agree within a relative tolerance (absolute below 1e-300 only).
package func expectClose(
  _ actual: Double?, _ expected: Double, _ tolerance: Double, _ what: String = "", location: SourceLocation = #_sourceLocation
) {
  guard let actual else {
    Issue.record("\(what): nothing where \(expected) is expected", sourceLocation: location)
    return
  }
  let isClose = (actual - expected).magnitude <= tolerance * expected.magnitude + 1e-300
  #expect(isClose, "\(what): \(actual) where \(expected) is expected", sourceLocation: location)
}

/// Expects numbers of magnitude 1 that may be zero except for rounding.
package func expectNear(_ actual: Double?, _ expected: Double, _ what: String = "", location: SourceLocation = #_sourceLocation) {
  let isNear = actual.map { ($0 - expected).magnitude <= Tolerance.closedForm * max(1, expected.magnitude) } ?? false
  #expect(isNear, "\(what): \(String(describing: actual)) where \(expected) is expected", sourceLocation: location)
}
