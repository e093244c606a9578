import Foundation
import IdentityKit

/// Rate limits by IP address and by e-mail address (Backends/InsForge.md#rate-limits), kept in memory.
final class InsForgeRateLimits: Sendable {
    /// Groups of requests. All requests of a group from the same IP address are counted together.
    enum Bucket: Sendable {
        case mail
        /// Attempts to redeem a mailed code, or the token of a password reset. Only failed attempts count.
        case codes
        /// Sign-ins with a token of Apple or Google.
        case idTokens

        var limit: Int {
            switch self {
            case .mail: 5
            case .codes: 10
            case .idTokens: 30
            }
        }

        var message: String {
            let subject =
                switch self {
                case .mail: "send email verification requests"
                case .codes: "verification attempts"
                case .idTokens: "ID token sign-in attempts"
                }
            return "Too many \(subject) from this IP. Please try again in 15 minutes."
        }
    }

    struct Admission: Sendable {
        let isAdmitted: Bool
        let headers: [(name: String, value: String)]
    }

    static let window: TimeInterval = 900
    static let cooldown: TimeInterval = 60

    private struct Key: Hashable {
        let bucket: Bucket
        let address: String
    }

    private struct Window {
        var count = 0
        let endsAt: Date
    }

    private struct State {
        var windows: [Key: Window] = [:]
        var lastRequests: [String: Date] = [:]
    }

    private let state = Locked(State())
    private let time: TimeSource

    init(time: TimeSource) { self.time = time }

    /// Counts a request and returns whether it is admitted. Each bucket has a window of 15 minutes for each IP address. The
    /// first request starts the window. The first request after the end of the window starts a new one.
    func enter(_ bucket: Bucket, from address: String) -> Admission {
        let key = Key(bucket: bucket, address: address)
        let now = time.now
        let window = state.withLock { state in
            var window = state.windows[key] ?? Window(endsAt: now + Self.window)
            if now >= window.endsAt { window = Window(endsAt: now + Self.window) }
            window.count += 1
            state.windows[key] = window
            return window
        }
        let seconds = String(Int(window.endsAt.timeIntervalSince(now).rounded(.up)))
        var headers = [
            (name: "RateLimit-Policy", value: "\(bucket.limit);w=\(Int(Self.window))"),
            (name: "RateLimit-Limit", value: String(bucket.limit)),
            (name: "RateLimit-Remaining", value: String(max(0, bucket.limit - window.count))),
            (name: "RateLimit-Reset", value: seconds),
        ]
        let isAdmitted = window.count <= bucket.limit
        if !isAdmitted { headers.append((name: "Retry-After", value: seconds)) }
        return Admission(isAdmitted: isAdmitted, headers: headers)
    }

    /// Removes a successful request from the count of its bucket and IP address.
    func forgive(_ bucket: Bucket, from address: String) {
        state.withLock { $0.windows[Key(bucket: bucket, address: address)]?.count -= 1 }
    }

    /// Checks a request for a mail to an e-mail address. One request for each address is allowed every 60 seconds.
    /// - Throws: `TOO_MANY_REQUESTS` if the last allowed request for the address was less than 60 seconds ago.
    func coolDown(_ email: String) throws {
        let now = time.now
        try state.withLock { state in
            let email = email.lowercased()
            if let last = state.lastRequests[email], now < last + Self.cooldown {
                let seconds = Int((last + Self.cooldown).timeIntervalSince(now).rounded(.up))
                throw InsForgeServerError.tooManyRequests(
                    "Please wait \(seconds) seconds before requesting another code for this email")
            }
            state.lastRequests[email] = now
        }
    }
}

extension InsForgeServerError {
    static func tooManyRequests(_ message: String) -> InsForgeServerError {
        InsForgeServerError(429, "TOO_MANY_REQUESTS", message)
    }
}
