import Foundation
import IdentityKit

/// A token that a platform issues to a program that runs on it. The token identifies the program, so the program needs no
/// secret of its own.
public enum PlatformToken: Sendable, Equatable {
    /// A file that the platform replaces from time to time, such as a projected service account token of Kubernetes. It
    /// is read at each use.
    case file(URL)
    /// An environment variable with this name. In a GitLab CI job, `id_tokens` declares the variables with ID tokens.
    case variable(String)
    /// A token of GitHub Actions, requested in a job with the permission `id-token: write`.
    /// - Parameter audience: the audience of the token. `nil` stands for the issuer of the server that receives the token
    ///   in a grant; without a grant, GitHub chooses the audience.
    case gitHubActions(audience: String? = nil)

    /// The largest accepted token, in bytes.
    private static let sizeLimit = 64 * 1024

    /// Whether the token is available without a request.
    var isLocal: Bool {
        if case .gitHubActions = self { false } else { true }
    }

    /// Returns the reason why the token is unavailable, judged only by the environment variables; `nil` for a file, or if
    /// the required variables are set.
    func missingConfiguration(in environment: IdentityEnvironment) -> String? {
        switch self {
        case .file: return nil
        case .variable(let name): return environment.variables[name]?.isEmpty == false ? nil : "\(name) is not set"
        case .gitHubActions:
            let missing = GitHubActionsVariable.allCases.first { environment.variables[$0.rawValue] == nil }
            return missing.map { "\($0.rawValue) is not set, as it is in a job with the permission id-token: write" }
        }
    }

    /// Returns the reason why the token is unavailable, also for a file that does not exist or cannot be read; `nil` if
    /// there is no such reason. No request is sent.
    func absence(in environment: IdentityEnvironment) -> String? {
        if case .file(let url) = self, !FileManager.default.isReadableFile(atPath: url.path) {
            return "there is no file at \(url.path) that can be read"
        }
        return missingConfiguration(in: environment)
    }

    /// Reads the current token from the file or variable, or requests one from GitHub.
    /// - Parameters:
    ///   - audience: the audience of a token of GitHub Actions if ``gitHubActions(audience:)`` has none; `nil` for GitHub's
    ///     default.
    ///   - security: whether the request to GitHub may go over `http` to this machine.
    ///   - environment: the environment variables and the network.
    /// - Throws: `PlatformTokenError`, `MalformedTokenError` when the token that authorizes the request to GitHub is
    ///   malformed, or what the transport throws.
    func token(
        for audience: String?, _ security: TransportSecurity, in environment: IdentityEnvironment
    ) async throws -> Secret {
        switch self {
        case .file(let url):
            guard let text = Self.content(of: url) else { throw PlatformTokenError.missing(source) }
            return try checked(text)
        case .variable(let name):
            guard let text = environment.variables[name], !text.isEmpty else {
                throw PlatformTokenError.missing(source)
            }
            return try checked(text)
        case .gitHubActions(let ownAudience):
            return try checked(
                await gitHubToken(for: ownAudience ?? audience, security, in: environment))
        }
    }

    var source: String {
        switch self {
        case .file(let url): "the file \(url.path)"
        case .variable(let name): "the variable \(name)"
        case .gitHubActions: "GitHub Actions"
        }
    }

    /// Returns the token without white space around it, such as the line break at the end of a file.
    /// - Throws: `PlatformTokenError.malformed` when the token is empty, too large, or has characters that no token has.
    private func checked(_ text: String) throws -> Secret {
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.utf8.count <= Self.sizeLimit, token.isUnquotedWord else {
            throw PlatformTokenError.malformed(source)
        }
        return Secret(token)
    }

    /// Reads a file, but at most one byte more than the limit, which is enough to detect a token that is too large.
    /// - Returns: `nil` when the file cannot be read.
    private static func content(of url: URL) -> String? {
        guard let file = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? file.close() }
        return (try? file.read(upToCount: sizeLimit + 1)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The environment variables that GitHub sets in a job with the permission `id-token: write`.
    private enum GitHubActionsVariable: String, CaseIterable {
        case url = "ACTIONS_ID_TOKEN_REQUEST_URL"
        case token = "ACTIONS_ID_TOKEN_REQUEST_TOKEN"
    }

    private func gitHubToken(
        for audience: String?, _ security: TransportSecurity, in environment: IdentityEnvironment
    ) async throws -> String {
        let variables = environment.variables
        guard let address = variables[GitHubActionsVariable.url.rawValue],
            let requestToken = variables[GitHubActionsVariable.token.rawValue]
        else { throw PlatformTokenError.missing(source) }
        guard var components = URLComponents(string: address) else { throw PlatformTokenError.malformed(source) }
        if let audience {
            components.queryItems = (components.queryItems ?? []) + [URLQueryItem(name: "audience", value: audience)]
        }
        guard let url = components.url, security.allows(url) else { throw PlatformTokenError.malformed(source) }
        let request = try URLRequest.json(from: url).bearing(requestToken)
        let (data, response) = try await environment.transport.data(for: request)
        guard response.statusCode == 200 else {
            throw PlatformTokenError.refused(source, status: response.statusCode)
        }
        guard data.count <= 2 * Self.sizeLimit, let token = (try? JSONValue(parsing: data))?["value"]?.stringValue
        else { throw PlatformTokenError.malformed(source) }
        return token
    }
}

/// The reason why a platform's token cannot be used, with the file, variable or platform that should supply the token.
package enum PlatformTokenError: StatedFailure, Equatable {
    /// There is no token. In each case of this type, the text names the file, variable or platform of the token.
    case missing(String)
    /// The text or response with the token is malformed or too large, or the address to request it from is not allowed.
    case malformed(String)
    /// The platform answered the request for a token with this HTTP status instead of 200.
    /// Transient for the status 429, and for 500 or higher.
    case refused(String, status: Int)

    package var facts: FailureFacts {
        switch self {
        case .missing(let source):
            .definitive("platform_token_missing", "There is no token of the platform in \(source).")
        case .malformed(let source): .definitive("platform_token_malformed", "There is no usable token in \(source).")
        case .refused(let source, let status):
            FailureFacts(
                "platform_token_refused", status >= 500 || status == 429 ? .transient : .definitive,
                "No token was issued by \(source): status \(status).")
        }
    }
}
