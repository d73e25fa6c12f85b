import Testing

@testable import Base

@Suite struct PlatformTests {
  // Where the system cannot bind, there are no processors.
  @Test func aThreadRunsOnTheProcessorToWhichItIsBoundUntilItIsReleased() {
    let all = Platform.processors
    defer { if !all.isEmpty { Platform.bind(0, to: all) } }
    for processor in all {
      Platform.bind(0, to: [processor])
      #expect(Platform.processors == [processor])
    }
    if !all.isEmpty { Platform.bind(0, to: all) }
    #expect(Platform.processors.sorted() == all.sorted())
  }
}
