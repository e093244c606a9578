import Foundation
import IdentityKit

@testable import InsForge
@testable import IdentityOAuth
@testable import ThunderID

/// Addresses the browser comes back to, and mailed links: the first line says who reads it, the second is the address, the
/// rest the body of a form post.
struct Callbacks: Sendable {
    private let request: AuthorizationRequest
    private let pending: PendingAuthorization
    private let redirection: FlowRedirection

    /// What the inputs of the corpus can know.
    private static let state = "af0ifjsldkj"

    init() {
        let redirectURI = made { try page("https://app.example.com/callback?tenant=1") }
        let request = made {
            try AuthorizationRequest(
                client: OAuthClient(id: "client"), authorizationEndpoint: page("https://id.example.com/authorize"),
                redirectURI: redirectURI, scopes: ["openid"], issuer: "https://id.example.com")
        }
        self.request = request
        let flow = request.pending
        pending = PendingAuthorization(
            state: Self.state, nonce: flow.nonce, codeVerifier: flow.codeVerifier, redirectURI: redirectURI,
            issuer: flow.issuer, requiresIssuer: true, clientID: flow.clientID, scopes: flow.scopes, maxAge: nil,
            acrValues: [], subject: nil, createdAt: flow.createdAt, expiresAt: .distantFuture)
        let start = made {
            try page(
                "https://other.example.com/authorize?state=\(Self.state)"
                    + "&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback%3Ftenant%3D1")
        }
        redirection = made { try Self.redirection(from: start) }
    }

    private static func redirection(from page: URL) throws -> FlowRedirection {
        guard let redirection = FlowRedirection(page, providerName: "Other") else { throw URLError(.badURL) }
        return redirection
    }

    @Sendable func read(_ input: FuzzInput) {
        let (reader, address) = input.parts
        let (line, body) = address.parts
        guard let url = URL(string: line) else { return }
        do {
            try FuzzInput.choose(
                reader,
                from: [
                    ("answer", readAnswer), ("form", readForm), ("insforge", readInsForge),
                    ("insforge-tokens", readOldInsForge), ("link", readLink), ("provider", readProvider),
                    ("start", readStart), ("gate", readGate),
                ])(url, body.data)
        } catch {
            error.tell()
        }
    }

    private func readAnswer(_ url: URL, _: Data) throws {
        try examine(AuthorizationResponse(callbackURL: url))
    }

    private func readForm(_ url: URL, _ body: Data) throws {
        try examine(AuthorizationResponse(formPost: body, receivedAt: url))
    }

    private func examine(_ response: AuthorizationResponse) throws {
        let code = try response.authorizationCode(for: pending, at: Date(timeIntervalSince1970: 1_800_000_000))
        rule(response.state == Self.state, "a code came with the state of another flow")
        rule(response["iss"] == pending.issuer, "a code came from another server")
        rule(!code.reveal().isEmpty, "an empty code came")
    }

    private func readInsForge(_ url: URL, _: Data) throws {
        guard let redirectURI = pending.redirectURI else { return }
        let callback = try InsForgeCallback(url, redirectURI: redirectURI)
        if case .legacyToken = callback { rule(false, "a token was taken from an address") }
    }

    /// As an application asks for it that knows old servers.
    private func readOldInsForge(_ url: URL, _: Data) throws {
        _ = try InsForgeCallback(url, redirectURI: url, allowsTokens: true)
    }

    private func readLink(_ url: URL, _: Data) {
        guard let link = FlowLink(url) else { return }
        rule(!link.flowId.isEmpty && !link.inputs.isEmpty, "a link goes on with nothing")
    }

    private func readProvider(_ url: URL, _: Data) throws {
        let inputs = try redirection.inputs(from: url)
        rule(inputs["state"] == Self.state, "a step took the answer to another one")
    }

    private func readStart(_ url: URL, _: Data) throws {
        _ = try FlowRedirection(url, providerName: nil)?.inputs(from: url)
    }

    private func readGate(_ url: URL, _: Data) throws {
        if case .untrusted(let detail) = try NativeAuthorization.reading(url, for: request, at: Date()) {
            rule(detail.utf8.count < 2000, "the server's words are too many")
        }
    }
}
