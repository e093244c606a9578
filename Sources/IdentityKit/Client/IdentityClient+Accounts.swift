import Foundation

/// An account of the store, for a list to choose from. It holds no secret.
public struct AccountSummary: Sendable, Equatable {
    public let account: AccountID
    /// Name and address; `nil` when the backend sent none.
    public let profile: AccountProfile?
    public let session: Session

    /// The state of an account's session.
    public enum Session: Sendable, Equatable {
        /// The session can be used.
        case live(Details)
        /// The tokens are kept, and a sign-in is needed.
        case suspended(Details, Suspension)
        /// The backend ended the session, or it has expired; the text says which.
        case ended(reason: String)
        /// The session belongs to another configuration (``SessionOrigin``), which the text names, and is kept for it.
        case kept(Details, reason: String)
    }

    /// A live session.
    public struct Details: Sendable, Equatable {
        /// The base URL of the backend.
        public let backend: String
        /// The OAuth client to which the session was issued; `nil` for a backend without clients.
        public let clientID: String?
        /// The type of the provider that began the session; `nil` for a session of ``SessionOrigin/anyone(at:)``.
        public let providerType: String?
        /// The type of the access token: `Bearer`, or `DPoP` for one that is bound to a key (RFC 9449).
        public let tokenType: String
        /// The granted scopes; empty for a backend without scopes.
        public let scopes: Set<String>
        public let signedInAt: Date
        /// When the access token expires; `nil` when that is unknown.
        public let expiresAt: Date?
        /// Whether the session can be refreshed after its access token has expired.
        public let canRefresh: Bool
        /// Members that the provider keeps of the token response for the app (``Credential/responseDetails``).
        public internal(set) var responseDetails: [String: JSONValue] = [:]
        /// Issue dates of the session's tokens for other resources, by resource.
        package internal(set) var resources: [String: Date] = [:]
    }
}

/// The accounts of a store, or some of them.
public struct AccountListing: Sendable, Equatable {
    /// The accounts whose records could be read.
    public var accounts: [AccountSummary]
    /// An error for each record that could not be read. Their accounts are unknown.
    public var failures: [TokenStoreError]
    /// The argument of ``IdentityClient/accounts(after:limit:)`` for the next page; `nil` when there are no more.
    public var next: String?

    public init(accounts: [AccountSummary] = [], failures: [TokenStoreError] = [], next: String? = nil) {
        self.accounts = accounts
        self.failures = failures
        self.next = next
    }
}

extension IdentityClient {
    /// Every account of the store with a session, also an ended one, in alphabetical order. No request is sent.
    ///
    /// A record that is damaged keeps no other account from the list: it is one of ``AccountListing/failures``.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the store cannot be read.
    public func accounts() async throws -> AccountListing {
        var accounts = summaries(
            of: try await ProviderError.classifying { try await environment.store.records(in: .accounts) })
        accounts.accounts.sort { $0.account < $1.account }
        return accounts
    }

    /// A page of the accounts that ``accounts()`` lists, in an order that the store chooses, for an interface that
    /// cannot show all of very many. No request is sent.
    /// - Parameters:
    ///   - position: ``AccountListing/next`` of the page before; `nil` for the first page.
    ///   - limit: the largest number of accounts; at least one.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the store cannot be read.
    public func accounts(after position: String? = nil, limit: Int) async throws -> AccountListing {
        var page = AccountListing(next: position)
        repeat {
            // Signed-out accounts are skipped, so one page may need several pages of the store.
            let (position, open) = (page.next, max(limit, 1) - page.accounts.count)
            let records = try await ProviderError.classifying {
                try await environment.store.page(of: .accounts, after: position, limit: open)
            }
            let found = summaries(of: records.listing)
            page.accounts += found.accounts
            page.failures += found.failures
            page.next = records.next
        } while page.next != nil && page.accounts.count < max(limit, 1)
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

    /// An account of the store; `nil` when it never signed in, or has signed out. No request is sent.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the record cannot be read.
    public func summary(of account: AccountID) async throws -> AccountSummary? {
        let now = environment.time.now
        return try await ProviderError.classifying { try await environment.store.record(for: .account(account)) }
            .flatMap { try AccountSummary($0, at: now, chain.origin(ofRealm:)) }
    }

    /// The accounts of ``accounts()`` without the store's key, by their names alone; `nil` for a store that is not sealed.
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

    /// Waits for the due revocations of earlier sign-outs to be attempted, for `limit` at most.
    package func deliverRevocations(within limit: Duration) async {
        let sessions = chain.allSessions
        try? await Deadline.run(limit, on: environment.time, orThrow: CancellationError()) {
            await withTaskGroup(of: Void.self) { group in
                for sessions in sessions { group.addTask { await sessions.deliverRevocations() } }
            }
        }
    }

    /// The providers of the current configuration in their order, for access to features beyond the common protocol.
    public var links: [IdentityProviderChain.Link] { chain.links }

    /// Whether a configured provider has the realm of `account`.
    public func serves(_ account: AccountID) -> Bool { chain.realms.containsBytes(of: account.realm) }

    /// The result of a silent lookup at every provider, for diagnosis. No account is chosen.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the device's identifier cannot be read.
    public func explain(scopes: Set<String> = []) async throws -> [ChainAttempt] {
        await chain.explain(scopes: scopes, deviceToken: try await context(scopes).deviceToken)
    }
}

extension AccountSummary {
    /// Makes the summary of a record; `nil` for an account that signed out.
    /// - Parameter origin: the configured origin of the sessions of a realm, if there is one.
    package init?(
        _ record: StoreRecord, at now: Date, _ origin: (String) -> SessionOrigin? = { _ in nil }
    ) throws(TokenStoreError) {
        guard let account = AccountID(id: record.key.name) else { return nil }
        switch try SessionRecord(record) {
        case .live(let credential):
            let session: Session =
                if credential.hasEnded(at: now) {
                    .ended(reason: credential.reasonOfEnd(at: now).text)
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

    /// Configured origin of the stored sessions of `realm`; `nil` when no ``SessionBackedProvider`` has this realm.
    fileprivate func origin(ofRealm realm: String) -> SessionOrigin? {
        allSessions.first { $0.realm.hasBytes(of: realm) }?.records.origin
    }

    /// The stored sessions of the provider of `account`; `nil` when that is no ``SessionBackedProvider``.
    func sessions(of account: AccountID) -> ProviderSessions? {
        guard let link = try? route(to: account).link else { return nil }
        return link.chain?.sessions(of: account) ?? link.provider.storedSessions
    }
}

extension AccountProvider {
    /// The provider's stored sessions; `nil` when it keeps none in the store.
    fileprivate var storedSessions: ProviderSessions? { (self as? any SessionBackedProvider)?.sessions }
}
