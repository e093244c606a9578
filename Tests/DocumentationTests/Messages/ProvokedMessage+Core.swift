import Foundation
import IdentityCore

@testable import IdentityKit

extension ProvokedMessage {
    static let account = AccountID(account: "ada", realm: "work")
    static let date = Date(timeIntervalSince1970: 1_800_000_000)

    static func core() -> [any IdentityFailure] {
        let attempt = ChainAttempt(
            provider: "work", question: .silent, outcome: .failed(ChainLinkError.tooSlow(limit: .seconds(2))),
            duration: .seconds(2))
        return [
            MalformedTokenError(name: "access token"), RandomnessError(), SignInOptionsError(),
            ProviderError(underlying: MalformedTokenError(name: "token of the provider \"work\"")),
            ChainUsageError.unknownRealm(account, known: ["home"]),
            ChainUsageError.unknownProvider("wrok", known: ["home", "work"], namedBy: "SWIFT_IDENTITY_PROVIDER"),
            ChainUsageError.ambiguous("work"), ChainUsageError.foreignAccount(account, provider: "home"),
            ChainUsageError.excluded(provider: "home", override: "SWIFT_IDENTITY_PROVIDER=work"),
            ChainUsageError.providerVariableMissing(known: ["home", "work"]),
            ChainLinkError.tooSlow(limit: .seconds(2)), ChainLinkError.recentlyUnavailable(retryAfter: .seconds(30)),
            ChainError(attempts: [attempt], stoppedAt: "work", underlying: ChainLinkError.tooSlow(limit: .seconds(2))),
            ChainError(attempts: [], underlying: nil),
        ] + sessions()
    }

    private static func sessions() -> [any IdentityFailure] {
        let reason = "Nothing answers at id.example.com."
        return [
            SessionError.notSignedIn(account), SessionError.ended(account, reason: "this account no longer exists"),
            SessionError.belongsElsewhere(account, reason: "It belongs to https://old.example.com."),
            SessionError.suspended(
                account, Suspension("k", because: "This account is disabled.", retries: .hourly, at: date)),
            SessionError.cannotRefresh(account), SessionError.insufficientScope(account, missing: ["notes:read", "a"]),
            SessionError.refreshInProgress(account),
            SessionError.refreshPostponed(account, reason: reason, nextAttempt: date.addingTimeInterval(0.4)),
            SessionError.refreshRefused(account, reason: reason, nextAttempt: date.addingTimeInterval(0.4)),
            SessionError.clientRefused(account, reason: "The client is unknown.", nextAttempt: date),
            SessionError.stepUpNeeded(account, scopes: ["notes:read"], reason: reason, nextAttempt: date),
            SessionError.resourceNotGranted(
                account, resource: "https://api.example.com", reason: "It is unknown.", nextAttempt: date),
        ]
    }

    static func storing() -> [any IdentityFailure] {
        let (path, key) = ("/srv/example/state", StoreKey(.accounts, "work:ada"))
        return [
            TokenStoreError.locked(detail: "the device has not been unlocked since it started."),
            TokenStoreError.keyUnavailable(home: "the Keychain", detail: "there is no such item"),
            TokenStoreError.sealedWithOtherKey(path: path, home: "the Keychain"),
            TokenStoreError.unreadable(path: path, detail: "it is a file"),
            TokenStoreError.corrupt(path: path, detail: "its end is missing"),
            TokenStoreError.corrupt(path: path + "/store.json", detail: "it does not describe a token store"),
            TokenStoreError.notWritable(path: path, detail: "the file system is read-only"),
            TokenStoreError.full(path: path), TokenStoreError.tooLarge(size: 1_100_000, limit: 1_048_576),
            TokenStoreError.insecure(path: path, detail: "other users can open it; its mode must be 0700"),
            TokenStoreError.tooNew(path: path, version: 9), TokenStoreError.conflict(key, current: 2),
            TokenStoreError.busy(path: path),
            TokenStoreError.unavailable(place: "postgres://db.example.com/app", detail: "nothing answers"),
            TokenStoreError.unsupported(detail: "it needs a Keychain"),
            PrivateFolderError.inUse(path: path),
            PrivateFolderError.notPrivate(path: path, detail: "other users can write it"),
            PrivateFolderError.unreadable(path: path, detail: "it is a file"),
            PrivateFolderError.notWritable(path: path, detail: "the file system is read-only"),
        ]
    }

