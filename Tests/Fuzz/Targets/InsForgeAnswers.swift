import Foundation
import IdentityKit

@testable import InsForge

/// InsForge's answers; see ``HTTPAnswer``. The question names the call.
struct InsForgeAnswers: Sendable {
    private let api = InsForgeAPI(
        baseURL: made { try ServerURL("https://project.example.com") }, anonKey: Locked(nil), transport: NoTransport())

    @Sendable func read(_ input: FuzzInput) {
        guard let answer = HTTPAnswer(input) else { return }
        let (reader, operation) = FuzzInput.choose(
            answer.question,
            from: [
                ("signUp", (readSignUp, .signUp)),
                ("signIn", (readSession, .signIn)),
                ("codeSignIn", (readSession, .codeSignIn)),
                ("idToken", (readSession, .idToken)),
                ("refresh", (readRefresh, .refresh)),
                ("exchange", (readSession, .exchange)),
                ("startOAuth", (ignore(InsForgeAPI.AuthorizationResponse.self), .startOAuth)),
                ("user", (ignore(Profile.self), .user)),
                ("admin", (ignore(AnonKeyRotation.self), .admin)),
                ("config", (ignore(PublicConfig.self), .other)),
                ("reset", (ignore(ResetPasswordTokenResponse.self), .other)),
                ("verdict", (readVerdict, .refresh)),
            ] as [(String, ((HTTPAnswer) throws -> Void, InsForgeAuthError.Operation))])
        do {
            guard 200..<300 ~= answer.response.statusCode || answer.question == "verdict" else {
                throw InsForgeAuthError(answer.body, answer.response, during: operation)
            }
            try reader(answer)
        } catch {
            error.tell()
            rule(error is InsForgeAuthError, "an error of another kind was thrown")
        }
    }

    private func readVerdict(_ answer: HTTPAnswer) {
        let verdict = RefreshVerdict(answer.body, answer.response)
        rule(verdict != .over || 400..<500 ~= answer.response.statusCode, "a session ended by another status")
    }

    private func readSession(_ answer: HTTPAnswer) throws {
        let session: SessionResponse = try api.read(answer.body, answer.response)
        examine(session.user)
        _ = User(claimsOf: session.accessToken)
    }

    private func readRefresh(_ answer: HTTPAnswer) throws {
        let session: RefreshedSession = try api.read(answer.body, answer.response)
        guard let user = session.user.map({ User($0) }) else { return }
        examine(user)
        examine(user.kept)
    }

    private func readSignUp(_ answer: HTTPAnswer) throws {
        let response: SignUpResponse = try api.read(answer.body, answer.response)
        rule(!response.hasSession || response.user != nil, "a session of nobody")
        if let token = response.accessToken, token.utf8.count > 40 {
            rule(!"\(response)".contains(token), "a token was printed")
        }
    }

    private func ignore<Content: Decodable>(_ type: Content.Type) -> (HTTPAnswer) throws -> Void {
        { answer in
            let _: Content = try api.read(answer.body, answer.response)
        }
    }

    private func examine(_ user: User) {
        let profile = AccountProfile(user)
        rule(profile.displayName?.contains("\n") != true, "a name of several lines was taken")
        _ = (user.name, user.profile?.avatarUrl)
    }
}
