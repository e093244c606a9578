import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import IdentityKit

/// A value of every public type, with a secret in every place where one may be.
enum Specimens {
    static let date = Date(timeIntervalSince1970: 1_000_000_000)
    static let account = AccountID(account: "ada", realm: "work")
    static let store = MemoryTokenStore()

    /// The types that need no value here, and why.
    static let exempt = [
        "IdentityOAuth.Base64URL": "it has no values",
        "ThunderID.AppAttestation": "it has no values",
        "IdentityPresets.KnownProviders": "it has no values",
        "IdentitySwiftUI.SignInTheme": "only Apple's systems have it, and it holds colours and sizes",
        "IdentitySwiftUI.SignInModel": "only Apple's systems have it, and it keeps what is typed as `Secret`",
        "ThunderIDSwiftUI.DefaultStrings": "it has no values", "ThunderIDSwiftUI.LanguageName": "it has no values",
        "ThunderIDSwiftUI.ElementIdentifier": "it has no values",
        "ThunderIDSwiftUI.LogoIconCatalog": "it has no values",
        "ThunderIDSwiftUI.ProfileForm.Field": "it says what an attribute is called, and has no value of one",
        "IdentityPostgres.PostgresStorePlugin": "it has no values",
        "IdentityKit.DefaultTransport": "it has no values",
        "IdentityKit.DefaultWebAuthenticator": "it has no values",
        "IdentityKit.IdentityProviders": "it has no values",
        "IdentityKit.SystemWebAuthenticator": "Apple's systems alone have it; it holds nothing",
        "ThunderID.SystemPasskeyAuthenticator": "Apple's systems alone have it; it holds nothing",
        "InsForge.UserDefaultsAuthStorage": "it is deprecated, and holds nothing",
        "InsForge.InsForgeAuthState": "Apple's systems alone have it; it holds a client, which is here",
    ]

    static let credential = Credential(
        accessToken: Planted.secret, refreshToken: Planted.secret, idToken: Secret(Planted.token), scopes: ["email"],
        issuedAt: date, expiresAt: date, signedInAt: date, sessionEndsAt: date,
        backend: "https://user:\(Planted.text)@id.example.com", clientID: "app",
        profile: AccountProfile(displayName: "Ada", email: "ada@example.org", username: "ada", picture: nil),
        details: Planted.members)

    static let configuration = IdentityConfiguration(
        store: .file(folder: "/tmp/store", key: .keyFile(path: "/tmp/key")),
        providers: [
            ProviderConfiguration(
                name: "work", type: "openid-connect", settings: .object(Planted.members),
                silentDeadline: SilentDeadline(.seconds(1)))
        ])

    static let environment = IdentityEnvironment(store: store, variables: ["TOKEN": Planted.text])

    /// A store that holds a secret in the clear.
    private static func filledStore() async throws -> MemoryTokenStore {
        let store = MemoryTokenStore()
        try await store.write(Data(Planted.text.utf8), for: .account(account), replacing: 0)
        return store
    }

