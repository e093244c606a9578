import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The error object of the server (contract 0.5).
struct ErrorAnswer: Decodable, Sendable {
    let error: String
    let message: String
    let statusCode: Int?
    /// What to do about it, for a person or for who builds the app.
    let nextActions: String?

    private enum CodingKeys: String, CodingKey {
        case error, message, statusCode, nextActions
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        error = try container.decode(String.self, forKey: .error)
        message = try container.decode(String.self, forKey: .message)
        // What comes beside code and text is not worth losing them.
        statusCode = (try? container.decodeIfPresent(Int.self, forKey: .statusCode)) ?? nil
        nextActions = (try? container.decodeIfPresent(String.self, forKey: .nextActions)) ?? nil
    }

    /// Reads a body; `nil` when it is not the server's own, such as the page of a proxy.
    init?(_ body: Data) {
        guard let answer = try? JSONDecoder.decodeForeign(Self.self, from: body), !answer.error.isEmpty else {
            return nil
        }
        self = answer
    }
}

extension InsForgeAuthError {
    /// What the caller was doing: the same answer means different things (contract 5.2).
    enum Operation: Sendable, CaseIterable {
        case signUp
        case signIn
        /// Signing in with a mailed code.
        case codeSignIn
        /// Signing in with a token of Apple or Google.
        case idToken
        case refresh
        case startOAuth
        case exchange
        /// Something that needs the token of the person who is signed in.
        case user
        /// Something that needs an administrator's token.
        case admin
        /// Something that anybody may ask.
        case other

        /// Whether there was a project at the address before, so that a page instead of an answer says nothing about it.
        var continuesSomething: Bool {
            switch self {
            case .refresh, .user, .exchange: true
            case .signUp, .signIn, .codeSignIn, .idToken, .startOAuth, .admin, .other: false
            }
        }
    }

    /// The error a refused request stands for.
    init(refusal body: Data, _ response: HTTPURLResponse, during operation: Operation) {
        self.init(
            refusal: ErrorAnswer(body), status: response.statusCode,
            retryAfter: response.value(forHTTPHeaderField: "Retry-After"), during: operation)
    }

    /// The error a refused request stands for.
    /// - Parameter answer: `nil` when the body is not the server's own.
    init(refusal answer: ErrorAnswer?, status: Int, retryAfter: String?, during operation: Operation) {
        let refusal = Refusal(answer: answer, status: status, retryAfter: retryAfter, operation: operation)
        self = refusal.byCode ?? refusal.byStatus
    }
}
