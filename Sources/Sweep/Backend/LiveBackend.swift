// `backend: "live"` or `backend: { live: { … } }`: what a sweep file says of a real client.

/// The settings of live runs.
public struct LiveBackend: Sendable {
  /// Where the sweep file asks for it.
  let location: SourceLocation

  /// All defaults.
  init(at location: SourceLocation) { self.location = location }

  /// Reads the object under `live`.
  init(from reader: ObjectReader) {
    location = reader.location
    reader.finish()
  }

  /// What the head of a report says.
  var summary: String { "a real client in real time" }

  /// Whatever of the settings decides a run, in one line: part of a point's id, and of what a folder's runs belong to.
  var identity: String { "backend=live" }
}
