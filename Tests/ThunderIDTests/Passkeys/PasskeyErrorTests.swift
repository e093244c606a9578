import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import ThunderID

/// What the system's errors about passkeys mean.
@Suite struct PasskeyErrorTests {
    private static let domain = "com.apple.AuthenticationServices.AuthorizationError"

    /// Errors that systems have reported: the code, the failure reason, and what it means.
    private static let reported: [(Int, String?, PasskeyError)] = [
        (1001, nil, .cancelled), (1001, "", .cancelled),
        (1001, "No credentials available for login.", .noCredential), (1001, "没有可用于登录的凭证。", .noCredential),
        (1003, nil, .noCredential), (1005, nil, .noCredential),
        (
            1004, "Application with identifier A1.com.app is not associated with domain id.example.com",
            .domainNotAssociated
        ),
        (
            1004, "Unable to verify webcredentials association of A1.com.app with domain id.example.com.",
            .domainNotAssociated
        ),
        // A text in another language still names the domain.
        (1004, "A1.com.app … id.example.com …", .domainNotAssociated),
        (1004, "Request already in progress for specified application identifier.", .notAllowed),
        (1004, nil, .failed), (1004, "Something else.", .failed), (1006, nil, .alreadyRegistered),
        (1010, nil, .deviceNotReady), (1000, nil, .failed), (1002, nil, .failed), (9999, "No credentials", .failed),
    ]

    @Test("A code and a failure reason of the system have a meaning", arguments: reported)
    func meaning(code: Int, reason: String?, meaning: PasskeyError) {
        let error = PasskeyError(domain: Self.domain, code: code, reason: reason, relyingPartyID: "id.example.com")
        #expect(error == meaning)
    }

    @Test("The same numbers in another domain mean nothing, but for the one of WebKit that is known")
    func otherDomains() {
        func meaning(_ domain: String, _ code: Int) -> PasskeyError {
            PasskeyError(domain: domain, code: code, reason: nil, relyingPartyID: "id.example.com")
        }
        #expect(meaning("WKErrorDomain", 8) == .alreadyRegistered)
        #expect(meaning("WKErrorDomain", 1001) == .failed)
        #expect(meaning("NSCocoaErrorDomain", 1001) == .failed)
    }

    @Test("Every meaning has its own code and sentence, and a documented code")
    func documented() {
        #expect(Set(PasskeyError.allCases.map(\.failureCode)).count == PasskeyError.allCases.count)
        #expect(Set(PasskeyError.allCases.map(\.message)).count == PasskeyError.allCases.count)
        let codes: [PasskeyError: IAMErrorCode] = [
            .notSupported: .passkeyNotSupported, .deviceNotReady: .passkeyNotSupported,
            .domainNotAssociated: .passkeyFailed, .noCredential: .passkeyNoCredential,
            .alreadyRegistered: .passkeyFailed, .cancelled: .passkeyCancelled, .notAllowed: .passkeyFailed,
            .failed: .passkeyFailed,
        ]
        for error in PasskeyError.allCases {
            let documented = IAMError(passkeyError: error)
            #expect(documented.code == codes[error] && documented.passkeyError == error)
            #expect(documented.message == error.message && documented.failureClass == error.failureClass)
        }
    }

    @Test("A sign-in says what was in the way of a passkey, and a person who gives up cancels it")
    func signIn() async throws {
        for error in PasskeyError.allCases {
            let thrown = await #expect(throws: (any Error).self) { try await self.answer(error) }
            if error == .cancelled {
                #expect(thrown is CancellationError)
            } else {
                #expect(thrown as? IAMError == IAMError(passkeyError: error))
            }
        }
    }

    @Test("What no passkey system says is passed on as it is")
    func others() async throws {
        struct Other: Error {}
        await #expect(throws: Other.self) { try await self.answer(Other()) }
    }

    /// What a step that asks for a passkey makes of an error.
    private func answer(_ error: any Error) async throws {
        var flow = FlowState()
        let options = #"{"challenge":"AQID","rpId":"id.example.com"}"#
        flow.take(
            EmbeddedFlowResponse(
                flowId: "f1", flowStatus: .promptOnly, type: "VIEW",
                data: FlowStepData(
                    actions: nil, inputs: nil, meta: nil, additionalData: ["passkeyChallenge": AnyCodable(options)],
                    redirectURL: nil, headings: [], paragraphs: [], copyables: []),
                assertion: nil, challengeToken: nil, establishesSession: false, error: nil))
        let server = try #require(URL(string: "https://id.example.com"))
        _ = try await flow.automaticPayload(nil, FailingPasskeys(error: error), server: server)
    }
}

/// A system that cannot ask.
private struct FailingPasskeys: PasskeyAuthenticator {
    let error: any Error

    func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion { throw error }
    func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration { throw error }
}
