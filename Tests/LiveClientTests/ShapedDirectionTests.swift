// One direction of live-link, with results computed by hand: 1 Mbit/s carries a packet of 1250 bytes in 10 ms.

import Testing

@testable import live_link

@Suite struct ShapedDirectionTests {
  private static let packet = [UInt8](repeating: 0, count: 1250)
  private static let ms: UInt64 = 1_000_000

  private func direction(queue: Int = 50) -> ShapedDirection { ShapedDirection(rate: 1_000_000, delay: 30 * Self.ms, queueLimit: queue) }

  @Test func aPacketTakesItsTimeOnTheWireAndThenTheDelay() {
    var link = direction()
    link.accept(Self.packet, at: 100 * Self.ms)
    #expect(link.nextDue == 140 * Self.ms)
    #expect(link.popDue(at: 140 * Self.ms - 1) == nil)
    #expect(link.popDue(at: 140 * Self.ms) == Self.packet)
    #expect(link.nextDue == nil)
  }

  @Test func packetsFollowOneAnotherAtTheRateAndTheDelayHoldsNoneUp() {
    var link = direction()
    for _ in 0..<3 { link.accept(Self.packet, at: 0) }
    var arrivals: [UInt64] = []
    while let due = link.nextDue, link.popDue(at: due) != nil { arrivals.append(due / Self.ms) }
    #expect(arrivals == [40, 50, 60])
    // The link is free since 30 ms, although the last packet arrives at 60 ms.
    link.accept(Self.packet, at: 35 * Self.ms)
    #expect(link.nextDue == 75 * Self.ms)
  }

  @Test func aFullQueueDropsPacketsUntilItHasRoomAgain() {
    var link = direction(queue: 2)
    for _ in 0..<4 { link.accept(Self.packet, at: 0) }
    #expect(link.dropped == 2)
    // The first packet is sent at 10 ms, which frees one slot.
    link.accept(Self.packet, at: 10 * Self.ms)
    link.accept(Self.packet, at: 10 * Self.ms)
    #expect(link.dropped == 3)
  }

  @Test func aLongStreamKeepsTheRate() {
    var link = direction(queue: 5000)
    for number in 0..<4000 { link.accept(Self.packet, at: UInt64(number) * Self.ms) }
    var last: UInt64 = 0
    while let due = link.nextDue, link.popDue(at: due) != nil { last = due }
    #expect(link.delivered == 4000 && last == (40_000 + 30) * Self.ms)
  }

  @Test func packetsAreLostAtTheirRateAndAlikeForOneSeed() {
    let lost = [1, 1, 2].map { (seed: UInt64) in
      var link = ShapedDirection(rate: 1_000_000_000, delay: 0, queueLimit: 1000, lossPpm: 20_000, seed: seed)
      for number in 0..<50_000 {
        link.accept([0], at: UInt64(number) * Self.ms)
        while link.popDue(at: UInt64(number) * Self.ms + Self.ms) != nil {}
      }
      #expect(link.delivered + link.lost == 50_000 && link.dropped == 0)
      return link.lost
    }
    #expect(lost[0] == lost[1] && lost[0] != lost[2])
    // Four standard deviations around 1000.
    for count in lost { #expect(abs(count - 1000) < 125) }
  }

  @Test func theCommandLineIsReadWholeOrNotAtAll() {
    let good = Options.parse(["--down-kbps", "780", "--loss-ppm", "100", "--congestion", "cubic", "--", "sh", "-c", "true"]).options
    #expect(good?.downKbps == 780 && good?.lossPpm == 100 && good?.congestion == "cubic" && good?.command == ["sh", "-c", "true"])
    for words in [[], ["--"], ["--down-kbps", "0", "--", "x"], ["--speed", "1", "--", "x"], ["--queue-packets"], ["sh"]] {
      let (options, problem) = Options.parse(words)
      #expect(options == nil && !problem.isEmpty, "\(words)")
    }
  }
}
