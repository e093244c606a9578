import Foundation
import IdentityTerminal

/// A credential request from git: lines of `key=value` up to an empty line (gitcredentials(7), "Input/output format").
struct GitCredentialRequest: Sendable {
    /// The address of the repository, or of its server if git sends no path.
    let address: URL
    let username: String?
    let password: String?

    private static let longestLine = 64 << 10
    private static let mostLines = 256

    /// Reads a request from `input`. Ignores unknown keys, as gitcredentials(7) requires.
    /// - Throws: ``GitCredentialError``, `LineTooLongError` for a line of more than 64 KiB, `CancellationError`, or the
    ///   error of reading.
    init(reading input: TerminalInput) async throws {
        var values: [String: String] = [:]
        var count = 0
        while let line = try await input.line(upTo: Self.longestLine), !line.isEmpty {
            count += 1
            guard count <= Self.mostLines else { throw GitCredentialError(detail: "It has too many lines.") }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !line.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { throw GitCredentialError(detail: "A line of it is not key=value.") }
            // Only a key that ends in `[]` may occur more than once, because it stands for a list. No list is read here.
            guard values.updateValue(parts[1], forKey: parts[0]) == nil || parts[0].hasSuffix("[]") else {
                throw GitCredentialError(detail: "It names something twice.")
            }
        }
        guard let scheme = values["protocol"], ["https", "http"].contains(scheme) else {
            throw GitCredentialError(detail: "Its protocol is neither https nor http.")
        }
        guard let host = values["host"], host.utf8.count <= 300,
            host.wholeMatch(of: /[A-Za-z0-9.\-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?/) != nil,
            let address = Self.address(scheme, host, values["path"] ?? "")
        else { throw GitCredentialError(detail: "It names no host.") }
        self.address = address
        (username, password) = (values["username"], values["password"])
    }

    /// Returns the URL of a request. Git sends the path without percent-encoding, so its special characters are encoded.
    private static func address(_ scheme: String, _ host: String, _ path: String) -> URL? {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
        return path.addingPercentEncoding(withAllowedCharacters: plain)
            .flatMap { URL(string: "\(scheme)://\(host)/\($0)") }
    }
}

/// The input is not a credential request for a server over HTTP, for example because it names no host.
struct GitCredentialError: Error {
    let detail: String

    var message: String { "The request of git cannot be answered. \(detail)" }
}
