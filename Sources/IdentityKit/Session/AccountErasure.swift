import Foundation

extension TokenStore {
    /// Erases the records of `account` and their quarantined copies, for ``IdentityClient/eraseAccount(_:)``. Tokens are not
    /// revoked: sign out first. Damaged revocations are erased too, because nobody can send them or read whom they name.
    /// - Parameters:
    ///   - account: the account.
    ///   - reportUnsent: called for each erased revocation of `account` of which the server was not told.
    /// - Throws: ``/IdentityCore/TokenStoreError``, also when another record that may name `account` cannot be read, or
    ///   `CancellationError`. After an error, call this function again to continue.
    package func eraseAccount(_ account: AccountID, _ reportUnsent: () -> Void = {}) async throws {
        let session = try? await record(for: .account(account)).flatMap { try SessionRecord($0)?.credential }
        let own = [StoreKey.account(account), RefreshIntents.key(account)] + RefreshIntents.keys(ofGrants: session)
        for key in own + own.map(\.inQuarantine) { try await eraseCompletely(key) }
        var failure: TokenStoreError?
        for collection in [.currentAccounts, .pauses, .revocations, .pendingFlows] as [StoreKey.Collection] {
            var listing = try await records(in: collection)
            let isDamaged = listing.failures.contains { if case .corrupt = $0 { true } else { false } }
            if collection == .revocations, isDamaged {
                try await eraseDamagedRevocations(beside: listing.records)
                listing = try await records(in: collection)
            }
            // An unfinished sign-in that cannot be opened stays. As an error it would make every later erasure fail too.
            if collection == .pendingFlows { listing.failures.removeAll(where: \.isAboutContent) }
            failure = failure ?? listing.failures.first
            for record in listing.records where record.names(account) {
                let found = try await update(record.key) { $0?.names(account) == true ? .replace(nil) : .keep }
                if collection == .revocations, found?.names(account) == true { reportUnsent() }
            }
        }
        await writeCurrentAgain(of: account)
        if let failure { throw failure }
    }

    private func eraseCompletely(_ key: StoreKey) async throws {
        try await SessionAction.erase.whileWriting { try await (sealedRecords ?? self).erase(key) }
        try layer(FileTokenStore.self)?.removeQuarantined(key)
        try await layer((any RemovingTokenStore).self)?.forget(key)
    }

    /// Erases the damaged revocations. A listing does not name them, so every slot that is missing in it is read.
    private func eraseDamagedRevocations(beside sound: [StoreRecord]) async throws {
        let known = Set(sound.map(\.key))
        for key in RevocationOutbox.slots where !known.contains(key) {
            do {
                _ = try await record(for: key)
            } catch TokenStoreError.corrupt {
                // The slot is free as soon as the damaged record is set aside, and another process may use it, so erase only
                // the copy.
                try await quarantine(key)
                try layer(FileTokenStore.self)?.removeQuarantined(key)
                try await eraseCompletely(key.inQuarantine)
            } catch let error as CancellationError {
                throw error
            } catch {
                // The error is in the listing, and is thrown when everything else is erased.
            }
        }
    }

    /// Erases a record, unless it is erased already. A damaged record is moved to the quarantine first.
    func erase(_ key: StoreKey) async throws {
        try await update(key, settingDamagedAside: true) { $0?.content == nil ? .keep : .replace(nil) }
    }

    /// Erases the notes of the last refreshes (``RefreshIntent``), which are useless without their session. Errors are ignored,
    /// because a note that is not erased does not affect a later session.
    /// - Parameter former: the former credential, whose further grants have notes of their own; `nil` if it is unknown.
    func eraseNotes(of account: AccountID, _ former: Credential?) async {
        for key in [RefreshIntents.key(account)] + RefreshIntents.keys(ofGrants: former) {
            try? await (sealedRecords ?? self).erase(key)
        }
    }
}

extension StoreKey {
    /// The key under which a damaged record with this key is quarantined.
    var inQuarantine: StoreKey { StoreKey(.quarantine, "\(collection.rawValue)/\(name)") }
}

extension StoreRecord {
    fileprivate func names(_ account: AccountID) -> Bool {
        guard let value = content.flatMap({ try? JSONValue(reading: $0) }) else { return false }
        guard key.collection == .pendingFlows else { return value.names(account) }
        // A flow that extends a session names its account without the realm. A sign-out ends such flows in all realms.
        return value["subject"]?.stringValue?.hasBytes(of: account.account) == true
    }
}

extension JSONValue {
    fileprivate func names(_ account: AccountID) -> Bool {
        switch self {
        case .string(let text): text.hasBytes(of: account.id)
        case .array(let values): values.contains { $0.names(account) }
        case .object(let members):
            members["account"]?.stringValue?.hasBytes(of: account.account) == true
                && members["realm"]?.stringValue?.hasBytes(of: account.realm) == true
                || members.values.contains { $0.names(account) }
        case .null, .bool, .integer, .number: false
        }
    }
}
