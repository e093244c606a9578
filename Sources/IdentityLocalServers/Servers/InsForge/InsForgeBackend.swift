import Foundation
import IdentityKit

/// The state behind all endpoints: the project's rules, its users, and the issued codes and tokens.
public final class InsForgeBackend: LocalServerBackend {
    let configuration: Locked<LocalInsForgeServer.Configuration>
    let counters = Locked(LocalInsForgeServer.Counters())
    /// Scheme, host and port of this server.
    let origin: String
    let time: TimeSource

    let tokens: InsForgeTokenService
    let journal = TokenJournal()
    let users: InsForgeUserDirectory
    let mailer = InsForgeMailer()
    let mailCodes: InsForgeMailCodes
    let providers: InsForgeOAuthProviders
    let oauthCodes: InsForgeOAuthCodes
    let fakeProvider: FakeIdentityProvider
    let nativeIDTokens: NativeIDTokens
    let anonKeys: InsForgeAnonKeys
    let limits: InsForgeRateLimits

    /// - Throws: if a saved key is malformed, or an RSA key cannot be made.
    public init(
        configuration: LocalInsForgeServer.Configuration, origin: String, restoring saved: State?, time: TimeSource
    ) throws {
        self.origin = origin
        self.configuration = Locked(configuration)
        self.time = time
        tokens = try InsForgeTokenService(
            algorithm: configuration.accessTokenAlgorithm, secret: configuration.signingSecret,
            restoring: saved?.tokens, time: time)
        users = InsForgeUserDirectory(configuration.users, restoring: saved?.users, at: time.now)
        mailCodes = InsForgeMailCodes(time: time)
        providers = InsForgeOAuthProviders(
            builtIn: configuration.oAuthProviders, custom: configuration.customOAuthProviders, at: time.now)
        oauthCodes = InsForgeOAuthCodes(time: time)
        fakeProvider = FakeIdentityProvider(time: time)
        nativeIDTokens = try NativeIDTokens()
        anonKeys = InsForgeAnonKeys(configuration.anonKey, restoring: saved?.anonKeys, time: time)
        limits = InsForgeRateLimits(time: time)
    }

    var rules: LocalInsForgeServer.Configuration { configuration.withLock { $0 } }

    /// Throws unless the project allows redirects to `target`.
    func requireAllowed(redirect target: String) throws {
        guard RedirectAllowList(entries: rules.allowedRedirectURLs).allows(target) else {
            throw InsForgeServerError.redirectNotAllowed(target)
        }
    }
}

extension InsForgeBackend {
    /// Runs `body`. If `body` throws an ``InsForgeServerError``, records the error in the journal as a refusal to issue
    /// tokens.
    /// - Parameter email: the e-mail address in the request; `nil` if the request has none. The journal gets the identifier of
    ///   the user with this address, or the address itself if no user has it.
    func notingRefusal<Outcome>(of email: String? = nil, _ body: () throws -> Outcome) throws -> Outcome {
        do {
            return try body()
        } catch let failure as InsForgeServerError {
            let person = email.map { users.user(email: $0)?.id ?? $0 }
            journal.note(.refused, at: time.now, person: person, reason: RefusalReason.text(of: failure.response))
            throw failure
        }
    }
}
