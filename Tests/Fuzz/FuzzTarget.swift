import Foundation
import IdentityKit

/// One reader of input that others choose, with the rules that must hold whatever they choose.
struct FuzzTarget: Sendable {
    /// The name of the target and of its folder in the corpus.
    let name: String
    /// Reads one input. Nothing it does may end the process, and nothing of one input may change how the next is read.
    let read: @Sendable (FuzzInput) -> Void

    /// Every target.
    static let all: [FuzzTarget] = [
        FuzzTarget(name: "archives", read: Archives.read),
        FuzzTarget(name: "callbacks", read: Callbacks().read),
        FuzzTarget(name: "challenges", read: Challenges.read),
        FuzzTarget(name: "configurations", read: Configurations.read),
        FuzzTarget(name: "insforge-answers", read: InsForgeAnswers().read),
        FuzzTarget(name: "keys", read: Keys.read),
        FuzzTarget(name: "launcher", read: LauncherReaders().read),
        FuzzTarget(name: "metadata", read: Metadata.read),
        FuzzTarget(name: "records", read: Records.read),
        FuzzTarget(name: "responses", read: Responses.read),
        FuzzTarget(name: "shortcuts", read: Shortcuts.read),
        FuzzTarget(name: "store-folders", read: StoreFolders().read),
        FuzzTarget(name: "thunderid-answers", read: ThunderIDAnswers().read),
        FuzzTarget(name: "token-answers", read: TokenAnswers().read),
        FuzzTarget(name: "tokens", read: Tokens().read),
    ]

    /// The target that this process runs.
    static let chosen: FuzzTarget? = {
        let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"]
        return all.first { $0.name == name }
    }()
}

/// Ends the process, which the fuzzer reports with the input, unless `isTrue`.
func rule(_ isTrue: Bool, _ text: @autoclosure () -> String) {
    if !isTrue { fatalError(text()) }
}

/// The value of a setup that cannot fail.
func made<Value>(_ make: () throws -> Value) -> Value {
    do {
        return try make()
    } catch {
        preconditionFailure("a target could not be set up: \(error)")
    }
}

/// An address of a setup.
func page(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    return url
}

extension Error {
    /// Everything that is said about an error from outside. What Foundation says of its own is not ours to read, and takes
    /// longer than most inputs.
    func tell() {
        guard let failure = self as? any IdentityFailure else { return }
        _ = (failure.failureClass, failure.message.utf8.count)
    }
}
