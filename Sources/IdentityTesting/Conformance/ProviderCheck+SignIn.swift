import IdentityKit

extension ProviderCheck {
    func absenceIsNoError() async throws {
        let account = try await silentAccount()
        try expect(account == nil, "a fresh provider says that \(account?.id ?? "") is signed in")
    }

    func silenceShowsNothing() async throws {
        let interactions = try interactions()
        do { _ = try await silentAccount() } catch {}
        try expect(await interactions() == 0, "something was shown before the sign-in")
        let account = try await subject.signIn()
        let shown = await interactions()
        _ = try await silentAccount()
        _ = try await silentAccount(account)
        _ = try await token(account)
        try expect(await interactions() == shown, "something was shown after the sign-in")
    }

    func signInIsFound() async throws {
        let interactions = try interactions()
        let account = try await subject.signIn()
        let shown = await interactions()
        if (try? managed) != nil {
            let found = try await silentAccount()
            try expect(found == account, "silentAccount finds \(found?.id ?? "no account") instead of \(account)")
            let same = try await silentAccount(account)
            try expect(same == account, "silentAccount(_:) finds \(same?.id ?? "no account") instead of \(account)")
        }
        let active = try await subject.provider.activeAccount(scopes: [], deviceToken: Self.device)
        try expect(active == account, "activeAccount returns \(active?.id ?? "no account") instead of \(account)")
        try expect(await interactions() == shown, "activeAccount signs in again")
    }

    func accountsAreItsOwn() async throws {
        let realms = try? managed.realms
        try expect(realms?.isEmpty != true, "it has no realm")
        let account = try await subject.signIn()
        // A provider chain accepts any realm of a provider that does not declare its realms.
        let isOwn = realms?.containsBytes(of: account.realm) ?? !account.realm.isEmpty
        try expect(isOwn, "\(account) is none of \((realms ?? []).sorted().joined(separator: ", "))")
        try expect(!account.account.isEmpty, "the account has no identifier")
        try expect(AccountID(id: account.id) == account, "\(account.id) does not name the account")
    }

    func givingUpThrows() async throws {
        let giveUp = try means(subject.giveUpSignIn, "giveUpSignIn", .signIn)
        do {
            let account = try await giveUp()
            throw BrokenRuleError(detail: "it returns \(account?.id ?? "nil"), so a chain would ask the next provider")
        } catch let broken as BrokenRuleError {
            throw broken
        } catch {
            let account = try? await silentAccount()
            try expect(account == nil, "\(account?.id ?? "") is signed in all the same")
        }
    }

    func signOutEnds() async throws {
        let signOut = try means(subject.signOut, "signOut")
        let account = try await subject.signIn()
        _ = try await token(account)
        try await signOut(account)
        try await expectSilently({ $0 != account }) { _ in "\(account) is still found" }
        _ = try await failure("accessToken after the sign-out") { _ = try await token(account) }
        try await signOut(account)
    }

    func signOutWorksOffline() async throws {
        let signOut = try means(subject.signOut, "signOut")
        let goOffline = try means(subject.goOffline, "goOffline", .server)
        let account = try await subject.signIn()
        try await goOffline()
        try await signOut(account)
        try await expectSilently({ $0 != account }) { _ in "\(account) is still found" }
    }
}
