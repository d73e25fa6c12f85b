// What a client asks for in an experiment on a network, as a person would with curl.

import Import
import Simulation
import Sweep

/// A pattern of requests: perhaps a warm-up, then requests at once or a prefix and its rest, then perhaps one after a cut.
struct RequestPattern {
  /// The payload of each measured response, in bytes.
  let get: Int64
  /// How many are asked for at once, and the connections there may be.
  let parallel: Int, over: Int
  /// The payload of a GET before, on the same connection; nil for a cold start.
  let warm: Int64?
  /// How long the client rests after that.
  let idle: Interval
  /// When all that is on the way is cut, after the measured requests' start; nil for never.
  let cancelAfter: Interval?
  /// The payload of the GET right after the cut.
  let then: Int64?
  /// The bytes asked for first, before the rest of `get`; nil for one request.
  let range: Int64?
  /// How often it is done on a network with chance in it, and what that chance comes from.
  let repeats: Int, seed: UInt64

  /// The most requests at once: a fluid has places for so many.
  private static let parallelLimit = 256
  private static let repeatsLimit = 100_000

  /// Reads a pattern from an object with a key for each part.
  init(_ reader: inout ObjectReader, isRandom: Bool) {
    get = reader.size("get", in: 1...Volume.limitBytes)
    parallel = reader.integer("parallel", default: 1, in: 1...Self.parallelLimit)
    over = reader.integer("over", default: 6, in: 1...Self.parallelLimit)
    warm = reader.optionalSize("warm", in: 1...Volume.limitBytes)
    idle = Interval(nanoseconds: reader.duration("idle", default: 0, in: 0...Parameter.day))
    cancelAfter = reader.optionalDuration("cancel-after", in: 0...Parameter.day).map(Interval.init(nanoseconds:))
    then = reader.optionalSize("then", in: 1...Volume.limitBytes)
    range = reader.optionalSize("range", in: 1...Volume.limitBytes)
    repeats = reader.integer("repeats", default: isRandom ? 15 : 1, in: 1...Self.repeatsLimit)
    seed = UInt64(reader.integer("seed", default: 1, in: 0...Int.max))
    if idle > .zero, warm == nil { reader.report("idle", problem: "has nothing before it", remedy: "add --warm SIZE") }
    if then != nil, cancelAfter == nil { reader.report("then", problem: "has no cut before it", remedy: "add --cancel-after TIME") }
    if let range {
      if range >= get, get > 0 { reader.report("range", problem: "is not less than --get", remedy: "name a prefix of the response") }
      if parallel > 1 { reader.report("range", problem: "does not go with --parallel", remedy: "take out one of the two") }
      if cancelAfter != nil { reader.report("range", problem: "does not go with --cancel-after", remedy: "take out one of the two") }
    }
  }
}
