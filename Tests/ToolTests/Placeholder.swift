import Testing
@Suite struct PlaceholderTool { @Test func nothing() {} }
