import Testing

/// No way to write code into a document gets past the check that it is compiled.
@Suite struct CodeBlockTests {
    @Test(
        "A block is found however it is marked",
        arguments: [
            ("```swift\nlet a = 1\n```", "swift"), ("Text\n``` swift\nlet a = 1\n```\nText", "swift"),
            ("~~~swift\nlet a = 1\n~~~", "swift"), ("````swift\nlet a = 1\n````", "swift"),
            ("```Swift\nlet a = 1\n```", "Swift"), ("- item\n  ```swift\nlet a = 1\n  ```", "swift"),
            ("```\nlet a = 1\n```", ""), ("Text\n\n    let a = 1\n\nText", ""), ("```swift\nlet a = 1", "swift"),
        ])
    func marks(document: String, language: String) {
        let blocks = CodeBlock.all(in: document)
        #expect(blocks.map { $0.code.drop { $0 == " " } } == ["let a = 1"])
        #expect(blocks.map(\.language) == [language])
    }

    @Test("A line that goes on is no block, and neither is code within a line")
    func noBlocks() {
        #expect(CodeBlock.all(in: "- Parameter a: text\n    that goes on\n\n`let a = 1` ```let b = 2``` text").isEmpty)
    }

    @Test("A comment is read without its slashes, whatever its indentation")
    func comments() throws {
        let path = "Sources/IdentityLocalServers/Servers/ThunderID/LocalThunderIDServer+Configuration.swift"
        let block = try #require(Documents.blocks(of: "swift", in: path).first)
        #expect(block.hasPrefix("let configuration = LocalThunderIDServer.Configuration {\n    $0.signIn"))
        #expect(Documents.commented.count >= 11)
    }
}
