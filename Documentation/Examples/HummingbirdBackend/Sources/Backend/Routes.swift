import Foundation
import Hummingbird
import IdentityKit
import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What browsers can ask for. Each browser has cookies of its own; the tokens stay in the store.
struct Routes: Sendable {
    let client: IdentityClient
    /// The servers that people can sign in with, by their names in the configuration.
    let signIns: [String: WebSignIn]
    let cookies: SealedCookies
    /// The API that is called for a person.
    let api: URL

    /// A sign-in that has begun in a browser.
    private struct Begun: Codable {
        let name: String
        let pending: PendingAuthorization
    }

    private enum CookieName {
        static let signIn = "sign-in"
        static let account = "account"
    }

    var router: Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: FailureResponses())
        router.get("/", use: home)
        router.get("/sign-in/{name}", use: signIn)
        router.get("/callback", use: callback)
        router.get("/me", use: me)
        router.post("/sign-out", use: signOut)
        // snippet: a-readiness-probe
        router.get("/ready") { _, _ -> HTTPResponse.Status in
            await client.health.isReady ? .ok : .serviceUnavailable
        }
        // end snippet
        return router
    }

    @Sendable private func home(_ request: Request, _ context: some RequestContext) async throws -> Response {
        guard let account = account(in: request), let summary = try await client.summary(of: account),
            case .live = summary.session
        else {
            return Page.signedOut(servers: signIns.keys.sorted())
        }
        return Page.signedIn(summary.profile?.label ?? account.account)
    }

    @Sendable private func signIn(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let name = try context.parameters.require("name")
        guard let server = signIns[name] else { throw HTTPError(.notFound) }
        let (page, pending) = try await server.begin()
        var response = Response.redirect(to: page.absoluteString, type: .found)
        response.setCookie(
            try cookies.cookie(CookieName.signIn, Begun(name: name, pending: pending), lifetime: 600))
        return response
    }

    @Sendable private func callback(_ request: Request, _ context: some RequestContext) async throws -> Response {
        // A callback counts only in the browser in which its sign-in began.
        guard let begun = cookies.value(CookieName.signIn, as: Begun.self, in: request),
            let server = signIns[begun.name]
        else { throw HTTPError(.badRequest, message: "No sign-in has begun in this browser.") }
        let account = try await server.finish(begun.pending, query: request.uri.query ?? "")
        var response = Response.redirect(to: "/", type: .normal)
        response.setCookie(cookies.erased(CookieName.signIn))
        response.setCookie(try cookies.cookie(CookieName.account, account, lifetime: 8 * 3600))
        return response
    }

    // snippet: acting-for-a-user
    @Sendable private func me(_ request: Request, _ context: some RequestContext) async throws -> Response {
        guard let account = account(in: request) else { throw HTTPError(.unauthorized) }
        let (data, response) = try await client.data(for: URLRequest(url: api), as: account)
        return Response(
            status: .init(code: response.statusCode), headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }

    @Sendable private func signOut(_ request: Request, _ context: some RequestContext) async throws -> Response {
        if let account = account(in: request) { try await client.signOut(account) }
        var response = Response.redirect(to: "/", type: .normal)
        response.setCookie(cookies.erased(CookieName.account))
        return response
    }
    // end snippet

    private func account(in request: Request) -> AccountID? {
        cookies.value(CookieName.account, as: AccountID.self, in: request)
    }
}