    static func kit() -> [any IdentityFailure] {
        transports() + [
            WebAuthenticationError.unsupportedRedirect("its scheme \"javascript\" is none of an app"),
            WebAuthenticationError.noWindow, WebAuthenticationError.notStarted,
            WebAuthenticationError.failed("the page was not found"),
            LoopbackBrowserError.portTaken(8080), LoopbackBrowserError.portNotAllowed(80),
            LoopbackBrowserError.noAddress("::1"),
            LoopbackBrowserError.unreachableRedirect("http://app.example.com/cb"),
            LoopbackBrowserError.cannotListen(errno: 24), LoopbackBrowserError.timedOut(seconds: 300, strays: 0),
            LoopbackBrowserError.timedOut(seconds: 300, strays: 1),
            LoopbackBrowserError.timedOut(seconds: 300, strays: 2),
            SessionImportError.unreadable(source: "AppAuth", detail: "it is no property list"),
            SessionImportError.unsupported(source: "AppAuth", detail: "it has no refresh token"),
            SessionImportError.foreign(source: "AppAuth", reason: "It belongs to the client \"old\"."),
            SessionImportError.occupied(account), UnsentRevocationError.erased, UnsentRevocationError.expired,
            UnsentRevocationError.replaced,
            ForeignSessionError(account: account, otherOrigin: "belongs to https://old.example.com"),
            IssuerPause.AskedToWaitError(), SessionChangedError(SessionNumber(1, of: account)),
            UnreadableChoiceError(accounts: [account]),
            FixedTokenError.rejected(provider: "ci", hint: "Set CI_TOKEN anew."),
            FixedTokenError.missing(provider: "ci", hint: "Set CI_TOKEN."), FixedTokenError.notSignedIn(account),
            StoredAccountError.refreshesElsewhere(realm: "work"),
            NothingConfiguredError(gaps: "work: CLIENT_ID is not set"), ClientError.notSignedIn(""),
            ClientError.notSignedIn("work: nobody has signed in"), ClientError.insecureRequest("api.example.com"),
            ClientError.notConfigurable, ClientError.accountRequired,
            ClientError.otherAccount(account, insteadOf: AccountID(account: "grace", realm: "work")),
            ClientError.severalAccounts(
                [account, AccountID(account: "grace", realm: "work")], host: "api.example.com"),
            ClientError.notDestination(account, host: "api.example.com"),
            ClientError.unclearAddress(host: "api.example.com"), ClientError.cannotDelegate("work"),
        ]
    }

    private static func transports() -> [any IdentityFailure] {
        let host = "id.example.com"
        let untrusted = CertificateDefect.allCases.map { TransportError.untrustedCertificate(host: host, $0) }
        return untrusted + [
            TransportError.connectionRefused(host: host), TransportError.hostUnreachable(host: host),
            TransportError.notSentInTime(host: host), TransportError.timedOut(host: host, after: .milliseconds(2400)),
            TransportError.connectionLost(host: host),
            TransportError.proxiedLoopback(host: "127.0.0.1:8080", variable: "http_proxy"),
            TransportError.privateAddress(host: "10.0.0.7"),
            TransportError.insecureConnection(host: host, detail: "routines::wrong version number"),
            TransportError.insecureConnection(host: host, detail: "no common cipher"),
            TransportError.responseTooLarge(host: host, limit: 1_048_576),
            TransportError.notSent(host: host, detail: "the proxy refused it"),
            TransportError.other(host: host, detail: "the stream was reset"),
            ServerURLError.empty, ServerURLError.notAbsolute("id.example.com"),
            ServerURLError.insecure("http://id.example.com"),
            ServerURLError.loopbackHTTPNotAllowed("http://127.0.0.1:8080"), ServerURLError.containsCredentials,
            ServerURLError.containsQueryOrFragment, ServerURLError.noPort(99999),
            TrustedCertificatesError.notACertificate, TrustedCertificatesError.unreadable(path: "/srv/example/own.pem"),
            TrustedCertificatesError.unsupported,
        ]
    }

    static func configuration() -> [any IdentityFailure] {
        let (path, key) = ("/srv/example/identity.json", "providers[0].settings.issuer")
        let errors: [ConfigurationError] = [
            .fileMissing(path: path), .fileUnreadable(path: path, detail: "It is a folder."),
            .fileInsecure(path: path, detail: "other users can write it"),
            .fileInsecure(path: path, detail: "it belongs to another user"),
            .notADocument(detail: "The file is empty."), .missingKey(keyPath: "store.folder"),
            .missingKey(keyPath: key, misspelling: "isuer"),
            .unknownKey(keyPath: "providers[0].settings.isuer", known: ["clientID", "issuer"]),
            .wrongType(keyPath: key, expected: "a text", found: "a number"),
            .invalidValue(keyPath: key, reason: "It must be an https URL."),
            .unknownProviderType(keyPath: "providers[0].type", type: "oath2", registered: ["oauth2", "static"]),
            .unknownProviderType(
                keyPath: "providers[0].type", type: "oidc", registered: ["openid-connect"], meant: "openid-connect"),
            .unknownStoreType(keyPath: "store.type", type: "fiel", registered: ["file", "memory"]),
            .missingVariable(keyPath: key, name: "ISSUER"), .unknownProfile("wrok", known: ["home", "work"]),
            .unknownOverride(variable: "SWIFT_IDENTITY__WROK__ISSUER", known: ["work"]), .storeChanged,
            .repeatedKey(keyPath: key), .emptyVariable(keyPath: key, name: "ISSUER"),
            .profileNotChosen(known: ["home", "work"]),
            .located(.file(path: path, line: 4, column: 9), .repeatedKey(keyPath: key)),
            .located(
                .variable("SWIFT_IDENTITY__WORK__ISSUER"),
                .invalidValue(keyPath: key, reason: "It must be an https URL.")),
        ]
        return errors
    }
}
