import Foundation
import IdentityKit

@testable import InsForge
@testable import OAuthKit
@testable import ThunderID

/// Addresses the browser comes back to, and mailed links: the first line is the address, the rest the body of a form post.
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
        let (line, rest) = input.parts
        guard let url = URL(string: line) else { return }
        readAuthorization { try AuthorizationResponse(callbackURL: url) }
        if !rest.data.isEmpty { readAuthorization { try AuthorizationResponse(formPost: rest.data, receivedAt: url) } }
        readInsForge(url)
        readThunderID(url)
    }

    private func readAuthorization(_ read: () throws -> AuthorizationResponse) {
        do {
            let response = try read()
            let code = try response.authorizationCode(for: pending, at: Date(timeIntervalSince1970: 1_800_000_000))
            rule(response.state == Self.state, "a code came with the state of another flow")
            rule(response["iss"] == pending.issuer, "a code came from another server")
            rule(!code.reveal().isEmpty, "an empty code came")
        } catch {
            error.tell()
        }
    }

    private func readInsForge(_ url: URL) {
        do {
            let callback = try InsForgeCallback(url, redirectURI: pending.redirectURI)
            if case .legacyToken = callback { rule(false, "a token was taken from an address") }
        } catch {
            error.tell()
        }
        _ = try? InsForgeCallback(url, redirectURI: url, allowsTokens: true)
    }

    private func readThunderID(_ url: URL) {
        if let link = FlowLink(url) {
            rule(!link.flowId.isEmpty && !link.inputs.isEmpty, "a link goes on with nothing")
        }
        if let inputs = try? redirection.inputs(from: url) {
            rule(inputs["state"] == Self.state, "a step took the answer to another one")
        }
        _ = try? FlowRedirection(url, providerName: nil)?.inputs(from: url)
        if case .untrusted(let detail)? = try? NativeAuthorization.reading(url, for: request, at: Date()) {
            rule(detail.utf8.count < 2000, "the server's words are too many")
        }
    }
}
