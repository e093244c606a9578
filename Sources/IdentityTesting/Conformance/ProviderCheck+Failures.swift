import Foundation
import IdentityKit

extension ProviderCheck {
    func offlineKeepsTheAccount() async throws {
        let goOffline = try means(subject.goOffline, "goOffline")
        let expire = try means(subject.expire, "expire")
        let account = try await subject.signIn()
        _ = try await token(account)
        try await goOffline()
        try await expire()
        let error = try await failure("accessToken without a network and with an expired token") {
            _ = try await token(account)
        }
        try expect(
            error.identityFailureClass == .transient,
            "the error is \(error.identityFailureClass.rawValue): \(error.identityMessage)")
        try await expectSilently({ $0 == account }) { "\($0?.id ?? "no account") is signed in afterwards" }
    }

    func revocationIsDefinitive() async throws {
        try requireRefresh()
        let revoke = try means(subject.revoke, "revoke")
        let expire = try means(subject.expire, "expire")
        let account = try await subject.signIn()
        _ = try await token(account)
        try await revoke()
        try await expire()
        let error = try await failure("accessToken of a revoked session") { _ = try await token(account) }
        try expect(
            error.identityFailureClass == .definitive,
            "the error is \(error.identityFailureClass.rawValue): \(error.identityMessage)")
        try await expectSilently({ $0 == nil }) { "\($0?.id ?? "") is still signed in" }
    }

    func errorsAreClassified() async throws {
        for error in try await provokedErrors() where !(error is CancellationError) {
            guard let failure = error as? any IdentityFailure else {
                throw BrokenRuleError(detail: "\(type(of: error)) is no IdentityFailure")
            }
            try expect(!failure.failureCode.isEmpty, "\(type(of: error)) has no code")
            try expect(
                !failure.failureCode.contains { $0.isWhitespace }, "\"\(failure.failureCode)\" is a text, not a code")
            try expect(!failure.message.isEmpty, "\(failure.failureCode) has no text")
        }
    }

    func noSecretShows() async throws {
        var texts: [String] = []
        for error in try await provokedErrors() {
            var dumped = ""
            dump(error, to: &dumped)
            texts += ["\(error)", String(reflecting: error), error.localizedDescription, dumped]
        }
        texts.append(await subject.log())
        let secrets = tokens.withLock { $0 }.union(subject.secrets).filter { $0.count > 3 }
        for text in texts {
            try expect(!secrets.contains(where: text.contains), "a token or a password shows in an error or in the log")
        }
    }

    /// The errors that can be provoked.
    private func provokedErrors() async throws -> [any Error] {
        var errors: [any Error] = []
        func provoke(_ body: () async throws -> Void) async {
            do { try await body() } catch { errors.append(error) }
        }
        if let stranger = try? stranger() { await provoke { _ = try await token(stranger) } }
        if let giveUp = subject.giveUpSignIn { await provoke { _ = try await giveUp() } }
        let account = try await subject.signIn()
        let refused = try await token(account)
        await provoke { _ = try await token(stranger(besides: account)) }
        if let scope = subject.missingScope { await provoke { _ = try await token(account, scopes: [scope]) } }
        if !subject.canRefresh {
            await provoke { _ = try await managed.accessToken(for: account, scopes: [], replacing: refused) }
        }
        try await subject.revoke?()
        try await subject.expire?()
        await provoke { _ = try await token(account) }
        try await subject.goOffline?()
        await provoke { _ = try await managed.accessToken(for: account, scopes: [], replacing: refused) }
        await provoke { _ = try await managed.signIn(scopes: [], deviceToken: Self.device) }
        if (try? managed) == nil {
            await provoke { _ = try await token(account) }
            await provoke { _ = try await subject.provider.activeAccount(scopes: [], deviceToken: Self.device) }
        }
        if let signOut = subject.signOut {
            await provoke { try await signOut(account) }
            await provoke { _ = try await token(account) }
        }
        return errors.filter { !($0 is MissingMeansError) && !($0 is BrokenRuleError) }
    }
}
