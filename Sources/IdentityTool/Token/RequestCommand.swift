import ArgumentParser
import Foundation
import IdentityKit
import IdentityOAuth

/// `identity request`: sends an HTTP request with an account's access token, and prints the response.
struct RequestCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send an HTTP request as the account that its address leads to, or the active one.",
        discussion: """
            Where a provider of the configuration names the address, its account acts. The body of the response goes to standard output unchanged. A token that is refused with 401 is refreshed and \
            the request sent once more; a session that is bound to a key adds a proof (DPoP, RFC 9449). Tokens go to https \
            addresses and to this machine only, and redirects are not followed.

            EXAMPLES
              identity request https://api.example.com/me
              identity request https://api.example.com/items \\
                -H 'Content-Type: application/json' -d '{"a":1}'
              identity request https://api.example.com/items --data @item.json --include

            EXIT STATUS
              0   the response's status is below 400
              1   it is not, or trying again will not help
              3   nobody is signed in there, or the session has ended
              5   there was no response
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var acting: AccountOptions

    @Argument(help: "The address.")
    var url: String

    @Option(
        name: [.customShort("X", allowingJoined: true), .long],
        help: "The method. The default is GET, and POST with --data.")
    var method: String?

    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")], parsing: .unconditionalSingleValue,
        help: "A header field, as Name: value. May be repeated.")
    var headers: [String] = []

    @Option(
        name: [.customShort("d", allowingJoined: true), .long], parsing: .unconditional,
        help: "The body: text, @file, or - for standard input.")
    var data: String?

    @Option(name: .customLong("scope"), help: "A scope the token must carry. May be repeated.")
    var scopes: [String] = []

    @Flag(name: [.customShort("i"), .long], help: "Print the status and the header fields before the body.")
    var include = false

    func validate() throws {
        _ = try fields
        _ = try address
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        let request = try await request(in: call)
        let (head, granted) = try await ToolSession.run(place, as: acting.named(in: call), in: call) {
            [scopes, include, address = try address] session in
            let named = try await session.namedAccount()
            let (body, head) = try await session.client.data(for: request, as: named, scopes: Set(scopes))
            // Print the response at once: the server has carried out the request even if storing the session fails later.
            if include {
                try terminal.line("HTTP \(head.statusCode)")
                for (name, value) in head.allHeaderFields.map({ ("\($0)", "\($1)") }).sorted(by: { $0.0 < $1.0 }) {
                    try terminal.line("\(name): \(value)")
                }
                try terminal.line()
            }
            try terminal.bytes(body)
            guard head.statusCode == 403,
                let route = try? await session.client.requestRoute(to: address, as: named, scopes: Set(scopes)),
                let details = try? await session.details(of: route.account)
            else { return (head, Set<String>()) }
            await session.expectSignIn(of: route.account)
            return (head, details.scopes)
        }
        guard head.statusCode >= 400 else { return }
        terminal.note("identity: the server returned the status \(head.statusCode).")
        let missing = head.scopesAskedFor.filter { !granted.contains($0) }
        if !missing.isEmpty {
            let options = missing.map { " --scope \($0.quotedForShell)" }.joined()
            terminal.note(
                call.place.completing(
                    "It asks for \(missing.joined(separator: ", ").visible). Sign in with: identity login" + options))
        }
        throw ExitStatus.failure.code
    }

    private func request(in call: ToolCall) async throws -> URLRequest {
        var request = URLRequest(url: try address)
        request.httpBody = try await body(in: call)
        request.httpMethod = method ?? (request.httpBody == nil ? "GET" : "POST")
        for (name, value) in try fields { request.addValue(value, forHTTPHeaderField: name) }
        return request
    }

    private var address: URL {
        get throws {
            guard let address = URL(typed: url) else { throw ValidationError("\"\(url)\" is not an address.") }
            return address
        }
    }

    private var fields: [(name: String, value: String)] {
        get throws {
            try headers.map { header in
                let parts = header.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].wholeMatch(of: /[A-Za-z0-9!#$%&'*+.^_`|~\-]+/) != nil,
                    !header.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\t" })
                else {
                    throw ValidationError("\"\(header)\" is not a header field. Write it as Name: value.")
                }
                return (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
            }
        }
    }

    private func body(in call: ToolCall) async throws -> Data? {
        guard let data else { return nil }
        if ["-", "@-"].contains(data) { return try await call.context.input.stream.all() }
        guard data.hasPrefix("@") else { return Data(data.utf8) }
        let path = try call.path(String(data.dropFirst()))
        guard let content = FileManager.default.contents(atPath: path) else {
            throw ValidationError("There is no file \(path) that can be read.")
        }
        return content
    }
}

extension HTTPURLResponse {
    /// The scopes that the server demands when it refuses the token with 403 and `insufficient_scope` (RFC 6750 section 3.1).
    /// Empty for any other response, and if the server names no scopes.
    var scopesAskedFor: [String] {
        guard statusCode == 403 else { return [] }
        let challenges = AuthenticationChallenge.parse(value(forHTTPHeaderField: "WWW-Authenticate") ?? "")
        let lacking = challenges.first { $0.parameters["error"] == OAuthErrorCode.insufficientScope.rawValue }
        return lacking?.parameters["scope"]?.split(separator: " ").map(String.init) ?? []
    }
}
