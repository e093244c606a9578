import Foundation
import IdentityKit

/// The codes and link tokens of mails, at most one for each address and purpose (Backends/InsForge.md#mail).
final class InsForgeMailCodes: Sendable {
    typealias Purpose = LocalInsForgeServer.Mail.Purpose

    struct Row: Sendable, Equatable {
        let email: String
        let purpose: Purpose
        let method: LocalInsForgeServer.MailMethod
        let value: String
        let expiresAt: Date
        /// The app's address to which the link redirects the browser; `nil` if no link was mailed.
        var redirectTo: String?
        var failedAttempts = 0
        var isConsumed = false
    }

    static let allowedAttempts = 3

    private let rows = Locked<[Row]>([])
    private let time: TimeSource

    init(time: TimeSource) { self.time = time }

    /// Returns a new six-digit code, which replaces the earlier code or link token for the same address and purpose. A
    /// code for signing in is valid for 5 minutes, and any other code for 15 minutes.
    func issueCode(to email: String, for purpose: Purpose) -> String {
        let code = String(String(Int.random(in: 0..<1_000_000) + 1_000_000).dropFirst())
        let minutes: TimeInterval = purpose == .signIn ? 5 : 15
        store(
            Row(
                email: email, purpose: purpose, method: .code, value: code,
                expiresAt: time.now.addingTimeInterval(minutes * 60)))
        return code
    }

    /// Stores and returns a new link token, which is valid for 24 hours. The token replaces the earlier code or link token for
    /// the same address and purpose.
    func issueToken(to email: String, for purpose: Purpose, redirectTo: String? = nil) -> Row {
        let row = Row(
            email: email, purpose: purpose, method: .link, value: LocalIdentifiers.hex(byteCount: 32),
            expiresAt: time.now.addingTimeInterval(24 * 3600), redirectTo: redirectTo)
        store(row)
        return row
    }

    /// Redeems a code, which works once.
    /// - Throws: the same `INVALID_INPUT` for a wrong, used, expired or unknown code. The third wrong attempt also
    ///   invalidates the code.
    func redeem(code: String, email: String, for purpose: Purpose) throws {
        try rows.withLock { rows in
            let index = rows.firstIndex { $0.email == email && $0.purpose == purpose && $0.method == .code }
            guard let index, isLive(rows[index]) else { throw InsForgeServerError.invalidCode }
            guard rows[index].value == code else {
                rows[index].failedAttempts += 1
                rows[index].isConsumed = rows[index].failedAttempts >= Self.allowedAttempts
                throw InsForgeServerError.invalidCode
            }
            rows[index].isConsumed = true
        }
    }

    /// Redeems a link token, which works once. Returns the e-mail address that the token was issued for.
    /// - Throws: the same `INVALID_INPUT` for a used, expired or unknown token.
    func redeem(token: String, for purpose: Purpose) throws -> String {
        try rows.withLock { rows in
            guard let index = Self.index(of: token, for: purpose, in: rows), isLive(rows[index]) else {
                throw InsForgeServerError.invalidLinkToken
            }
            rows[index].isConsumed = true
            return rows[index].email
        }
    }

    /// The stored values of a link token, even if it is used or expired; `nil` for an unknown token.
    func row(token: String, for purpose: Purpose) -> Row? {
        rows.withLock { rows in
            Self.index(of: token, for: purpose, in: rows).map { rows[$0] }
        }
    }

    private static func index(of token: String, for purpose: Purpose, in rows: [Row]) -> Int? {
        rows.firstIndex { $0.purpose == purpose && $0.method == .link && $0.value == token }
    }

    private func isLive(_ row: Row) -> Bool { !row.isConsumed && time.now <= row.expiresAt }

    private func store(_ row: Row) {
        rows.withLock { rows in
            rows.removeAll { $0.email == row.email && $0.purpose == row.purpose }
            rows.append(row)
        }
    }
}
