import Foundation
import TestSupport
import Testing

@testable import Oracles

/// Folders of reference measurements that are not as they should be.
@Suite struct ReferenceTableTests {
  private static func withFolder(_ files: [String: String], _ body: (ReferenceTables) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("reference-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      let file = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    try body(ReferenceTables(folder: folder.path))
  }

  private static let range = """
    profile,queue_pkts,cc,full_size,prefix,prefix_total_med,rest_total_med,both_end_med
    nlc_3g,50,cubic,300000,204800,2651.7,1000,3651.7

    """

  @Test(arguments: [[:], ["README.md": "something else"], ["single.csv": range]])
  func aFolderWithoutAnyTableIsRefused(_ files: [String: String]) throws {
    try Self.withFolder(files) { reference in
      #expect { _ = try reference.missing() } throws: { "\($0)".contains("has none of the tables sessions/cells.csv") }
    }
  }

  @Test func tablesThatAreMissingAreNamedAndSkipped() throws {
    try Self.withFolder(["kernel/range.csv": Self.range]) { reference in
      #expect(try reference.missing().count == 11)
      let rows = try KernelCases(reference: reference).all()
      #expect(rows.map(\.table) == ["range", "range", "range"])
      #expect(try CellTable(reference: reference).cells.isEmpty)
      #expect(try StackCases(reference: reference).all().isEmpty)
    }
  }

  @Test(arguments: [
    ("a,b\n1,2\n", "range.csv:1: there is no column queue_pkts"), ("", "range.csv:1: there is no column"),
    (range.replacing("nlc_3g", with: "moon"), "range.csv:2: no link is named moon"),
    (range.replacing("300000", with: "many"), "range.csv:2: full_size is no number"),
    (range.replacing("300000", with: "1e300"), "range.csv:2: full_size is no number"),
  ])
  func aForeignTableIsRefusedWithItsLocation(_ text: String, _ problem: String) throws {
    try Self.withFolder(["kernel/range.csv": text]) { reference in
      #expect { _ = try KernelCases(reference: reference).all() } throws: { "\($0)".contains(problem) }
    }
  }

  @Test func aSessionWithItsFewestLoadersAboveItsMostIsRefused() throws {
    let cells = """
      link,dwellMs,queue,loss,variant,policy,maxCost,connections,cancel,items,loadersMedian,loadersMin,loadersMax
      nlc_3g,1000,50,0,base,costBudget,6,2,keep,100,12,13,11

      """
    try Self.withFolder(["sessions/cells.csv": cells]) { reference in
      #expect {
        _ = try CellTable(reference: reference)
      } throws: {
        "\($0)".hasSuffix("cells.csv:2: loadersMin is above loadersMax; restore the table")
      }
    }
  }

