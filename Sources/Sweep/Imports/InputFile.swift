// Reads whole files, within a stated size.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file's name as the user wrote it, and its bytes.
struct InputFile: Sendable {
  /// The most bytes of a file: a week of packet opportunities, or a feed of millions of items.
  static let sizeLimit = 256_000_000

  /// The name that stands in messages.
  let name: String
  /// The contents.
  let bytes: [UInt8]

  /// Contents from elsewhere.
  init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// Reads the file at `path`; `name` (by default the path) stands in messages. O(size).
  init(path: String, name: String? = nil) throws(ValueProblem) {
    let name = name ?? path
    self.name = name
    let attributes: [FileAttributeKey: Any]
    do { attributes = try FileManager.default.attributesOfItem(atPath: Self.withoutLinks(path)) } catch {
      throw ValueProblem("there is no readable file \(quoted(name))", remedy: "check the path; it is relative to the sweep file")
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw ValueProblem("\(quoted(name)) is not a file", remedy: "name a file, not a folder or a device")
    }
    let size = (attributes[.size] as? UInt64) ?? (attributes[.size] as? Int).map { UInt64($0) } ?? 0
    guard size <= UInt64(Self.sizeLimit) else {
      throw ValueProblem("\(quoted(name)) has \(size) bytes, more than \(Self.sizeLimit)", remedy: "split it or cut it")
    }
    do { bytes = [UInt8](try Data(contentsOf: URL(filePath: path))) } catch {
      throw ValueProblem("\(quoted(name)) cannot be read", remedy: "check its permissions")
    }
  }

  /// The hash of the contents. O(size).
  var hash: String { ContentHash.of(bytes) }

  private static func withoutLinks(_ path: String) -> String {
    URL(filePath: path).resolvingSymlinksInPath().path
  }
}
