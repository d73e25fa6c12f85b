// Inputs of the program that oracles and studies share: links from trace files, and built-in prefetchers.

import Base
import Inputs
import Simulation

/// Returns the rate of a link from a trace file.
/// - Throws: `InvalidInput` if the file is not a trace in that format.
package func trace(_ path: String, _ format: TraceOptions.Format) throws -> LinkRate {
  let sink = DiagnosticSink()
  let link = TraceReader.read(try InputFile(path: path), options: TraceOptions(format: format), into: sink)
  try sink.throwIfAny()
  guard let link else { preconditionFailure("a trace without problems has a rate") }
  return link
}

/// Returns a built-in prefetcher, with its usual settings unless `settings` have others by their keys.
package func standardPrefetcher(_ name: String, _ settings: [String: Parameter.Value] = [:]) -> any Prefetcher {
  guard let definition = PrefetcherDefinition.standard.first(where: { $0.name == name }) else {
    preconditionFailure("no built-in prefetcher is named \(name)")
  }
  return definition.make { settings[$0.key] }
}