    static func identityKit() async throws -> [Any] {
        let store = try await filledStore()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("secrecy-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try values() + stores(store, folder) + chain(store) + clients(store)
    }

    private static func values() throws -> [Any] {
        let url = try #require(Planted.url)
        let field = SignInPrompt.Field(identifier: "password", label: "Password", kind: .password)
        let head = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
        let stream = HTTPStream(head: head, body: Data(Planted.text.utf8))
        let change = ConfigurationChange(from: configuration, to: configuration)
        var screen = SignInScreen()
        screen.backends = [SignInScreen.Backend(name: "work")]
        screen.people = [SignInScreen.Person(account: account, name: "Ada")]
        screen.values = ["password": Planted.secret]
        screen.problems = ["password": .needed]
        screen.notice = .offline
        return [
            screen, screen.rows(.english, at: date), ScreenTexts.english, SignInEngine(),
            SignInPrompt.Part.link("Terms", url: url), SignInPrompt.Part.picture(url),
            SignInPrompt.Part.textToCopy(Planted.secret), SignInPrompt.Field.Rule(lengths: 1...2),
            SignInRow.link("Terms", url: url), SignInRow.picture(url), SignInRow.copy(Planted.secret),
            Planted.secret, account, credential, configuration, environment, change, JSONValue.object(["a": 1]),
            AccountProfile(displayName: "Ada"), StoreConfiguration.memory, configuration.store,
            StoreConfiguration.Key.automatic, StoreProtection.keyFile,
            SignInPrompt(
                provider: "work", fields: [field], actions: [SignInPrompt.Action(identifier: "a", label: "b")]),
            NativeSignIn(vendor: "apple") { _ in NativeSignIn.Answer(token: Planted.secret) },
            NativeSignIn.Answer(token: Planted.secret, user: "ada", profile: AccountProfile(displayName: "Ada")),
            PromptAnswer(values: ["password": Planted.secret]),
            SignInRow.field(field, label: "Password", value: Planted.secret, problem: nil),
            WebAuthenticationRequest(url: url, redirectURI: url),
            DeviceCode(
                userCode: "ABCD", verificationURI: URL(fileURLWithPath: "/"), verificationURIComplete: nil,
                expiresAt: date),
            try ServerURL("https://id.example.com"), TimeSource.system, RandomSource.system,
            DefaultTransport.make(), URLSessionTransport(), stream, stream.body, stream.body.makeAsyncIterator(),
            try DataKey(), ReplayPolicy.window(.seconds(1)), ReplayPolicy.never,
            AccountSummary(
                account: account, profile: nil,
                session: .live(
                    AccountSummary.Details(
                        backend: "https://id.example.com", clientID: "app", providerType: "openid-connect",
                        tokenType: "Bearer", scopes: [], signedInAt: date,
                        expiresAt: date, canRefresh: true))),
            RefreshResult.refreshed(credential), RefreshResult.unusable(credential, ClientError.notConfigurable),
            RefreshVerification.verified(credential),
            PendingVerification(idToken: Planted.secret, sentAt: date, receivedAt: date, serverDate: date),
            RefreshMonitor(), SessionReport.refreshed(account), IdentityObservers(),
            ObservedEvent(.refreshEnded(account, .failed(TokenStoreError.locked(detail: "d")), duration: .seconds(1))),
            RefreshOutcome.stored, ObservedEvent(.refreshBegan(account)).details,
            StoreEvent(.conflict, .account(account)), StoreEvent.Kind.setAside, EventLevel.info,
            ExternalSession(source: "Elder", account: "ada", credential: credential) {},
            SessionImportResult.takenOver,
            SessionImportEvent(kind: .takenOver, source: "Elder", account: account), SessionImportEvent.Kind.takenOver,
            SessionBackend(origin: .anyone(at: Planted.url?.absoluteString ?? "")) { .refreshed($0) },
            RefreshContext(DefaultTransport.make()),
            IdentityEvent.configurationChanged(change), IdentityState.State.signedIn(account),
            AccountListing(), AccountLookup.absent(.sessionEnded("It has expired.")), AbsenceReason.signedOut,
            SessionFallback(from: account, reason: "It has expired."), SessionFallback.Cause.ended,
            CallerContext(scopes: ["openid"], deviceToken: "device"), PluginSetup(addressSetting: "baseURL"),
            AnonymousPlugin.Settings(token: Planted.secret),
            StaticTokenPlugin.Settings(token: Planted.secret, account: nil),
            EnvironmentTokenPlugin.Settings(variable: "TOKEN", account: nil),
            StoredAccountPlugin.Settings(backend: URL(fileURLWithPath: "/")),
            ProviderContext(name: "work", environment: environment), ProviderRegistry([StaticTokenPlugin.self]),
            TrustedCertificates([]), PublishedDocument.below("/config"),
            PublishedDocuments(at: URL(fileURLWithPath: "/"), [:]),
            Recognition(["issuer": "https://id.example.com"]), SettingQuestion("clientID", "The client."),
            SettingQuestion.Standard.answer("id"), RequestedSignIn.onAnotherDevice, SettingRule<String>.text,
            try SettingsReader(
                SettingsNode(value: ["key": .string(Planted.text)], keyPath: "a", texts: [], folder: nil, home: nil)),
            ExaminedServer(address: "https://user:\(Planted.text)@id.example.com"),
        ]
    }

    private static func stores(_ store: MemoryTokenStore, _ folder: URL) throws -> [Any] {
        let key = StoreKey.account(account)
        let record = StoreRecord(key: key, generation: 1, content: Data(Planted.text.utf8))
        return [
            store, key, StoreKey.Collection.accounts, record, StoreListing(records: [record], next: "1"),
            StoreChange(key: key, generation: 1, hasContent: true), StoreLeasing.untilProcessEnds,
            SealedTokenStore(store, storeID: "1", key: KeyFile(path: folder.path + "/key")),
            KeyFile(path: folder.path + "/key"), SecretServiceKey(),
            KeychainKey(FakeKeychain()), KeyProtection.biometry,
            GuardedKey(FakeKeychain(), guardian: FakeKeychain(), protection: .biometry),
            KeychainTokenStore(FakeKeychain(), service: "test"),
            try FileTokenStore(folder: folder, protection: .keyFile),
        ]
    }

    private static func chain(_ store: MemoryTokenStore) throws -> [Any] {
        let token = StaticTokenProvider(token: Planted.secret, account: account)
        let link = IdentityProviderChain.Link("work", token, silentDeadline: SilentDeadline(.seconds(1)))
        let attempt = ChainAttempt(
            provider: "work", question: .silent, outcome: .failed(TokenStoreError.locked(detail: "d")),
            duration: .seconds(1))
        return [
            token, link, SilentDeadline(.seconds(1)), attempt,
            try IdentityProviderChain([link], store: store),
            AnonymousProvider(name: "guest", token: Planted.secret, store: store),
            EnvironmentTokenProvider(account: account, variable: "TOKEN") { _ in Planted.text },
            StoredAccountProvider(realm: "work", backend: "https://id.example.com", store: store),
            ProviderOverride.only("work"), ChainEvent.attempt(attempt),
            ChainEvent.selectionChanged(SelectionChange(from: account, to: nil, reason: .signedOut)),
        ]
    }

    private static func clients(_ store: MemoryTokenStore) throws -> [Any] {
        let token = StaticTokenProvider(token: Planted.secret, account: account)
        let client = IdentityClient(provider: token, environment: environment)
        return [
            client, client.authorizer(), TerminationSignals(waitingFor: environment),
            ProviderSessions(
                realm: "work", origin: .anyone(at: Planted.url?.absoluteString ?? ""), store: store, time: .system
            ) { .refreshed($0) },
            SessionOrigin(type: "oidc", backend: Planted.url?.absoluteString ?? "", clientID: "app"),
        ]
    }

    /// A session of a client, which lives on the main actor.
    @MainActor static func observed() -> [Any] {
        [
            IdentityState(
                IdentityClient(
                    provider: StaticTokenProvider(token: Planted.secret, account: account), environment: environment))
        ]
    }
}
