import Foundation
import IdentityKit
import IdentityOAuth

extension InsForgeAPI {
    /// Sends `POST /api/auth/users` with the anonymous key. A user's token is not used, because the server would refuse it
    /// after its expiry.
    func signUp(
        email: String, password: Secret, name: String?, redirectTo: String? = nil
    ) async throws -> SignUpResponse {
        var body: [String: JSONValue] = ["email": .string(email), "password": .string(password.reveal())]
        if let name { body["name"] = .string(name) }
        if let redirectTo { body["redirectTo"] = .string(redirectTo) }
        let key = anonKey.withLock { $0 }
        guard key.map({ (try? $0.asToken()) != nil }) ?? true else { throw InsForgeAuthError.invalidKey }
        return try await send(call("auth/users", body, bearer: key), during: .signUp)
    }

    /// Sends `POST /api/auth/sessions` with a password. The member `method` is omitted, because old servers do not know
    /// it.
    func createSession(email: String, password: Secret) async throws -> SessionResponse {
        try await send(
            call("auth/sessions", ["email": .string(email), "password": .string(password.reveal())]), during: .signIn)
    }

    /// Sends `POST /api/auth/sessions` with a mailed code.
    /// - Parameter name: the display name for a new user.
    func createSession(email: String, code: Secret, name: String?) async throws -> SessionResponse {
        var body: [String: JSONValue] = [
            "method": "otp", "email": .string(email), "otp": .string(code.reveal()),
        ]
        if let name { body["name"] = .string(name) }
        return try await send(call("auth/sessions", body), during: .codeSignIn)
    }

    func createSession(with idToken: IDTokenSignIn) async throws -> SessionResponse {
        try await send(call("auth/id-token", idToken.body), during: .idToken)
    }

    func currentUser(_ accessToken: String) async throws -> User {
        let response: UserResponse = try await send(
            get("auth/sessions/current", bearer: accessToken), during: .user)
        return response.user
    }

    enum RefreshResponse: Sendable {
        case refreshed(RefreshedSession, faults: [ResponseFault])
        case refused(InsForgeAuthError, RefreshVerdict)
    }

    /// Sends `POST /api/auth/refresh`. A successful response may have any content type.
    /// - Throws: ``InsForgeAuthError/networkError(_:)`` if there is no response;
    ///   ``InsForgeAuthError/unreadableResponse(status:)`` for a successful response that is neither a session nor an error
    ///   object nor an HTML page; `CancellationError`.
    func refresh(_ refreshToken: Secret) async throws -> RefreshResponse {
        // Servers before March 2026 know only `refresh_token`.
        let token = JSONValue.string(refreshToken.reveal())
        let (body, response) = try await response(
            to: call("auth/refresh", ["refreshToken": token, "refresh_token": token]), upTo: ResponseSize.withProfile)
        if 200..<300 ~= response.statusCode, let session = try? read(body, response) as RefreshedSession {
            return .refreshed(session, faults: faults(of: body, response) + session.faults)
        }
        let verdict = RefreshVerdict(body, response)
        guard verdict != .unreadable else {
            throw InsForgeAuthError.unreadableResponse(status: response.statusCode)
        }
        return switch (InsForgeAuthError(body, response, during: .refresh), verdict) {
        case (.rateLimited(let pause), .busy): .refused(.rateLimited(retryAfter: pause), verdict)
        case (_, .busy(let pause)): .refused(.rateLimited(retryAfter: pause), verdict)
        case (_, .overloaded(let pause)): .refused(.rateLimited(retryAfter: pause), verdict)
        case (_, .inFront): .refused(.unreadableResponse(status: response.statusCode), verdict)
        case (let error, _): .refused(error, verdict)
        }
    }

    /// Returns the deviations of a successful response from the documented form: another status than 200, another content type
    /// than JSON, or a byte order mark. Members that are missing or invalid are not among them.
    private func faults(of body: Data, _ response: HTTPURLResponse) -> [ResponseFault] {
        let type = response.mimeType?.lowercased()
        return [
            response.statusCode == 200 ? nil : .status(response.statusCode),
            type == "application/json" ? nil : .contentType(type),
            body.hasByteOrderMark ? .byteOrderMark : nil,
        ].compactMap { $0 }
    }

    func logOut() async throws {
        try await perform(call("auth/logout"))
    }

    private struct UserResponse: Decodable, ProfileCarrier {
        let user: User
    }
}

/// A response with a user's profile, whose body may be larger than the transport's usual limit.
protocol ProfileCarrier {}

extension SessionResponse: ProfileCarrier {}
extension SignUpResponse: ProfileCarrier {}
extension Profile: ProfileCarrier {}