  @Test func aCancelledRequestIsFollowedByAGetAtItsTime() throws {
    let head = "link,queue_pkts,cc,scenario,request,size_bytes,start_ms,fate,n_timeout,ttfb_ms_med,end_ms_med\n"
    let cases = """
      nlc_lte,1000,cubic,cancel1of3_700ms_warm,0,204800,0,done,0,120,240
      nlc_lte,1000,cubic,cancel1of3_700ms_warm,1,20480000,0,cancelled,0,,700
      nlc_lte,1000,cubic,cancel1of3_700ms_warm,2,102400,700,done,0,118.6,132.9
      n5m,50,cubic,eq2_cold,0,204800,0,done,0,140,800
      n5m,50,cubic,eq2_cold,1,204800,0,done,1,140,
      n5m,50,cubic,eq1_cold,0,204800,0,done,0,140,500

      """
    try Self.withFolder(["stacks/h2.csv": head + cases]) { reference in
      let rows = try StackCases(reference: reference).h2()
      let cancels = rows.filter { $0.name == "nlc_lte 1000 cubic cancel1of3_700ms_warm" }
      #expect(cancels.map(\.category) == ["cancel_others", "cancel_after", "ttfb", "ttfb"])
      // A GET after the cancel has at least the round trip of the link before it.
      for row in cancels { #expect(row.oursMs > 115 && row.oursMs < 600_000, "\(row)") }
      #expect(Set(rows.map(\.name)).count == 2, "a case with a request that timed out is left out")
      #expect(rows.filter { $0.name.hasSuffix("eq1_cold") }.map(\.category) == ["first", "mean", "last", "each", "ttfb"])
    }
  }

  @Test func aSessionOfAnotherProtocolIsJudgedByTheRangeOfItsRepetitions() throws {
    let cells = """
      link,dwellMs,queuePackets,lossEachWay,protocol,serverCC,variant,policy,maxCost,\
      streamsOrConnections,cancel,items,loadersMin,loadersMax,loadersMedian
      n5m,100,50,0,h2,cubic,mixed,uniform,2,4,keep,10,0,10,3
      n5m,100,50,0,h2,bbr,mixed,uniform,2,4,keep,10,0,0,0
      n5m,100,50,0,h2 (libcurl client),cubic,mixed,uniform,2,4,keep,10,3,3,3

      """
    try Self.withFolder(["stacks/sessions.csv": cells]) { reference in
      let rows = try CellTable(reference: reference, table: .stackSessions).cells
      #expect(rows.count == 2, "libcurl's HTTP/2 is another client")
      #expect(rows[0].errorPercent == 0)
      #expect(rows[1].errorPercent == rows[1].ours * 10)
      #expect(rows[1].ours > 0)
    }
  }

  @Test func aFolderNamesLinksOfItsOwn() throws {
    let table = "link,queue_pkts,loss_each_way,cc,case,size_bytes,total_ms_med,ttfb_ms_med\nhome,50,0,cubic,cold,10240,200,100\n"
    let links = "name,down_kbps,up_kbps,delay_down_ms,delay_up_ms,loss_each_way\nhome,8000,1000,150,150,0\n"
    try Self.withFolder(["stacks/bbr.csv": table, "links.csv": links]) { reference in
      let rows = try StackCases(reference: reference).bbr()
      #expect(rows.map(\.category) == ["cold", "ttfb"])
      // Two round trips of 300 ms.
      for row in rows { #expect(row.oursMs > 600 && row.oursMs < 640, "\(row)") }
    }
    for wrong in ["home,8000,1000,150,150", "home,8000,0,150,150,0", "home,8000,1000,150,150,1", "home,fast,1000,150,150,0"] {
      try Self.withFolder(["stacks/bbr.csv": table, "links.csv": "head\n\(wrong)\n"]) { reference in
        #expect { _ = try StackCases(reference: reference).bbr() } throws: { "\($0)".contains("links.csv:2: is no link") }
      }
    }
    try Self.withFolder(["stacks/bbr.csv": table]) { reference in
      #expect { _ = try StackCases(reference: reference).bbr() } throws: { "\($0)".contains("no link is named home") }
    }
  }

  @Test func rowsOnATraceThatIsNotHereAreLeftOut() throws {
    let table = "trace,offset_ms,size,phase_med_ms,ttfb_med,total_med\nmoon,0,10240,0,1,2\nconst12M,0,1048576,3,88,872\n"
    try Self.withFolder(["kernel/mahimahi.csv": table]) { reference in
      let rows = try KernelCases(reference: reference).all()
      #expect(rows.map(\.name) == ["const12M 0 1048576", "const12M 0 1048576"], "even traces need no file")
    }
  }

  @Test func warmConnectionsAgreeWithTheKernel() throws {
    let rows = try KernelCases(reference: ReferenceTables(folder: Reference.measurements.path), seeds: 1).all()
    // Where nothing was dropped, a connection that was warmed as in the measurement is as fast as it.
    let warm = rows.filter { $0.table == "single" && $0.category == "single" && $0.group == "no drop" && $0.name.contains("warm") }
    #expect(warm.count > 20)
    for row in warm { #expect(row.errorPercent < 1.5, "\(row.name): \(row.errorPercent)") }
  }

  @Test func transfersByBBRAgreeWithTheKernel() throws {
    let rows = try StackCases(reference: ReferenceTables(folder: Reference.measurements.path), seeds: 3).bbr().filter {
      $0.category.hasPrefix("bbr_") && $0.category != "bbr_ttfb" && $0.group == "no drop"
    }
    let errors = rows.map(\.errorPercent).sorted()
    #expect(errors.count > 80)
    #expect(median(errors) < 0.5, "\(median(errors))")
    #expect(errors[errors.count * 9 / 10] < 2.5, "\(errors[errors.count * 9 / 10])")
  }

  @Test func cubicWithDropsAgreesWithRepeatedMeasurements() throws {
    let rows = try StackCases(reference: ReferenceTables(folder: Reference.measurements.path), seeds: 15).bbr(.cubic)
    for (group, tail) in [("queue overflow", 10.0), ("random loss", 15)] {
      let errors = rows.filter { $0.group == group }.map(\.errorPercent).sorted()
      #expect(errors.count > 60)
      #expect(median(errors) < 2, "\(group): \(median(errors))")
      #expect(errors[errors.count * 9 / 10] < tail, "\(group): \(errors[errors.count * 9 / 10])")
    }
  }

  @Test func twoMediansDifferAsMuchAsTheirRepetitionsSpread() {
    var row = Comparison(table: "bbr", name: "", category: "cold", group: "random loss", truthMs: 1000, oursMs: 1000)
    var repeats = RepeatErrors()
    #expect(repeats.errors(of: row).isEmpty, "a figure without repetitions")
    (row.repeats, row.repeatsMs) = (2, 900...1100)
    // σ = 200 / 1.128; the difference of two means of two has σ as well, and its median is 0.674 σ.
    #expect(abs(median(repeats.errors(of: row)) - 12) < 1)
    row.repeats = 20
    // The range is 3.73 σ; the medians of 20 have 0.27 σ each.
    #expect(abs(median(repeats.errors(of: row)) - 1.4) < 0.2)
  }
}
