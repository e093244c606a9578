import Foundation
import IdentityCore
import TestSupport
import Testing

/// Every message of the package's errors, in `Tests/Snapshots/messages.txt`, so that a change of one is read.
///
/// To record them anew: `SWIFT_IDENTITY_RECORD=1 swift test --filter ErrorMessage`.
@Suite("Messages of errors")
struct ErrorMessageTests {
    private let file = PackageFolder.url.appendingPathComponent("Tests/Snapshots/messages.txt")

    @Test("Every error type of the package, and every case of each, has a message here")
    func completeness() throws {
        let declared = try ErrorTypes.all()
        let provoked = Set(try ProvokedMessage.all().map(\.name))
        #expect(declared.count > 200)
        #expect(declared.subtracting(provoked).sorted() == [])
        #expect(provoked.subtracting(declared).sorted() == [])
    }

    @Test("The messages are those that were read")
    func messages() throws {
        let lines = try ProvokedMessage.all().map(\.line).sorted()
        if ProcessInfo.processInfo.environment["SWIFT_IDENTITY_RECORD"] == "1" {
            try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        let recorded = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(Set(lines).subtracting(recorded).sorted() == [])
        #expect(Set(recorded).subtracting(lines).sorted() == [])
    }

    @Test("The page about operations names the code of every error without a public type")
    func codes() throws {
        let page = try Documents.text(of: "Sources/IdentityKit/IdentityKit.docc/Operations.md")
        let names = try Documents.text(of: "Documentation/PublicNames.txt").split(separator: "\n")
        let types = Set(names.compactMap { $0.split(separator: " ").last.map(String.init) })
        let hidden = (ProvokedMessage.core() + ProvokedMessage.kit()).filter { !types.contains("\(type(of: $0))") }
        #expect(hidden.count > 30)
        // Errors that reach a caller only inside another one.
        let inner: Set = ["asked_to_wait", "session_changed"]
        for error in hidden where !inner.contains(error.failureCode) {
            #expect(page.contains("`\(error.failureCode)`"), "\(error.failureCode)")
        }
    }

    @Test("A message is plain text: no value as Swift prints it, no sentence that ends twice, no words of a system")
    func plainness() throws {
        let foreign = /Optional\(|NS\w+ErrorDomain|could not be completed/
        let repeatedEnd = /\.\. |[^.]\.\.$|\w\."\.|[?:]\.(?:\s|$)/
        for message in try ProvokedMessage.all() {
            let text = message.text
            #expect(!text.isEmpty && text == text.trimmingCharacters(in: .whitespacesAndNewlines), "\(message.line)")
            #expect(!text.contains(foreign) && !text.contains(repeatedEnd), "\(message.line)")
            #expect(!text.contains(/\d\.\d+ s\b/), "A fraction of a second: \(message.line)")
        }
    }
}
