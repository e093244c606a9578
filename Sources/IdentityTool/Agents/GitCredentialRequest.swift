import Foundation
import IdentityTerminal

/// A request of git for a credential, in lines of `key=value` up to an empty one (gitcredentials(7), "Input/output format").
struct GitCredentialRequest: Sendable {
    /// The address of the repository, or of its server where git tells no path.
    let address: URL
    let username: String?
    let password: String?

    private static let longestLine = 64 << 10
    private static let mostLines = 256

    /// Reads from `input`. Keys that are not known are passed over, as git asks of helpers.
    /// - Throws: ``GitCredentialError``, or why it could not be read.
    init(reading input: TerminalInput) async throws {
        var values: [String: String] = [:]
        var count = 0
        while let line = try await input.line(upTo: Self.longestLine), !line.isEmpty {
            count += 1
            guard count <= Self.mostLines else { throw GitCredentialError(detail: "It has too many lines.") }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !line.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { throw GitCredentialError(detail: "A line of it is not key=value.") }
            // Of a key that comes again only a list is known, and none is needed.
            guard values.updateValue(parts[1], forKey: parts[0]) == nil || parts[0].hasSuffix("[]") else {
                throw GitCredentialError(detail: "It names something twice.")
            }
        }
        guard let scheme = values["protocol"], ["https", "http"].contains(scheme) else {
            throw GitCredentialError(detail: "It is not one over https.")
        }
        guard let host = values["host"], host.utf8.count <= 300,
            host.wholeMatch(of: /[A-Za-z0-9.\-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?/) != nil,
            let address = Self.address(scheme, host, values["path"] ?? "")
        else { throw GitCredentialError(detail: "It names no host.") }
        self.address = address
        (username, password) = (values["username"], values["password"])
    }

    /// Git has decoded the path, so each sign of it but those of a plain path stands for itself.
    private static func address(_ scheme: String, _ host: String, _ path: String) -> URL? {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
        return path.addingPercentEncoding(withAllowedCharacters: plain)
            .flatMap { URL(string: "\(scheme)://\(host)/\($0)") }
    }
}

/// Input that is not a request of git.
struct GitCredentialError: Error {
    let detail: String

    var message: String { "The request of git cannot be answered. \(detail)" }
}
