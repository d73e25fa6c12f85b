// The keys of `downloads.store`: the size of the app's memory and disk, and what leaves them first.

import Base
import Simulation

extension DownloadSettings {
  /// The object `store`; its memory is required, because without a limit nothing is evicted.
  static let storeField = Field(object: "store", \DownloadSettings.store, StoreSettings.fields)
    .then { reader, _, _ in
      guard let members = reader.value("store")?.members, !members.isEmpty, !members.contains(where: { $0.key == "memory" }) else { return }
      reader.report("store", problem: "has no memory, and without its size nothing is evicted", remedy: "add memory: \"50MB\"")
    }
    .saying { part in
      guard let memory = part.store.memory else { return nil }
      let disk = part.store.disk.map { ", \(Quantity.described($0, .size)) of disk (\(part.store.diskRead.described) a read)" } ?? ""
      return "\(Quantity.described(memory, .size)) of memory\(disk), \(part.store.evict.rawValue) evicts"
    }
}

extension StoreSettings {
  private static let sizes: ClosedRange<Int64> = 0...1_000_000_000_000

  static let fields: [Field<StoreSettings>] = [
    size("memory", "no limit", "Bytes of items in memory at most. An item that is not there is not ready.", \.memory),
    size("disk", "none", "Bytes of items on the disk at most, which keeps what memory evicts.", \.disk),
    Field(
      ifGiven: .choice("evict", default: EvictionRule.lru, "The item that leaves first: least recently used, or farthest.").optional("lru"),
      \.evict),
    Field(
      ifGiven: .duration("diskRead", in: 1...10_000_000_000, "The time to read an item from the disk, one at a time.").optional("10ms"),
      \.diskRead),
  ]

  private static func size(
    _ key: String, _ words: String, _ documentation: String, _ target: Field<StoreSettings>.Target<Int64?>
  ) -> Field<StoreSettings> {
    Field(.size(key, in: sizes, documentation).optional(words)) { reader, part, _ in
      if reader.value(key)?.text == "none" {
        reader.record(key, "none")
      } else if reader.has(key) {
        part[keyPath: target] = reader.size(key, in: sizes)
      }
    }
  }
}

extension StoreSettings.EvictionRule: ParameterValue {}
