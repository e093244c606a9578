import Foundation
import IdentityKit
import Testing

@testable import ThunderID

/// Every code of the server has a documented meaning and a result class.
@Suite struct ServerCodeTests {
    private func error(_ code: String) throws -> IAMError {
        let json: JSONValue = [
            "code": .string(code), "message": ["key": "k", "defaultValue": "The server's own text"],
        ]
        return try JSONDecoder().decode(APIError.self, from: JSONEncoder().encode(json)).iamError
    }

    @Test("Each code of the server means what the table says", arguments: ServerCodes.definitive)
    func meanings(meaning: IAMErrorCode, codes: [String]) throws {
        for code in codes {
            let error = try error(code)
            #expect(error.code == meaning && error.failureClass == .definitive, "\(code)")
            #expect(error.serverCode == code && !error.message.isEmpty)
            #expect(error.message != "The server's own text" || meaning == .unknownError)
        }
    }

    @Test("What passes by itself is transient", arguments: ServerCodes.transient)
    func passing(code: String) throws {
        let error = try error(code)
        #expect(error.code == .serverError && error.failureClass == .transient)
    }

    @Test("Attestation that is missing, refused or not set up reads differently")
    func attestation() throws {
        let texts = try ["FES-1014", "FES-1015", "FES-1016"].map { try error($0).message }
        #expect(Set(texts).count == 3)
    }

    @Test("Everything that tells which accounts exist reads the same")
    func neutral() throws {
        let texts = try (1001...1006).map { try error("FET-\($0)").message }
        #expect(Set(texts) == ["The user name or the password is wrong. Try again."])
    }

    @Test("Every documented code is the meaning of something, or is one the server has no way to say")
    func allCodes() {
        let fromServer = Set(ServerCodes.definitive.map(\.0)).union([.serverError])
        // There is no lockout, no disabled state and no expiry of codes that the server would tell.
        let neverSaid: Set<IAMErrorCode> = [
            .userAccountLocked, .userAccountDisabled, .confirmationCodeExpired,
        ]
        // From the client itself, the network, OAuth, and the system's passkeys.
        let fromElsewhere: Set<IAMErrorCode> = [
            .sdkNotInitialized, .alreadyInitialized, .invitationCodeExpired, .invalidRedirectUri, .networkError,
            .requestTimeout,
            .passkeyNotSupported, .passkeyCancelled, .passkeyNoCredential, .passkeyFailed,
        ]
        #expect(fromServer.union(neverSaid).union(fromElsewhere) == Set(IAMErrorCode.allCases))
    }

    @Test("The documented values", arguments: zip(IAMErrorCode.allCases, ServerCodes.documentedValues))
    func values(code: IAMErrorCode, value: String) {
        #expect(code.rawValue == value)
        #expect(ThunderIDError(code: code, message: "m").failureCode == value)
    }

