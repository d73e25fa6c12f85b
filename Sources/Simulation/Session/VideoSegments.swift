// The segments of videos with renditions: what is chosen, stored and played.

/// The segments of a run's videos. Without renditions it is empty and costs nothing.
/// Progress, plans and playback count bytes of the lowest rendition, which stand for media time; requests and counts of bytes are real.
struct VideoSegments {
  let renditions: Renditions?
  private let choice: RenditionChoice
  let bufferLimit: Interval
  private(set) var estimate = ThroughputEstimate()
  /// The renditions of each video's segments, stored or in flight, from the first.
  private var chosen: ContiguousArray<ContiguousArray<UInt8>>
  /// The real bytes stored of each video.
  private(set) var stored: ContiguousArray<Int64>
  /// The media of the active video that is stored and not played, in nanobits of the lowest rendition.
  var buffered: Int64 = 0
  /// True if the player's buffer has had room again since the last search of the plan.
  var isRoomDue = false
  private(set) var played = PlayedRenditions()

  init(_ renditions: Renditions?, _ settings: DownloadSettings, items: Int) {
    (self.renditions, choice, bufferLimit) = (renditions, settings.rendition, settings.buffer)
    chosen = ContiguousArray(repeating: [], count: renditions == nil ? 0 : items)
    stored = ContiguousArray(repeating: 0, count: chosen.count)
  }

  var isOn: Bool { @inline(__always) get { renditions != nil } }

  @inline(__always) func apply(to item: Item) -> Bool { isOn && item.kind == .video }

  /// Returns the nanobits of the lowest rendition in the next segment of a video; its first segment is the head.
  func next(_ item: Item, _ progress: ItemProgress, isRest: Bool) -> Int64 {
    let ready = Volume.bytes(item.readyBytes).nanobits
    guard isRest, let renditions else { return ready - progress.head }
    return min(renditions.segmentNanobits, Volume.bytes(item.bytes).nanobits - ready - progress.rest)
  }

  /// Returns the nanobits of media that must be played before the next segment of a video fits the buffer; 0 or less if it fits.
  func excess(_ item: Int, _ size: Int64, _ progress: ItemProgress, isActive: Bool) -> Int64 {
    guard let renditions else { return 0 }
    let held = isActive ? buffered : progress.head + progress.rest
    // A day of 100 Mbps is more than 2⁶³ nanobits.
    let (limit, isOverflow) = bufferLimit.nanoseconds.multipliedReportingOverflow(by: renditions.lowest)
    return held + size - (isOverflow ? .max : limit)
  }

  /// Chooses the rendition of the next segment, unless one is `planned` (not −1), and returns it with the nanobits to request.
  @inline(never) mutating func choose(
    _ index: Int, _ item: Item, _ progress: ItemProgress, media: Int64, isActive: Bool, planned: Int
  ) -> (rendition: Int, volume: Int64) {
    guard let renditions else { return (0, media) }
    var rendition = max(0, min(planned, renditions.count - 1))
    if planned < 0, estimate.isKnown || choice == .highest {
      let rest = Volume.bytes(item.bytes - item.readyBytes).nanobits
      rendition = choice.rendition(
        in: RenditionState(
          renditions: renditions, segment: chosen[index].count,
          segments: 1 + Int((rest + renditions.segmentNanobits - 1) / renditions.segmentNanobits), previous: Int(chosen[index].last ?? 0),
          buffered: Double(isActive ? buffered : progress.head + progress.rest) / 1e9 / Double(renditions.lowest),
          bufferLimit: Double(bufferLimit.nanoseconds) / 1e9, isActive: isActive, estimate: estimate))
    }
    chosen[index].append(UInt8(rendition))
    return (rendition, renditions.scaled(media, to: rendition))
  }

  mutating func finish(_ transfer: InFlightTransfer, firstByte: Instant?, at now: Int64) {
    guard let renditions else { return }
    stored[transfer.item] += Volume(nanobits: transfer.volume).bytes
    estimate.add(
      nanobits: transfer.volume, requested: transfer.requestedAt, firstByte: firstByte?.nanoseconds ?? transfer.requestedAt, finished: now,
      segment: renditions.segmentSeconds)
  }

  /// Forgets the segment of a video that is cancelled; its bytes are lost.
  mutating func cancel(_ item: Int) { chosen[item].removeLast() }

  /// Forgets the segments of a video whose bytes were dropped.
  mutating func drop(_ item: Int) {
    chosen[item].removeAll()
    stored[item] = 0
  }

  /// Counts what was played of a video, up to a position in nanobits of the lowest rendition.
  mutating func notePlayed(_ index: Int, _ item: Item, until position: Int64) {
    guard let renditions else { return }
    var (begin, end) = (Int64(0), Volume.bytes(item.readyBytes).nanobits)
    var previous: UInt8?
    for rendition in chosen[index] where begin < position {
      played.add(Double(min(end, position) - begin) / 1e9 / Double(renditions.lowest), at: renditions.bitsPerSecond[Int(rendition)])
      if let previous, previous != rendition { played.switches += 1 }
      (begin, end, previous) = (end, end + renditions.segmentNanobits, rendition)
    }
  }
}

struct PlayedRenditions {
  /// The media time, in seconds.
  private var seconds = 0.0
  /// The rate that was played first, and the bits played above it: the mean of one rate is exactly that rate.
  private var firstRate: Int64?, bitsAbove = 0.0
  var switches = 0

  /// The mean bit rate, in kilobits a second; nil if nothing was played.
  var kbps: Double? { firstRate.flatMap { seconds > 0 ? (Double($0) + bitsAbove / seconds) / 1000 : nil } }

  mutating func add(_ media: Double, at rate: Int64) {
    let first = firstRate ?? rate
    firstRate = first
    seconds += media
    bitsAbove += media * Double(rate - first)
  }
}
