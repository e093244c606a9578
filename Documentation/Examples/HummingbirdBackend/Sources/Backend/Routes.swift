import Foundation
import Hummingbird
import IdentityKit
import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The routes for browsers. Each browser has a session of its own; the tokens stay in the store.
struct Routes: Sendable {
    let client: IdentityClient
    let cookies: SealedCookies
    /// The browsers that are signed in.
    let browsers: BrowserSessions
    /// The API that is called for a person.
    let api: URL

    /// A sign-in that has begun in a browser.
    private struct Begun: Codable {
        let name: String
        let pending: PendingAuthorization
    }

    private enum CookieName {
        static let signIn = "sign-in"
        static let session = "session"
    }

    var router: Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: FailureResponses())
        router.get("/", use: home)
        router.get("/sign-in/{name}", use: signIn)
        router.get("/callback", use: callback)
        router.get("/callback/**", use: callback)
        router.get("/me", use: me)
        router.post("/sign-out", use: signOut)
        router.post("/sign-out-everywhere", use: signOutEverywhere)
        // snippet: a-readiness-probe
        router.get("/ready") { _, _ -> HTTPResponse.Status in
            await client.health.isReady ? .ok : .serviceUnavailable
        }
        // end snippet
        return router
    }

    @Sendable private func home(_ request: Request, _ context: some RequestContext) async throws -> Response {
        guard let session = try await session(in: request),
            let summary = try await client.summary(of: session.account), case .live = summary.session
        else {
            return Page.signedOut(servers: client.links.map(\.name).filter { server(called: $0) != nil })
        }
        return Page.signedIn(summary.profile)
    }

    // snippet: a-sign-in-on-the-web
    @Sendable private func signIn(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let name = try context.parameters.require("name")
        guard let server = server(called: name) else { throw HTTPError(.notFound) }
        let (page, pending) = try await server.beginSignIn()
        var response = Response.redirect(to: page.absoluteString, type: .found)
        response.setCookie(
            try cookies.cookie(CookieName.signIn, Begun(name: name, pending: pending), lifetime: 600))
        return response
    }

    @Sendable private func callback(_ request: Request, _ context: some RequestContext) async throws -> Response {
        // A callback counts only in the browser in which its sign-in began.
        guard let begun = cookies.value(CookieName.signIn, as: Begun.self, in: request),
            let server = server(called: begun.name)
        else { throw HTTPError(.badRequest, message: "No sign-in has begun in this browser.") }
        let account = try await server.finishSignIn(
            begun.pending, path: request.uri.path, query: request.uri.query ?? "")
        let session = try await browsers.begin(for: account)
        if let former = try await self.session(in: request) { try await end(former) }
        var response = Response.redirect(to: "/", type: .normal)
        response.setCookie(cookies.erased(CookieName.signIn))
        response.setCookie(try cookies.cookie(CookieName.session, session, lifetime: BrowserSessions.lifetime))
        return response
    }
    // end snippet

    // snippet: acting-for-a-user
    @Sendable private func me(_ request: Request, _ context: some RequestContext) async throws -> Response {
        guard let session = try await session(in: request) else { throw HTTPError(.unauthorized) }
        let (data, response) = try await client.data(for: URLRequest(url: api), as: session.account)
        return Response(
            status: .init(code: response.statusCode), headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: data)))
    }

    @Sendable private func signOut(_ request: Request, _ context: some RequestContext) async throws -> Response {
        if let session = try await session(in: request) { try await end(session) }
        return signedOut
    }

    @Sendable private func signOutEverywhere(
        _ request: Request, _ context: some RequestContext
    ) async throws -> Response {
        if let session = try await session(in: request) {
            try await browsers.endAll(of: session.account)
            try await client.signOut(as: session.account)
        }
        return signedOut
    }

    /// Ends the session of a browser. With the last one of an account its tokens go.
    private func end(_ session: BrowserSession) async throws {
        if try await !browsers.end(session) { try await client.signOut(as: session.account) }
    }

    /// The session of the browser that sends the request. A cookie counts as long as the server knows the session of its browser.
    private func session(in request: Request) async throws -> BrowserSession? {
        guard let session = cookies.value(CookieName.session, as: BrowserSession.self, in: request),
            client.serves(session.account), try await browsers.isOpen(session)
        else { return nil }
        return session
    }
    // end snippet

    private var signedOut: Response {
        var response = Response.redirect(to: "/", type: .normal)
        response.setCookie(cookies.erased(CookieName.session))
        return response
    }

    /// The server called `name`, also when it was added while this one runs; `nil` if people cannot sign in there by these
    /// routes, because it sends codes to other devices, posts its responses, or sends them elsewhere.
    private func server(called name: String) -> OAuthSessionProvider? {
        let provider = client.links.first { $0.name == name }?.provider as? OAuthSessionProvider
        guard let server = provider?.server, server.method == .browser, server.responseMode != .formPost,
            let path = server.redirectURI?.path, path == "/callback" || path.hasPrefix("/callback/")
        else { return nil }
        return provider
    }
}
