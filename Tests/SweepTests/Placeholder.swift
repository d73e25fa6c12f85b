import Testing
@Suite struct PlaceholderSweep { @Test func nothing() {} }
