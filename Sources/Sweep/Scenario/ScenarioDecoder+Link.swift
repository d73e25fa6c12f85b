// What a link does besides carrying: losses in bursts, times without service, a radio that sleeps.

import Import
import Simulation

extension ScenarioDecoder {
  /// The most outages of a network.
  static let outageLimit = 10_000

  /// `burstLoss: { enter: 0.01, leave: 0.3, loss: 0.5 }`, or "none".
  func decodeBurstLoss(_ part: inout ObjectReader) -> NetworkConfiguration.BurstLoss? {
    guard let value = part.value("burstLoss"), value.kind != .null, value.text != "none" else {
      part.record("burstLoss", "none")
      return nil
    }
    var burst = ObjectReader(value, path: part.path(of: "burstLoss"), context: part.context)
    let enter = burst.share("enter")
    let problems = part.context.sink.count
    let leave = burst.share("leave")
    if leave == 0, part.context.sink.count == problems {
      burst.report("leave", problem: "is 0, so a burst would never end", remedy: "write more than 0, such as 0.3")
    }
    let loss = burst.share("loss", default: 1)
    burst.finish()
    return NetworkConfiguration.BurstLoss(enter: enter, leave: leave, loss: loss)
  }

  /// `outages: [{ at: "10s", for: "2s" }]` or "none", in order and apart from each other.
  func decodeOutages(_ part: inout ObjectReader) -> [NetworkConfiguration.Outage] {
    let elements = part.value("outages")?.text == "none" ? [] : part.array("outages") ?? []
    if elements.isEmpty { part.record("outages", "none") }
    guard elements.count <= Self.outageLimit else {
      part.report("outages", problem: "has \(elements.count) outages, more than \(Self.outageLimit)", remedy: "write fewer, or use a trace")
      return []
    }
    var outages: [NetworkConfiguration.Outage] = []
    for (index, element) in elements.enumerated() {
      let problems = part.context.sink.count
      var reader = ObjectReader(element, path: "\(part.path(of: "outages")).\(index)", context: part.context)
      let start = reader.duration("at", in: 0...Self.dwellLimitNanoseconds)
      let length = reader.duration("for", in: 1...Self.dwellLimitNanoseconds)
      reader.finish()
      guard part.context.sink.count == problems else { continue }
      if let last = outages.last, start < (last.start + last.duration).nanoseconds {
        let end = Quantity.described((last.start + last.duration).nanoseconds, .duration)
        reader.report("at", problem: "is before the end of the outage before it, \(end)", remedy: "write them in order and apart")
      }
      outages.append(NetworkConfiguration.Outage(start: Interval(nanoseconds: start), duration: Interval(nanoseconds: length)))
    }
    return outages
  }

  /// `radio: "3G"` sets promotion and tail together; each can be given by itself.
  func decodeRadio(_ part: inout ObjectReader, profile: NetworkProfile?) -> (tail: Interval, promotion: Interval) {
    let name = part.choice("radio", of: ["preset"] + Radio.all.map(\.name), default: "preset")
    let radio = Radio.all.first { $0.name == name }
    let tail = part.duration("radioTail", default: radio?.tail ?? profile?.radioTail ?? 0, in: 0...Self.delayLimit)
    let promotion = part.duration("radioPromotion", default: radio?.promotion ?? 0, in: 0...Self.delayLimit)
    return (Interval(nanoseconds: tail), Interval(nanoseconds: promotion))
  }
}

/// How a kind of radio sleeps and wakes.
package struct Radio {
  package var name: String
  /// How long it stays in its active state after the last byte, in nanoseconds.
  package var tail: Int64
  /// How long an idle radio takes to come up, in nanoseconds.
  var promotion: Int64

  /// The radios that `network.radio` names. 3G: two seconds from idle to the high-power state, which lasts five (Qian et al.,
  /// IMC 2010 and MobiSys 2011). LTE: 260 ms and 11.576 s (Huang et al., MobiSys 2012). A preset of an emulator has a tail and no
  /// promotion, because the emulators have none.
  package static let all = [
    Radio(name: "none", tail: 0, promotion: 0),
    Radio(name: "3G", tail: 5_000_000_000, promotion: 2_000_000_000),
    Radio(name: "LTE", tail: 11_576_000_000, promotion: 260_000_000),
  ]

  /// The one with a name.
  package static func named(_ name: String) -> Radio? { all.first { $0.name == name } }
}
