import Foundation
import IdentityKit

extension ProviderCheck {
    func offlineKeepsTheAccount() async throws {
        let goOffline = try means(subject.goOffline, "goOffline", .server)
        let expire = try means(subject.expire, "expire", .refresh)
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
        let revoke = try means(subject.revoke, "revoke", .revocation)
        let expire = try means(subject.expire, "expire", .refresh)
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
        let provoked = try await provokeErrors()
        for error in provoked.errors where !(error is CancellationError) {
            guard let failure = error as? any IdentityFailure else {
                throw BrokenRuleError(detail: "\(type(of: error)) is no IdentityFailure")
            }
            try expect(!failure.failureCode.isEmpty, "\(type(of: error)) has no code")
            try expect(
                !failure.failureCode.contains { $0.isWhitespace }, "\"\(failure.failureCode)\" is a text, not a code")
            try expect(!failure.message.isEmpty, "\(failure.failureCode) has no text")
        }
        try provoked.requireAll()
    }

    func noSecretShows() async throws {
        let provoked = try await provokeErrors()
        var texts: [String] = []
        for error in provoked.errors {
            var dumped = ""
            dump(error, to: &dumped)
            texts += ["\(error)", String(reflecting: error), error.localizedDescription, dumped]
            texts += Self.bodies(in: error)
        }
        if let log = subject.log { texts.append(await log()) }
        var secrets = tokens.withLock { $0 }.union(subject.secrets).filter { $0.count > 3 }
        for message in subject.wire?.messages ?? [] { secrets.formUnion(message.secrets) }
        for text in texts {
            let shows = secrets.contains(where: text.contains)
            try expect(!shows, "a token, a password or a request's body shows in an error or in the log")
        }
        try provoked.requireAll()
        _ = try wire()
        if subject.lacks[.log] == nil { _ = try means(subject.log, "log", .log) }
    }

    /// Returns all data and request bodies inside `value` as texts, because a dump shows data as numbers.
    private static func bodies(in value: Any, depth: Int = 8) -> [String] {
        if let body = value as? Data ?? (value as? URLRequest)?.httpBody {
            return [String(decoding: body, as: UTF8.self)]
        }
        guard depth > 0 else { return [] }
        return Mirror(reflecting: value).children.flatMap { bodies(in: $0.value, depth: depth - 1) }
    }

    /// The errors that the provider threw. `missing` is the first reason why an error could not be provoked, such as an
    /// unset property of ``ProviderUnderTest``; `nil` if there is none.
    private struct Provoked {
        var errors: [any Error] = []
        var missing: MissingMeansError?

        /// Runs `body` and adds its error. Errors of the check itself are not added.
        mutating func collect(_ body: () async throws -> Void) async {
            do { try await body() } catch {
                if !(error is MissingMeansError || error is BrokenRuleError) { errors.append(error) }
            }
        }

        func requireAll() throws(MissingMeansError) {
            if let missing { throw missing }
            guard !errors.isEmpty else { throw MissingMeansError(detail: "nothing that was tried made it throw") }
        }
    }

    /// Makes the provider fail in each way that the rules describe, and collects its errors.
    private func provokeErrors() async throws -> Provoked {
        var provoked = Provoked()
        /// Returns `means`. If `means` is `nil` although `rule` applies, stores the reason in `provoked.missing`, unless an
        /// earlier reason is there.
        func means<Means>(
            _ means: Means?, _ name: String, for rule: ProviderRule, _ ability: ProviderAbility? = nil
        ) -> Means? {
            if means == nil, subject.reasonToLeaveOut(rule) == nil, provoked.missing == nil {
                do { _ = try self.means(means, name, ability) } catch { provoked.missing = error }
            }
            return means
        }
        do { provoked.errors += try await errorsOfGarble() } catch let error as MissingMeansError {
            provoked.missing = error
        }
        if let stranger = try? stranger() { await provoked.collect { _ = try await token(stranger) } }
        if let giveUp = means(subject.giveUpSignIn, "giveUpSignIn", for: .givingUpThrows) {
            await provoked.collect { _ = try await giveUp() }
        }
        let account = try await subject.signIn()
        let refused = try await token(account)
        await provoked.collect { _ = try await token(stranger(besides: account)) }
        if let scope = means(subject.missingScope, "missingScope", for: .missingScopeIsRefused, .scopes) {
            await provoked.collect { _ = try await token(account, scopes: [scope]) }
        }
        if subject.lacks[.refresh] != nil {
            await provoked.collect { _ = try await token(account, replacing: refused) }
        }
        try await means(subject.revoke, "revoke", for: .revocationIsDefinitive, .revocation)?()
        try await means(subject.expire, "expire", for: .expiredTokenIsRefreshed, .refresh)?()
        await provoked.collect { _ = try await token(account) }
        try await means(subject.goOffline, "goOffline", for: .offlineKeepsTheAccount, .server)?()
        await provokeErrorsOffline(of: account, replacing: refused, in: &provoked)
        return provoked
    }

    /// Collects the errors of token requests, sign-ins and a sign-out. Called after the server became unreachable, and also
    /// for a provider whose server the test cannot make unreachable.
    /// - Parameter refused: a token that the account got earlier.
    private func provokeErrorsOffline(
        of account: AccountID, replacing refused: String, in provoked: inout Provoked
    ) async {
        await provoked.collect { _ = try await token(account, replacing: refused) }
        await provoked.collect { _ = try await managed.signIn(scopes: [], deviceToken: Self.device) }
        if (try? managed) == nil {
            await provoked.collect { _ = try await token(account) }
            await provoked.collect {
                _ = try await subject.provider.activeAccount(scopes: [], deviceToken: Self.device)
            }
        }
        if let signOut = subject.signOut {
            await provoked.collect { try await signOut(account) }
            await provoked.collect { _ = try await token(account) }
        }
    }

    /// Returns the errors of a sign-in and of a refresh while an unrelated web page answers every request. Without
    /// ``ProviderUnderTest/expire``, only the sign-in is tried. Returns no errors if the provider lacks a server and the test
    /// sets no transport, or if the provider cannot be created from settings.
    private func errorsOfGarble() async throws -> [any Error] {
        guard let wire = try wire(), subject.lacks[.settings] == nil else { return [] }
        let configure = try means(subject.configure, "configure", .settings)
        let (first, second) = (try await configure(Self.otherName, nil), try await configure(Self.otherName, nil))
        var errors: [any Error] = []
        await wire.garbling {
            do { _ = try await first.activeAccount(scopes: [], deviceToken: Self.device) } catch {
                errors.append(error)
            }
        }
        guard let expire = subject.expire,
            let account = try await second.activeAccount(scopes: [], deviceToken: Self.device)
        else { return errors }
        try await expire()
        await wire.garbling {
            do { _ = try await second.accessToken(for: account, scopes: []) } catch { errors.append(error) }
        }
        return errors
    }
}
