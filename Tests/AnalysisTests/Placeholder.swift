import Testing
@Suite struct PlaceholderAnalysis { @Test func nothing() {} }
