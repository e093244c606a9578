import Foundation
import IdentityKit

/// Requests to Lantern: `POST /token` with a password or a refresh token, `/revoke` and `/inquire`.
struct LanternServer: Sendable {
    private let settings: LanternPlugin.Settings
    private let transport: any HTTPTransport
    private let time: TimeSource
    private let random: RandomSource

    init(_ settings: LanternPlugin.Settings, in environment: IdentityEnvironment) {
        self.settings = settings
        (transport, time, random) = (environment.transport, environment.time, environment.random)
    }

    var backend: String { settings.server.description }

    func signIn(_ values: [String: Secret], scopes: Set<String>) async throws -> Credential {
        var body = values.mapValues { $0.reveal() }
        body["scope"] = scopes.sorted().joined(separator: " ")
        body["nonce"] = Data(try random.bytes(16)).base64EncodedString()
        let (data, head) = try await transport.data(for: request("token", body))
        guard head.statusCode == 200 else { throw LanternError(status: head.statusCode) }
        return try credential(from: data, at: time.now)
    }

    /// Only a clear no ends the session. What the server did not look at costs nothing, and the rest is in doubt.
    func refresh(_ old: Credential, in context: RefreshContext) async throws -> RefreshResult {
        let body = ["refreshToken": old.refreshToken?.reveal() ?? ""]
        let (data, head) = try await context.spend(request("token", body))
        let error = LanternError(status: head.statusCode)
        switch head.statusCode {
        case 200:
            var fresh = try credential(from: data, at: old.signedInAt)
            fresh.profile = fresh.profile ?? old.profile
            return .refreshed(fresh)
        case 401: return .refused(reason: "the server has ended it")
        case 403: return .personNeeded(error, mayPass: false)
        case 429, 503:
            let wait = head.value(forHTTPHeaderField: "Retry-After").flatMap(Int.init)
            return .unspent(error, retryAfter: wait.map { .seconds($0) }, isForAll: head.statusCode == 503)
        default: throw error
        }
    }

    func revoke(_ credential: Credential) async throws {
        let token = credential.refreshToken ?? credential.accessToken
        let (_, head) = try await transport.data(for: request("revoke", ["token": token.reveal()]))
        guard head.statusCode == 200 else { throw LanternError(status: head.statusCode) }
    }

    /// Whether Lantern itself takes the access token.
    func takes(_ credential: Credential) async throws -> Bool? {
        let (_, head) = try await transport.data(for: request("inquire", ["token": credential.accessToken.reveal()]))
        return head.statusCode == 200 ? true : head.statusCode == 401 ? false : nil
    }

    func examine() async throws -> ExaminedServer {
        let page = settings.server.url.appendingPathComponent(".well-known/lantern")
        let (data, head) = try await transport.data(for: URLRequest(url: page), upTo: 1 << 16)
        guard head.statusCode == 200, try JSONValue(parsing: data)["version"] == 1 else {
            throw LanternError(status: head.statusCode)
        }
        return ExaminedServer(address: settings.server.description)
    }

    private func request(_ path: String, _ body: [String: String]) throws -> URLRequest {
        var request = URLRequest(url: settings.server.url.appendingPathComponent(path))
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(body)
        return request
    }

    private func credential(from data: Data, at signedInAt: Date) throws -> Credential {
        let answer = try JSONValue(parsing: data)
        guard let token = answer["token"]?.stringValue else { throw LanternError(status: 200) }
        var profile = AccountProfile(displayName: answer["name"]?.stringValue, username: answer["user"]?.stringValue)
        profile.isEmailUnverified = answer["emailVerified"] == false
        let scopes = answer["scopes"]?.decoded(as: [String].self) ?? []
        let lifetime = answer["expiresIn"]?.decoded(as: Double.self) ?? settings.lifetime
        return Credential(
            accessToken: Secret(token), refreshToken: (answer["refreshToken"]?.stringValue).map { Secret($0) },
            scopes: Set(scopes), issuedAt: time.now, expiresAt: time.now + lifetime, signedInAt: signedInAt,
            backend: backend, clientID: settings.clientID, profile: profile == AccountProfile() ? nil : profile,
            details: answer["plan"].map { ["plan": $0] } ?? [:])
    }
}

/// Lantern has said no: for good to what was sent, or for now because it is busy or broken.
struct LanternError: IdentityFailure, Equatable {
    let status: Int
    var failureCode: String { failureClass == .definitive ? "lantern_refused" : "lantern_failed" }
    var failureClass: FailureClass { (400..<500).contains(status) && status != 429 ? .definitive : .transient }
    var message: String {
        failureClass == .definitive ? "Name or password is wrong." : "Lantern does not answer now. Try again later."
    }
}
