import ArgumentParser
import IdentityKit

/// `identity store rekey`: encrypts the records of a store with the first of its keys. Records that are already
/// encrypted with that key stay unchanged.
struct RekeyStoreCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { RekeyingProgress.self }

    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Seal with the first key what the other ones have sealed.",
        discussion: """
            A key file or a variable may hold several keys, one in a line: the first one seals, and all of them open. To replace \
            a key while everything runs, add the new one behind the old one on every machine, and put it first on every machine. \
            Programs read a key file again within a minute: wait for that, and restart those with a variable. Then run this \
            command, and take the old one away. It can be interrupted, and run again.

            EXAMPLES
              head -c 32 /dev/urandom | base64 >>identity-key
              identity store rekey

            EXIT STATUS
              0    every record is sealed with the first key
              1    some could not be opened; they stay as they are
              5    the store cannot be reached
              78   the configuration has mistakes
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run(in call: ToolCall) async throws {
        try await place.counting("records", unless: "opened. Keep the other keys.", output, in: call) {
            guard let sealed = $0.layer(SealedTokenStore.self) else {
                throw TokenStoreError.unsupported(detail: "its records are not sealed")
            }
            return try await sealed.rekey($1)
        } text: {
            "\($0.resealed) of \($0.seen) records were sealed with another key, and now with the first."
        }
    }
}
