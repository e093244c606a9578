import IdentityKit

extension ProviderCheck {
    /// A name that the provider under test does not have.
    static let otherName = "conformance-other"

    func realmsAreConfigured() async throws {
        let configure = try means(subject.configure, "configure", .settings)
        let other = try await configure(Self.otherName, nil)
        if let own = try? managed.realms, let other = other as? any AccountProvider {
            let shared = own.intersection(other.realms).sorted().joined(separator: ", ")
            try expect(shared.isEmpty, "providers of two names share the realm \(shared)")
            return
        }
        let account = try await subject.signIn()
        let same = try await other.activeAccount(scopes: [], deviceToken: Self.device)
        try expect(same != nil, "the provider of another name has no account after its sign-in")
        try expect(same?.realm != account.realm, "providers of two names share the realm \(account.realm)")
    }

    func plainHTTPIsRefused() async throws {
        let configure = try means(subject.configure, "configure", .settings)
        // Create a provider with an `https` address first, to prove that the later refusals are caused by `http`.
        _ = try await configure(Self.otherName, "https://conformance.invalid")
        for prefix in ["", "127.0.0.1.", "localhost."] {
            let host = prefix + "conformance.invalid"
            guard let provider = try? await configure(Self.otherName, "http://" + host) else { continue }
            let wire = try means(subject.wire, "wire", .server)
            _ = try? await provider.activeAccount(scopes: [], deviceToken: Self.device)
            try expect(!wire.messages.includesPlainHTTP(to: host), "a request went to http://\(host)")
        }
    }

    func sessionOutlivesRestart() async throws {
        let restart = try means(subject.restart, "restart", .storage)
        let account = try await subject.signIn()
        _ = try await token(account)
        let provider = try await restart()
        if let managed = provider as? any AccountProvider {
            let found = try await managed.silentAccount(scopes: [], deviceToken: Self.device).account
            try expect(found == account, "after a restart it finds \(found?.id ?? "no account") instead of \(account)")
        }
        do {
            let token = try await provider.accessToken(for: account, scopes: [])
            tokens.withLock { _ = $0.insert(token) }
        } catch {
            throw BrokenRuleError(detail: "after a restart there is no token: \(error.identityMessage)")
        }
    }
}
