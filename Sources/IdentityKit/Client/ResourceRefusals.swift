import Foundation

/// The resources that refused the token that a refresh for them brought. Another one would change nothing, so they cause
/// none for a minute, then for twice as long, up to the life of a token. A success ends that. No other resource is affected.
final class ResourceRefusals: Sendable {
    /// A resource and who asks it.
    struct Place: Hashable, Sendable {
        let account: AccountID
        /// Scheme, host and port.
        let origin: String

        init(_ account: AccountID, at url: URL?) {
            self.account = account
            origin = Self.origin(of: url)
        }

        static func origin(of url: URL?) -> String {
            [url?.scheme, url?.host, url?.port.map(String.init)].map { $0?.lowercased() ?? "" }.joined(separator: "|")
        }
    }

    private struct Refusal: Sendable {
        /// The authorization that the last refresh for the resource brought; `nil` when another process knows it.
        var authorization: Secret?
        /// The one before, which the resource refused.
        var former: Secret?
        /// When the resource causes no refresh: from the last one on, because the clock may be set back after it.
        let rest: Range<Date>
        /// Whether the resource refused that authorization too.
        var isConfirmed = false
    }

    private struct State: Sendable {
        var refusals: [Place: Refusal] = [:]
        /// The sessions in which the person was asked to sign in for a resource.
        var asked: [Place: Date] = [:]
        /// The challenge that the person was last asked for, and the authorization that it brought.
        var steps: [Place: (challenge: String?, authorization: Secret?)] = [:]
    }

    private static let first: TimeInterval = 60
    private let state = Locked(State())

    /// Learns from the stored session when the resource causes no refresh.
    func learn(_ place: Place, _ rest: Range<Date>?) {
        guard let rest else { return }
        state.withLock { state in
            if state.refusals[place] == nil { state.refusals[place] = Refusal(rest: rest, isConfirmed: true) }
        }
    }

    /// Whether the resource causes no refresh now.
    func rests(_ place: Place, at now: Date) -> Bool {
        state.withLock { $0.refusals[place]?.rest.contains(now) ?? false }
    }

    /// Whether the resource refused an authorization before the last refresh for it.
    func hasRefused(_ place: Place, _ authorization: String?) -> Bool {
        state.withLock { $0.refusals[place]?.former?.reveal() == authorization }
    }

    /// Notes that a refresh for the resource has brought a new authorization.
    /// - Parameters:
    ///   - former: the one that the resource refused.
    ///   - life: the seconds that the new token lasts.
    func refreshed(
        _ place: Place, with authorization: String?, after former: String? = nil, lasting life: TimeInterval,
        at now: Date
    ) {
        guard let authorization else { return }
        state.withLock { state in
            let last = state.refusals[place]
            // Others who were refused at the same time share the refresh.
            guard last?.authorization?.reveal() != authorization else { return }
            var pause = Self.first
            if let last, last.isConfirmed {
                pause = min(2 * last.rest.upperBound.timeIntervalSince(last.rest.lowerBound), max(life, pause))
            }
            state.refusals[place] = Refusal(
                authorization: Secret(authorization), former: former.map { Secret($0) }, rest: now..<(now + pause))
        }
    }

    /// Notes that the resource has refused an authorization.
    /// - Returns: what other processes have to know: when the resource causes no refresh; `nil` when that is nothing new.
    func refused(_ place: Place, _ authorization: String?) -> Range<Date>? {
        state.withLock { state in
            guard let refusal = state.refusals[place], !refusal.isConfirmed,
                refusal.authorization?.reveal() == authorization
            else { return nil }
            state.refusals[place]?.isConfirmed = true
            return refusal.rest
        }
    }

    /// Notes that the resource has taken an authorization.
    /// - Returns: whether other processes have to know that.
    func taken(_ place: Place) -> Bool {
        state.withLock { state in
            if !state.asked.isEmpty { state.asked[place] = nil }
            guard !state.refusals.isEmpty else { return false }
            return state.refusals.removeValue(forKey: place)?.isConfirmed ?? false
        }
    }

    // MARK: The person

    /// Whether the person was asked for the resource in the session that began at `session`, or began it because of that.
    func hasAsked(_ place: Place, in session: Date?) -> Bool {
        state.withLock { $0.asked[place] == session ?? .distantPast }
    }

    /// Notes that the person was asked, and is in the session that began at `session`.
    func asked(_ place: Place, in session: Date?) {
        state.withLock { $0.asked[place] = session ?? .distantPast }
    }

    /// Whether the person has just done what `challenge` asks for, which brought this authorization. A library that sends every
    /// refused request again would show a sign-in each time.
    func hasSteppedUp(_ place: Place, for challenge: String?, with authorization: String?) -> Bool {
        guard let step = state.withLock({ $0.steps[place] }) else { return false }
        return step.challenge == challenge && step.authorization?.reveal() == authorization
    }

    /// Notes that the person has done what `challenge` asks for, and what that brought.
    func steppedUp(_ place: Place, for challenge: String?, with authorization: String?) {
        state.withLock { $0.steps[place] = (challenge, authorization.map { Secret($0) }) }
    }
}

extension Credential {
    private static let refusals = "refusals"
    /// The most resources that a session remembers.
    private static let mostRefusals = 16

    /// When the resource causes no refresh, as another process has found out.
    func rest(of place: ResourceRefusals.Place) -> Range<Date>? {
        details[Self.refusals]?[place.origin].flatMap(Self.rest)
    }

    /// ``details`` with what has been found out of the resource; without it for `nil`.
    func detailsWith(_ rest: Range<Date>?, of place: ResourceRefusals.Place) -> [String: JSONValue] {
        var known = details[Self.refusals]?.objectValue ?? [:]
        known[place.origin] = rest.map {
            [
                .number($0.lowerBound.timeIntervalSinceReferenceDate),
                .number($0.upperBound.timeIntervalSinceReferenceDate),
            ]
        }
        func end(_ value: JSONValue) -> Date { Self.rest(value)?.upperBound ?? .distantPast }
        let latest = known.sorted { end($0.value) > end($1.value) }.prefix(Self.mostRefusals)
        return [Self.refusals: .object(Dictionary(latest.map { ($0.key, $0.value) }) { first, _ in first })]
    }

    private static func rest(_ value: JSONValue) -> Range<Date>? {
        let times = value.arrayValue?.compactMap(\.numberValue) ?? []
        guard times.count == 2, times[0] < times[1] else { return nil }
        return Date(timeIntervalSinceReferenceDate: times[0])..<Date(timeIntervalSinceReferenceDate: times[1])
    }
}

extension HTTPURLResponse {
    /// Whether it refuses the token itself: not the proof of its key (RFC 9449), nor the person's sign-in (RFC 9470).
    var refusesToken: Bool { statusCode == 401 && !names("insufficient_user_authentication") && !refusesProof }

    /// Whether it asks for another proof of the token's key (RFC 9449 sections 7.1 and 9).
    var refusesProof: Bool { names("use_dpop_nonce") || names("invalid_dpop_proof") }

    /// Whether a challenge names `error`, in quotes of either kind or in none.
    func names(_ error: String) -> Bool {
        let challenge = value(forHTTPHeaderField: "WWW-Authenticate") ?? ""
        return ["\"\(error)\"", "'\(error)'", "error=\(error)"].contains { challenge.contains($0) }
    }
}
