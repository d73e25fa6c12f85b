import Analysis
import Base
import Sweep
import Testing

/// Guards as written on the command line.
@Suite struct GateGuardTests {
  @Test(arguments: [
    ("loadersPer1000 +2%", "loadersPer1000 +2%"), ("loadersPer1000 2%", "loadersPer1000 +2%"), ("bytesUseful -5 %", "bytesUseful -5%"),
    ("waitMsMean +0", "waitMsMean +0"), ("loadersPer1000 +0.5 per 1000", "loadersPer1000 +0.5 per 1000"),
    ("stalls +0.5 stalls", "stalls +0.5 stalls"),
    ("  bytesReceived   + 5% ", "bytesReceived +5%"), ("requests +0.5%", "requests +0.5%"),
    ("waitMsMean +50ms", "waitMsMean +50ms"), ("waitMsMean +1.5s", "waitMsMean +1.5s"), ("stallMs +250us", "stallMs +250us"),
    ("bytesReceived +1MB", "bytesReceived +1MB"), ("bytesReceived 2 KiB", "bytesReceived +2KiB"),
    ("bytesUseful −1KB", "bytesUseful -1KB"),
    ("bytesReceived +7B", "bytesReceived +7B"), ("loadersPer1000 +2", "loadersPer1000 +2"), ("requests +1e3", "requests +1000"),
    ("bytesReceived <= 700MB", "bytesReceived <= 700MB"), ("stallRatio <= 0.01", "stallRatio <= 0.01"), ("stallMs <= 0", "stallMs <= 0"),
  ])
  func guardsAreReadAsWritten(text: String, canonical: String) throws { #expect(try GateGuard(reading: text).text == canonical) }

  @Test(arguments: [
    "", "loadersPer1000", "loader +2%", "requests 5%", "loaders +five", "loaders ++2%", "loaders +-2%", "loaders +2% more",
    "waitMsMean +5MB", "bytesReceived +5ms", "loaders +5ms", "waitMsMean +5parsecs", "bytesReceived +0.5B", "waitMsMean +1e400",
    "bytesReceived +1e30", "loaders +NaN", "loaders +Infinity", "loaders +%", "waitMsMean +ms", "loaders + ", "loaders +٣",
  ])
  func invalidGuardsAreRefusedWithARemedy(text: String) {
    do {
      let guarded = try GateGuard(reading: text)
      Issue.record("\(text) was read as \(guarded.text)")
    } catch {
      #expect(!error.problem.isEmpty && !error.remedy.isEmpty)
    }
  }

  /// A number alone may be of any unit: bytes or megabytes, a share or an amount.
  @Test(arguments: [
    ("bytesReceived +700", "write one of the units B, KB, KiB, MB, MiB, GB, GiB after it, such as 1MB, or \"700%\" for per cent"),
    ("waitMsMean +3", "write one of the units ns, us, ms, s, min, h after it, such as 50ms, or \"3%\" for per cent"),
    ("bytesPerHour 1e6", "write one of the units B, KB, KiB, MB, MiB, GB, GiB after it, such as 20MB, or \"1000000%\" for per cent"),
    ("playedKbps 300", "write one of the units bps, kbps, Mbps, Gbps after it, such as 100kbps, or \"300%\" for per cent"),
    ("loadersPer1000 +0.02", "write \"0.02 per 1000\", or \"2%\" for per cent"),
    ("stalls .5", "write \".5 stalls\", or \"50%\" for per cent"),
    ("bytesReceived <= 700", "write one of the units B, KB, KiB, MB, MiB, GB, GiB after it, such as 1MB"),
    ("stallMs <= 1e4", "write one of the units ns, us, ms, s, min, h after it, such as 50ms"),
  ])
  func aNumberWithoutAUnitIsRefused(text: String, remedy: String) throws {
    let error = try #require(throws: ValueProblem.self) { try GateGuard(reading: text) }
    #expect(error.problem.hasPrefix("has the number ") && error.problem.hasSuffix(" without a unit"), "\(error)")
    #expect(error.remedy == remedy)
  }

  @Test func anUnknownMetricGetsTheNearestName() {
    for (text, name) in [("loadersPer100 +2%", "loadersPer1000"), ("byteReceived +5%", "bytesReceived"), ("waitmsmean 5", "waitMsMean")] {
      do {
        _ = try GateGuard(reading: text)
        Issue.record("\(text) is no metric")
      } catch { #expect(error.remedy.hasPrefix("did you mean \"\(name)\"?"), "\(error)") }
    }
  }

  @Test func onlyLoadersPer1000InPerCentAboveZeroHaveAFloor() throws {
    #expect(try GateGuard(reading: "loadersPer1000 +2%").floor == nil)
    #expect(try GateGuard(reading: "loadersPer1000 +2%", floor: 0.5).floor == 0.5)
    for text in ["loadersPer1000 +0%", "loadersPer1000 +3", "bytesReceived +5%", "loaders +5%"] {
      #expect(try GateGuard(reading: text).floor == 0)
    }
  }

  @Test func messagesQuoteLittleOfTheGuard() {
    let long = String(repeating: "9", count: 5000)
    for text in ["loaders +\(long)x", "\(long) +2%", long, "bytesReceived +\(long)MB"] {
      do {
        _ = try GateGuard(reading: text)
        Issue.record("was read")
      } catch { #expect(error.problem.count + error.remedy.count < 900) }
    }
  }
}
