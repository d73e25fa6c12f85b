// The reference's statistics vectors (scipy and statsmodels) as typed values.

import Foundation
import TestSupport
import Testing

/// A value of the reference's JSON.
struct Vector: @unchecked Sendable {
  let value: Any

  /// The whole of `statistics/vectors.json`.
  static func all() throws -> Vector {
    Vector(value: try JSONSerialization.jsonObject(with: try Reference.data("statistics/vectors.json")))
  }

  /// The whole of `statistics/calibration.json`.
  static func calibration() throws -> Vector {
    Vector(value: try JSONSerialization.jsonObject(with: try Reference.data("statistics/calibration.json")))
  }

  subscript(key: String) -> Vector { Vector(value: (value as? [String: Any])?[key] ?? NSNull()) }
  var exists: Bool { !(value is NSNull) }
  var list: [Vector] { (value as? [Any] ?? []).map(Vector.init) }
  var number: Double { (value as? NSNumber)?.doubleValue ?? .nan }
  var count: Int { (value as? NSNumber)?.intValue ?? -1 }
  var text: String { value as? String ?? "" }
  var numbers: [Double] { list.map(\.number) }
  var entries: [(key: String, value: Vector)] {
    (value as? [String: Any] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, Vector(value: $0.value)) }
  }
}

/// The tolerances of the reference's note.
enum Tolerance {
  static let iterative = 1e-9
  static let closedForm = 1e-12
}

/// Expects two numbers to agree within a relative tolerance (absolute below 1e-300 only).
func expectClose(
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
func expectNear(_ actual: Double?, _ expected: Double, _ what: String = "", location: SourceLocation = #_sourceLocation) {
  let isNear = actual.map { ($0 - expected).magnitude <= Tolerance.closedForm * max(1, expected.magnitude) } ?? false
  #expect(isNear, "\(what): \(String(describing: actual)) where \(expected) is expected", sourceLocation: location)
}