    @Test("A failure of the framework keeps its class in the documented words")
    func translated() throws {
        func documented(_ error: any Error) throws -> IAMError { try #require(IAMError.documented(error) as? IAMError) }
        #expect(try documented(TransportError.timedOut(host: "h", after: .seconds(1))).code == .requestTimeout)
        #expect(try documented(TransportError.connectionRefused(host: "h")).code == .networkError)
        let locked = try documented(TokenStoreError.locked(detail: "x"))
        #expect(locked.code == .unknownError && locked.failureClass == .transient)
        let account = AccountID(account: "a", realm: "r")
        let texts = try [
            SessionError.notSignedIn(account), .ended(account, reason: "It was revoked."), .cannotRefresh(account),
            .belongsElsewhere(account, reason: "It is of another client."),
        ].map { try documented($0) }
        #expect(texts.allSatisfy { $0.code == .sessionExpired && !$0.message.contains("r/a") })
        #expect(try documented(SessionError.insufficientScope(account, missing: ["x"])).code == .consentRequired)
        #expect(try documented(SessionError.refreshInProgress(account)).code == .requestTimeout)
        #expect(try documented(ServerURLError.empty).code == .invalidConfiguration)
        #expect(IAMError.documented(CancellationError()) is CancellationError)
    }
}

/// Codes by what they mean (Backends/ThunderID.md#failures-inside-a-flow).
private enum ServerCodes {
    static let definitive: [(IAMErrorCode, [String])] = [
        (.authenticationFailed, ["FET-1001", "FET-1002", "FET-1003", "FET-1004", "FET-1005", "FET-1006"]),
        (.authenticationFailed, ["FET-1014", "FET-1015", "FET-1016", "FET-1019", "FET-1027", "FET-1028"]),
        (.authenticationFailed, ["USR-1018", "AUTH-4030"]),
        (.userAlreadyExists, ["FET-1007", "FET-1024", "FET-1061", "FET-1080"]),
        (.mfaFailed, ["FET-1008", "FET-1009", "FET-1017", "FET-1018"]),
        (.mfaRequired, ["FET-1082"]),
        (.confirmationCodeInvalid, ["FET-1010"]),
        (.invalidGrant, ["FET-1012", "FET-1013"]),
        (.registrationDisabled, ["FET-1025", "FET-1026", "FES-1006"]),
        (.recoveryFailed, ["FES-1009"]),
        (.consentRequired, ["FET-1066", "FET-1069"]),
        (.invitationCodeInvalid, ["FET-1073"]),
        (.sessionExpired, ["FET-1081", "FES-1004", "ICS-1002", "AUTH-4010"]),
        (
            .invalidInput,
            [
                "FET-1020", "FET-1021", "FET-1029", "FET-1035", "FET-1044", "FET-1048", "FET-1052", "FET-1059",
                "FET-1064",
                "FLC-1002", "ICS-1003", "FES-1001", "USR-1001", "USR-1003", "USR-1014", "USR-1017", "USR-1019",
                "USR-1028",
                "INVALID_INPUT_METADATA",
            ]
        ),
        (
            .invalidConfiguration,
            [
                "FET-1043", "FLC-1001", "FES-1003", "FES-1005", "FES-1008", "FES-1010", "FES-1011", "FES-1012",
                "FES-1013", "FES-1014", "FES-1015", "FES-1016", "FES-1017", "FES-1018", "FES-1019", "FM-1001",
                "FM-1002", "FM-1003", "FM-1004", "FM-1005",
            ]
        ),
        (.unknownError, ["ICS-1001", "FET-1999", "XYZ-1", "nonsense", "FET-", "FET-x", ""]),
    ]

    static let transient = [
        "SSE-5000", "FET-1011", "FET-1022", "FET-1023", "FET-1036", "FET-1042", "FM-5001", "FM-5002",
    ]

    static let documentedValues = [
        "SDK_NOT_INITIALIZED", "ALREADY_INITIALIZED", "INVALID_CONFIGURATION", "INVALID_REDIRECT_URI",
        "AUTHENTICATION_FAILED", "USER_ACCOUNT_LOCKED", "USER_ACCOUNT_DISABLED", "SESSION_EXPIRED", "MFA_REQUIRED",
        "MFA_FAILED", "INVALID_GRANT", "CONSENT_REQUIRED", "USER_ALREADY_EXISTS", "INVALID_INPUT",
        "INVITATION_CODE_INVALID", "INVITATION_CODE_EXPIRED", "REGISTRATION_DISABLED", "RECOVERY_FAILED",
        "CONFIRMATION_CODE_INVALID", "CONFIRMATION_CODE_EXPIRED", "PASSKEY_NOT_SUPPORTED",
        "PASSKEY_CANCELLED", "PASSKEY_NO_CREDENTIAL", "PASSKEY_FAILED", "NETWORK_ERROR",
        "REQUEST_TIMEOUT", "SERVER_ERROR", "UNKNOWN_ERROR",
    ]
}
