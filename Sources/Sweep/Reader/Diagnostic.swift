// One problem of an input file, with its place and what to do about it.

/// A problem in the user's input: `file:line:column: key: problem; remedy`.
public struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where it is.
  public var location: SourceLocation
  /// The dotted path of the value that it concerns; empty for the file as a whole.
  public var key: String
  /// What is wrong, as a phrase after the key: "is a string, not a whole number".
  public var problem: String
  /// What to do, as an imperative: "write 6 without quotes".
  public var remedy: String

  /// A problem at a place.
  public init(location: SourceLocation, key: String, problem: String, remedy: String) {
    self.location = location
    self.key = key
    self.problem = problem
    self.remedy = remedy
  }

  /// The line that is printed.
  public var description: String {
    let subject = key.isEmpty ? "" : "\(key): "
    return "\(location): \(subject)\(problem); \(remedy)"
  }
}

/// What is wrong with one value and what to do, before it is known where the value stands.
struct ValueProblem: Error, Hashable, Sendable {
  /// What is wrong, as a phrase after the key.
  var problem: String
  /// What to do.
  var remedy: String

  init(_ problem: String, remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }
}
