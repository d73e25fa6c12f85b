// The keys of `network` that describe the link beside its rates: the radio, bursts of losses, jitter, outages, and the class.

import Base
import Simulation

extension NetworkPart {
  static let link: [Field<NetworkPart>] = [
    Field(
      Parameter("radio", .choice(["preset"] + Radio.all.map(\.name)), "Sets the keys of the radio that follow together.").optional("preset")
        .naming()
    ) { reader, part, _ in
      let name = reader.choice("radio", of: ["preset"] + Radio.all.map(\.name), default: "preset")
      part.radio = Radio.all.first { $0.name == name }
    },
    Field(
      .duration("radioTail", in: delay, "The time that the radio stays active after the last byte.").optional(
        "the radio's, or the profile's"),
      \.network.radioTail, fallback: { $0.radio?.tail ?? $0.profile?.radioTail ?? .zero }),
    Field(
      .duration("radioPromotion", in: delay, "The time that an idle radio needs to become active.").optional("the radio's, or 0s").used(
        by: [.packet]),
      \.network.radioPromotion, saying: { "radio promotion \($0.described)" }, fallback: { $0.radio?.promotion ?? .zero }),
    cycle("radioSettling", "The time that signalling keeps a radio active after its promotion.", \.settling),
    cycle("drxInactivity", "The time after its last packet at which a connected radio falls asleep.", \.drxInactivity),
    cycle("drxCycle", "The cycle in which a sleeping radio listens for packets to it; 0s for always.", \.drxCycle) { "DRX cycle \($0)" },
    cycle("pagingCycle", "The cycle in which an idle radio listens for packets to it; 0s for always.", \.pagingCycle) {
      "paging cycle \($0)"
    },
    Field(
      Parameter("burstLoss", .other("{ enter: 0.01, leave: 0.3, loss: 0.5 } or \"none\""), "Losses in bursts, by a chain of two states.")
        .optional("none").used(by: [.packet])
    ) { reader, part, _ in part.network.burstLoss = burstLoss(&reader) }
    .set { part, _ in part.network.burstLoss != nil }.saying { part in
      part.network.burstLoss.map { "bursts (\(percent($0.enter)) begin, \(percent($0.leave)) end, \(percent($0.loss)) lost in them)" }
    },
    Field(
      .duration("jitter", in: delay, "The most that a packet's delay exceeds the constant one.").used(by: [.packet]), \.network.jitter,
      saying: { "up to \($0.described) of jitter" }),
    Field(
      Parameter("outages", .other("[{ at: \"10s\", for: \"2s\" }] or \"none\""), "Times without service.").optional("none").used(
        by: [.packet])
    ) { reader, part, _ in
      part.network.outages = reader.spans("outages", tooMany: "write fewer, or use a trace") { end in
        ("is before the end of the outage before it, \(end)", "write them in order and apart")
      }
    }
    .set { part, _ in !part.network.outages.isEmpty }.saying { part in
      let outages = part.network.outages
      if outages.count == 1 { return "without service for \(outages[0].duration.described) at \(outages[0].start.described)" }
      let total = outages.reduce(into: Interval.zero) { $0 += $1.duration }
      return outages.isEmpty ? nil : "\(outages.count) outages of \(total.described) in all"
    },
    Field(
      Parameter(
        "interruptions", .other("{ every: \"19s\", for: \"100ms\" }, \"Wi-Fi 2.4 GHz\" or \"none\""),
        "Times without service, drawn for each repetition: `every` from the end of one to the next, `for` its length, or those of a log."
      ).optional("none").used(by: [.packet])
    ) { reader, part, _ in part.readInterruptions(&reader) }
    .set { part, _ in part.network.interruptions != nil }.saying { part in
      part.network.interruptions.map { "interrupted every \($0.gap.described(.duration)) for \($0.length.described(.duration))" }
    },
    Field(
      Parameter("class", .choice(NetworkClass.allCases.map(\.rawValue)), "The class of the network in the operating system.")
        .optional("by the profile's name, or by round trip and rate")
    ) { reader, part, _ in part.readClass(&reader) },
  ]

  /// Creates a time of the radio's cycles, without a canonical line unless the file or the radio sets it.
  private static func cycle(
    _ key: String, _ words: String, _ target: any WritableKeyPath<RadioCycles, Interval> & Sendable,
    saying phrase: (@Sendable (String) -> String)? = nil
  ) -> Field<NetworkPart> {
    let parameter = Parameter.duration(key, in: delay, words).optional("the radio's, or 0s").used(by: [.packet])
    return Field(parameter) { reader, part, _ in
      let standard = part.radio?.cycles[keyPath: target] ?? .zero
      guard standard > .zero || reader.has(key) else { return }
      part.network.radioCycles[keyPath: target] = Interval(reader.read(parameter, default: standard.parameterValue))
    }
    .set { part, _ in part.network.radioCycles[keyPath: target] > .zero }
    .saying { part in
      let time = part.network.radioCycles[keyPath: target]
      return time > .zero ? phrase?(time.described) : nil
    }
  }

  private static func burstLoss(_ reader: inout ObjectReader) -> NetworkConfiguration.BurstLoss? {
    guard let value = reader.value("burstLoss"), value.kind != .null, value.text != "none" else {
      reader.record("burstLoss", "none")
      return nil
    }
    var burst = ObjectReader(value, path: reader.path(of: "burstLoss"), context: reader.context)
    defer { burst.finish() }
    let enter = burst.share("enter")
    let problems = reader.context.sink.count
    let leave = burst.share("leave")
    if leave == 0, reader.context.sink.count == problems {
      burst.report("leave", problem: "is 0, so a burst would never end", remedy: "write more than 0, such as 0.3")
    }
    return NetworkConfiguration.BurstLoss(enter: enter, leave: leave, loss: burst.share("loss", default: 1))
  }

  private mutating func readInterruptions(_ reader: inout ObjectReader) {
    guard let value = reader.value("interruptions"), value.kind != .null, value.text != "none" else { return }
    if case .string = value.kind {
      let kinds = NetworkConfiguration.Interruptions.Kind.allCases
      let name = reader.choice("interruptions", of: ["none"] + kinds.map(\.rawValue))
      network.interruptions = kinds.first { $0.rawValue == name }.map { NetworkConfiguration.Interruptions($0) }
    } else {
      var object = ObjectReader(value, path: reader.path(of: "interruptions"), context: reader.context)
      network.interruptions = NetworkConfiguration.Interruptions(
        gap: object.distribution("every", .duration, in: 1_000_000...Parameter.day),
        length: object.distribution("for", .duration, in: 1...Self.delay.upperBound))
      object.finish()
    }
    if !network.outages.isEmpty {
      reader.report(
        "interruptions", beside: ["outages"], problem: "conflicts with outages", remedy: "keep one of them",
        condition: "network.outages == 'none'")
    }
  }

  /// Reads the network class: the explicit one, the profile's by its name, or 4G for drawn rates.
  private mutating func readClass(_ reader: inout ObjectReader) {
    if reader.has("class") {
      network.networkClass = reader.choice("class") as NetworkClass
      return
    }
    var named = profile.flatMap { NetworkClass(profile: $0.name) }
    if let mobile = network.mobile { named = mobile.kind.isWiFi ? .wifi : mobile.kind == .threeG ? .cellular3G : .cellular4G }
    // The profile's name is no part of a point's id, so the class must be.
    if let named { reader.record("class", named.rawValue) }
    network.networkClass = named
  }
}
