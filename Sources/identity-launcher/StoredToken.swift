import Foundation
import StoreFormat

/// An access token that is in the store and needs no refresh.
struct StoredToken {
    private let text: String

    /// The token for a command line; `nil` when the whole tool has to run.
    init?(for command: TokenCommandLine) {
        guard let place = command.shortcut, let content = try? FileContent(ofOwner: place.file).bytes,
            let shortcut = TokenShortcut(content), TokenStoreFolder.isSound(shortcut.store),
            Self.isStillChosen(shortcut),
            let session = StoredSession(at: shortcut), session.isFresh(at: Date()),
            GrantedScopes.suffice(session.scopes, for: command.scopes)
        else { return nil }
        text = session.accessToken
    }

    private static func isStillChosen(_ shortcut: TokenShortcut) -> Bool {
        guard let choice = try? FileContent(ofOwner: "\(shortcut.store)/\(shortcut.choice)").bytes else { return false }
        return Fingerprint(of: choice).text == shortcut.choiceFingerprint
    }

    /// Prints the token and ends the process. Returns when nothing could be printed; the whole tool then prints the error.
    func print(in format: TokenCommandLine.Format) {
        let line =
            switch format {
            case .raw: "\(text)\n"
            case .header: "Authorization: Bearer \(text)\n"
            }
        // A closed pipe must be an error of the call and not end the process.
        signal(SIGPIPE, SIG_IGN)
        let bytes = Array(line.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if written == 0 { return }
                Message.leave("the token could not be written whole (\(String(cString: strerror(errno)))).")
            }
            written += count
        }
        exit(0)
    }
}
