import Foundation
import TestSupport
import Testing

/// The doors of the libraries that apps, SDKs and plug-ins import.
@Suite("Public names")
struct PublicNamesTests {
    private static let modules = ["IdentityCore", "IdentityKit", "IdentityOAuth"]

    /// To accept a change: `SWIFT_IDENTITY_RECORD=1 swift test --filter PublicNames`.
    @Test("What a library makes public is on a list, so that no name becomes public unseen")
    func listed() throws {
        let file = Documents.root.appendingPathComponent("Documentation/PublicNames.txt")
        let files = try SourceFiles.all()
        let names = Self.modules.flatMap { module in
            files.filter { $0.path.hasPrefix("Sources/\(module)/") }.flatMap { PublicNames(in: $0.text).names }.sorted()
                .map { "\(module) \($0)\n" }
        }
        if ProcessInfo.processInfo.environment["SWIFT_IDENTITY_RECORD"] == "1" {
            try names.joined().write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == names.joined())
    }

    @Test("A name stands with the types around it, and what is not public is not on the list")
    func found() {
        let text = """
            extension Store {
                /// public let comment = 1
                public struct Page: Sendable {
                    public internal(set) var next: String?
                    let size: Int
                    @discardableResult public func read() -> Int { 0 }
                    public init(
                        next: String?
                    ) {}
                }
                public static subscript(name: String) -> Int { 0 }
            }
            package struct Hidden {}
            nonisolated(nonsending) public func open() {}
            """
        #expect(
            PublicNames(in: text).names == [
                "Store.Page", "Store.Page.next", "Store.Page.read", "Store.Page.init", "Store.subscript", "open",
            ])
    }
}
