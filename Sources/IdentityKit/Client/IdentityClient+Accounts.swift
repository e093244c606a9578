import Foundation

/// A summary of an account in the store, for a list from which a person chooses. Contains no secrets.
public struct AccountSummary: Sendable, Equatable {
    public let account: AccountID
    /// The account's name, e-mail address and picture; `nil` when the backend sent none.
    public let profile: AccountProfile?
    public let session: Session

    /// The state of an account's session.
    public enum Session: Sendable, Equatable {
        /// The session can be used.
        case live(Details)
        /// The session is suspended: it cannot be refreshed, usually until a new sign-in. The tokens are kept.
        case suspended(Details, Suspension)
        /// The session has ended, for example because the backend ended it or because it has expired. The text is the reason.
        case ended(reason: String)
        /// The session belongs to another configuration, which the text names. It is kept for that configuration.
        case kept(Details, reason: String)
    }

    /// The details of a session whose tokens are kept: a live, a suspended, or another configuration's session.
    public struct Details: Sendable, Equatable {
        /// The base URL of the backend.
        public let backend: String
        /// The OAuth client to which the session was issued; `nil` for a backend without clients.
        public let clientID: String?
        /// The type of the provider that began the session; `nil` when the session names none.
        public let providerType: String?
        /// The type of the access token: `Bearer`, or `DPoP` for one that is bound to a key (RFC 9449).
        package let tokenType: String
        /// The granted scopes; empty for a backend without scopes.
        public let scopes: Set<String>
        public let signedInAt: Date
        /// When the access token expires; `nil` when that is unknown.
        public let expiresAt: Date?
        /// Whether the session has a refresh token, so that it can be refreshed after its access token has expired.
        package let canRefresh: Bool
        /// The members of the token response that the provider keeps for the app (``Credential/responseDetails``).
        public internal(set) var responseDetails: [String: JSONValue] = [:]
        /// The issue date of the newest token for each resource, by the resource's identifier. The session's own access token
        /// is not included.
        package internal(set) var resources: [String: Date] = [:]
    }
}

/// All accounts of a store, or one page of them.
public struct AccountListing: Sendable, Equatable {
    /// The accounts whose records could be read.
    public var accounts: [AccountSummary]
    /// An error for each record that could not be read. The sessions of such records are missing in ``accounts``.
    public var failures: [TokenStoreError]
    /// The position of the next page, for ``IdentityClient/accounts(after:limit:)``; `nil` when there are no more accounts.
    public var next: String?

    package init(accounts: [AccountSummary] = [], failures: [TokenStoreError] = [], next: String? = nil) {
        self.accounts = accounts
        self.failures = failures
        self.next = next
    }
}

extension IdentityClient {
    /// Returns the accounts of the store that have a session, live or ended. Without arguments, returns every account, sorted
    /// by realm and then by identifier. With `position` or `limit`, returns one page, in the order of the store. Sends no
    /// request.
    ///
    /// A damaged record does not prevent the listing of other accounts: its error is one of ``AccountListing/failures``.
    /// - Parameters:
    ///   - position: ``AccountListing/next`` of the page before; `nil` to begin with the first account.
    ///   - limit: the largest number of accounts on the page; `nil` for every account that follows. A number below one
    ///     counts as one.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the store cannot be read.
    public func accounts(after position: String? = nil, limit: Int? = nil) async throws -> AccountListing {
        if position == nil, limit == nil {
            var all = summaries(
                of: try await ProviderError.classifying { try await environment.store.records(in: .accounts) })
            all.accounts.sort { $0.account < $1.account }
            return all
        }
        let limit = max(limit ?? Int.max, 1)
        var page = AccountListing(next: position)
        repeat {
            // Signed-out accounts are skipped, so one page may need several pages of the store.
            let (position, open) = (page.next, min(limit - page.accounts.count, 1000))
            let records = try await ProviderError.classifying {
                try await environment.store.page(of: .accounts, after: position, limit: open)
            }
            let found = summaries(of: records)
            page.accounts += found.accounts
            page.failures += found.failures
            page.next = records.next
        } while page.next != nil && page.accounts.count < limit
        return page
    }

    private func summaries(of records: StoreListing) -> AccountListing {
        let now = environment.time.now
        var listing = AccountListing(failures: records.failures)
        for record in records.records {
            do throws(TokenStoreError) {
                guard let summary = try AccountSummary(record, at: now, chain.origin(ofRealm:)) else { continue }
                listing.accounts.append(summary)
            } catch {
                listing.failures.append(error)
            }
        }
        return listing
    }

    /// Returns the summary of `account`; `nil` when the account never signed in, or has signed out. Sends no request.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the record cannot be read.
    public func summary(of account: AccountID) async throws -> AccountSummary? {
        let now = environment.time.now
        return try await ProviderError.classifying { try await environment.store.record(for: .account(account)) }
            .flatMap { try AccountSummary($0, at: now, chain.origin(ofRealm:)) }
    }

