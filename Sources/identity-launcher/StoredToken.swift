import IdentityStoreFormat

struct StoredToken {
    /// The result of looking for a token in the store.
    enum Finding {
        /// A token that needs no refresh yet.
        case fresh(StoredToken)
        /// A session whose token should be refreshed. The token can still be used while another process refreshes it; `nil`
        /// if it has expired, is about to expire, or was refreshed and has not been verified yet.
        case due(StoredToken?)
        /// No result. Only the full tool (``Tool``) can execute the command.
        case unknown
    }

    private let document: TokenDocument

    static func find(for command: TokenCommandLine, at place: TokenShortcut.Place) -> Finding {
        let now = Date()
        guard let content = try? FileContent(ofOwner: place.file).bytes,
            let shortcut = TokenShortcut(content), TokenStoreFolder.isSound(shortcut.store),
            isMeant(shortcut, by: command),
            let session = StoredSession(at: shortcut), let urgency = session.urgency(at: now),
            GrantedScopes.suffice(session.scopes, for: command.scopes), command.format != .json || !session.hasDetails
        else { return .unknown }
        let token = StoredToken(
            document: TokenDocument(
                accessToken: session.accessToken, tokenType: "Bearer", expiresAt: session.expiresAt,
                scopes: session.scopes, account: shortcut.account))
        switch urgency {
        case .none: return .fresh(token)
        case .early: return .due(session.isValid(at: now) ? token : nil)
        case .due: return .due(nil)
        }
    }

    /// Whether `command` names the account of `shortcut` by its identifier, or names no account while this account is still
    /// the active one. The full tool handles all other names, because it has to compare them with all accounts.
    private static func isMeant(_ shortcut: TokenShortcut, by command: TokenCommandLine) -> Bool {
        guard let account = command.account else { return isStillChosen(shortcut) }
        return shortcut.account.utf8.elementsEqual(account.utf8)
    }

    private static func isStillChosen(_ shortcut: TokenShortcut) -> Bool {
        guard let choice = try? FileContent(ofOwner: "\(shortcut.store)/\(shortcut.choice)").bytes else { return false }
        return Fingerprint(of: choice).text == shortcut.choiceFingerprint
    }

    /// Prints the token and ends the process. Returns when nothing could be written, so that the full tool prints the
    /// error. After a part of the token was written, an error ends the process.
    func print(in format: TokenDocument.Format) {
        // Ignore SIGPIPE, so that `write` fails for a closed pipe instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        let bytes = Array("\(document.text(in: format))\n".utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, written > 0, errno == EAGAIN {
                // The output does not block, and its reader has not read the first part yet. Wait, then write the rest.
                var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = poll(&output, 1, -1)
                continue
            }
            guard count > 0 else {
                if written == 0 { return }
                Message.leave("the token could not be written whole (\(String(cString: strerror(errno)))).")
            }
            written += count
        }
        exit(0)
    }
}