    /// Returns the accounts of an encrypted store. The store's key is not needed, because the names of the records identify the
    /// accounts. All sessions count as ended, because the records are not decrypted.
    /// - Returns: `nil` for a store that is not encrypted.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the store cannot be read.
    package func sealedAccounts() async throws -> AccountListing? {
        let sealed = try await ProviderError.classifying { try await environment.store.sealedAccounts() }
        guard let sealed else { return nil }
        let reason = "Its record cannot be read without the store's key."
        return AccountListing(
            accounts: sealed.accounts.map {
                AccountSummary(account: $0, profile: nil, session: .ended(reason: reason))
            },
            failures: sealed.failures)
    }

    /// Attempts the due revocations of earlier sign-outs, and waits for these attempts for `limit` at most.
    package func deliverRevocations(within limit: Duration) async {
        let sessions = chain.allSessions
        try? await Deadline.run(limit, on: environment.time, orThrow: CancellationError()) {
            await withTaskGroup(of: Void.self) { group in
                for sessions in sessions { group.addTask { await sessions.deliverRevocations() } }
            }
        }
    }

    /// The client's providers in their order, including excluded ones. Cast a link's provider to use features of its type.
    public var links: [IdentityProviderChain.Link] { chain.links }

    /// Whether a configured provider has the realm of `account`.
    public func serves(_ account: AccountID) -> Bool { link(of: account) != nil }

    /// The provider that has the realm of `account`, also one that the override excludes; `nil` when there is none.
    package func link(of account: AccountID) -> IdentityProviderChain.Link? { chain.link(ofRealm: account.realm) }

    /// Looks up an account silently at every provider, for diagnosis. Chooses no account.
    /// - Returns: one attempt for each provider in order, then one for each provider that the override excludes.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the device's identifier cannot be read, or an error with the
    ///   code `randomness_unavailable` when none is stored and none can be made.
    public func explain(scopes: Set<String> = []) async throws -> [ChainAttempt] {
        await chain.explain(scopes: scopes, deviceToken: try await context(scopes).deviceToken)
    }
}

extension AccountSummary {
    /// Makes the summary of a record; `nil` when its account signed out, or its name is not that of an account.
    /// - Parameter origin: returns the configured origin of the sessions of a realm, or `nil` when the realm has none.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the content of the record cannot be read.
    package init?(
        _ record: StoreRecord, at now: Date, _ origin: (String) -> SessionOrigin? = { _ in nil }
    ) throws(TokenStoreError) {
        guard let account = AccountID(id: record.key.name) else { return nil }
        switch try SessionRecord(record) {
        case .live(let credential):
            let session: Session =
                if credential.hasEnded(at: now) {
                    .ended(reason: credential.reasonOfEnd(at: now))
                } else if let objection = origin(account.realm)?.objection(to: credential) {
                    .kept(Details(credential), reason: objection)
                } else if let suspension = credential.suspension {
                    .suspended(Details(credential), suspension)
                } else {
                    .live(Details(credential))
                }
            self.init(account: account, profile: credential.profile, session: session)
        case .ended(let session):
            self.init(account: account, profile: session.profile, session: .ended(reason: session.endReason))
        case nil: return nil
        }
    }
}

extension AccountSummary.Details {
    fileprivate init(_ credential: Credential) {
        self.init(
            backend: credential.backend, clientID: credential.clientID, providerType: credential.providerType,
            tokenType: credential.tokenType, scopes: credential.scopes, signedInAt: credential.signedInAt,
            expiresAt: credential.expiresAt, canRefresh: credential.refreshToken != nil,
            responseDetails: credential.responseDetails,
            resources: Dictionary(
                credential.allTokens.compactMap { token in token.key.map { ($0.resource, token.issuedAt) } },
                uniquingKeysWith: max))
    }
}

extension IdentityProviderChain {
    fileprivate var allSessions: [ProviderSessions] {
        links.flatMap { $0.chain?.allSessions ?? [$0.provider.storedSessions].compactMap(\.self) }
    }

    /// The configured origin of the stored sessions of `realm`; `nil` when no ``SessionBackedProvider`` has this realm.
    fileprivate func origin(ofRealm realm: String) -> SessionOrigin? {
        guard let link = link(ofRealm: realm) else { return nil }
        if let chain = link.chain { return chain.origin(ofRealm: realm) }
        return link.provider.storedSessions.flatMap { $0.realm.hasBytes(of: realm) ? $0.records.origin : nil }
    }

    /// The stored sessions of the provider of `account`. `nil` when the provider is no ``SessionBackedProvider``, when
    /// no provider has the account's realm, or when the override excludes the provider.
    func sessions(of account: AccountID) -> ProviderSessions? {
        guard let link = try? route(to: account).link else { return nil }
        return link.chain?.sessions(of: account) ?? link.provider.storedSessions
    }
}

extension AccountProvider {
    /// The provider's stored sessions; `nil` when it keeps none in the store.
    fileprivate var storedSessions: ProviderSessions? { (self as? any SessionBackedProvider)?.sessions }
}
