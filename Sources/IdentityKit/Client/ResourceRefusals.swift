import Foundation

/// Limits how often a resource can cause a refresh by refusing tokens. After such a refresh, there is a pause of a minute,
/// in which further refusals of the same resource cause no refresh. If the resource refuses the refreshed token too, the
/// pause after the next refresh is twice as long, up to the lifetime of a token. A request that succeeds ends the pause.
/// Other resources are not affected.
final class ResourceRefusals: Sendable {
    /// A resource, together with the account that sends requests to it.
    struct Place: Hashable, Sendable {
        let account: AccountID
        /// Scheme, host and port of the resource.
        let origin: String

        init(_ account: AccountID, at url: URL?) {
            self.account = account
            origin = Self.origin(of: url)
        }

        static func origin(of url: URL?) -> String {
            url.flatMap { URLParts($0.absoluteString)?.serialOrigin } ?? ""
        }
    }

    /// Identifies a sign-in that a refused request needs. Concurrent requests with equal values share the sign-in, so
    /// that the person is asked only once.
    struct Question: Hashable, Sendable {
        let place: Place
        /// The `WWW-Authenticate` field of the response, or an empty text without one; `nil` when the resource refuses
        /// the token itself.
        let challenge: String?
        let context: CallerContext

        init(_ place: Place, refusedBy response: HTTPURLResponse, in context: CallerContext) {
            (self.place, self.context) = (place, context)
            challenge = response.refusesToken ? nil : response.value(forHTTPHeaderField: "WWW-Authenticate") ?? ""
        }
    }

    private struct Refusal: Sendable {
        /// The authorization header after the last refresh for the resource; `nil` when another process refreshed.
        var authorization: Secret?
        /// The authorization header that the resource refused before the last refresh; `nil` when it is unknown.
        var former: Secret?
        /// The pause in which refusals of the resource cause no refresh. The pause begins at the last refresh. If the
        /// clock is set back to a time before the refresh, the pause does not apply.
        let rest: Range<Date>
        /// Whether the resource refused the refreshed authorization too.
        var isConfirmed = false
    }

    private struct State: Sendable {
        var refusals: [Place: Refusal] = [:]
        /// The resources for which a person was asked to sign in. Each value is the start of the session in which the
        /// person is not asked again: the session that the sign-in created, or, if the person did not sign in, the
        /// session at that time. `Date.distantPast` means that the account had no readable session.
        var asked: [Place: Date] = [:]
        /// For each resource, the last challenge that the person fulfilled, and the resulting authorization header.
        var steps: [Place: (challenge: String?, authorization: Secret?)] = [:]
    }

    private static let first: TimeInterval = 60
    private let state = Locked(State())

    /// Takes over the pause `rest` that the stored session contains for the resource, unless one is known already.
    func learn(_ place: Place, _ rest: Range<Date>?) {
        guard let rest else { return }
        state.withLock { state in
            if state.refusals[place] == nil { state.refusals[place] = Refusal(rest: rest, isConfirmed: true) }
        }
    }

    /// Whether the resource has a pause at `now`, so that a refusal causes no refresh.
    func rests(_ place: Place, at now: Date) -> Bool {
        state.withLock { $0.refusals[place]?.rest.contains(now) ?? false }
    }

    /// Whether the resource refused this authorization header before the last refresh for the resource.
    func hasRefused(_ place: Place, _ authorization: String?) -> Bool {
        guard let authorization else { return false }
        return state.withLock { $0.refusals[place]?.former?.reveal() == authorization }
    }

    /// Records that a refresh for the resource has produced a new authorization header.
    /// - Parameters:
    ///   - authorization: the new authorization header. If it is `nil`, nothing is recorded.
    ///   - former: the authorization header that the resource refused; `nil` when it is unknown.
    ///   - life: the lifetime of a token in seconds, which limits the pause.
    func refreshed(
        _ place: Place, with authorization: String?, after former: String? = nil, lasting life: TimeInterval,
        at now: Date
    ) {
        guard let authorization else { return }
        state.withLock { state in
            let last = state.refusals[place]
            // Record a refresh only once, although all requests that were refused at the same time share it.
            guard last?.authorization?.reveal() != authorization else { return }
            var pause = Self.first
            if let last, last.isConfirmed {
                pause = min(2 * last.rest.upperBound.timeIntervalSince(last.rest.lowerBound), max(life, pause))
            }
            state.refusals[place] = Refusal(
                authorization: Secret(authorization), former: former.map { Secret($0) }, rest: now..<(now + pause))
        }
    }

    /// Records that the resource has refused `authorization`, if that header is the result of the last refresh.
    /// - Returns: the pause in which the resource causes no refresh, to be stored for other processes; `nil` when
    ///   nothing was recorded.
    func refused(_ place: Place, _ authorization: String?) -> Range<Date>? {
        state.withLock { state in
            guard let refusal = state.refusals[place], !refusal.isConfirmed,
                refusal.authorization?.reveal() == authorization
            else { return nil }
            state.refusals[place]?.isConfirmed = true
            return refusal.rest
        }
    }

    /// Records that the resource has accepted a token. Forgets the resource's refusals, and that a person was asked to
    /// sign in for it.
    /// - Returns: whether the pause has to be erased from the stored session.
    func taken(_ place: Place) -> Bool {
        state.withLock { state in
            if !state.asked.isEmpty { state.asked[place] = nil }
            guard !state.refusals.isEmpty else { return false }
            return state.refusals.removeValue(forKey: place)?.isConfirmed ?? false
        }
    }

    // MARK: The person

    /// Whether the person was already asked to sign in for the resource, either during the session that began at
    /// `session` or by the sign-in that created this session. `nil` stands for an account without a readable session.
    func hasAsked(_ place: Place, in session: Date?) -> Bool {
        state.withLock { $0.asked[place] == session ?? .distantPast }
    }

    /// Records that the person was asked to sign in for the resource, in the session that began at `session`. `nil`
    /// stands for an account without a readable session.
    func asked(_ place: Place, in session: Date?) {
        state.withLock { $0.asked[place] = session ?? .distantPast }
    }

    /// Whether `challenge` is the last one that the person fulfilled for the resource, with this authorization header
    /// as the result. Without this check, a library that repeats every refused request would show a sign-in each time.
    func hasSteppedUp(_ place: Place, for challenge: String?, with authorization: String?) -> Bool {
        guard let step = state.withLock({ $0.steps[place] }) else { return false }
        return step.challenge == challenge && step.authorization?.reveal() == authorization
    }

    /// Records that the person has done what `challenge` asks for, and the resulting authorization header.
    func steppedUp(_ place: Place, for challenge: String?, with authorization: String?) {
        state.withLock { $0.steps[place] = (challenge, authorization.map { Secret($0) }) }
    }
}

extension Credential {
    private static let refusals = "refusals"
    /// The largest number of resources whose pauses a session stores. The pauses that end last are kept.
    private static let mostRefusals = 16

    /// The stored pause in which the resource causes no refresh; `nil` when there is none. Any process may have stored
    /// it.
    func rest(of place: ResourceRefusals.Place) -> Range<Date>? {
        details[Self.refusals]?[place.origin].flatMap(Self.rest)
    }

    /// The entry of ``details`` for the pauses of all resources, with `rest` as the pause of the resource `place`.
    /// - Parameter rest: the new pause; `nil` removes the resource.
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
    /// Whether the response is a 401 that refuses the token itself. A refusal of the proof of its key (RFC 9449), or of
    /// the age or the strength of the sign-in (RFC 9470), does not count.
    var refusesToken: Bool { statusCode == 401 && !names("insufficient_user_authentication") && !refusesProof }

    /// Whether the response asks for another proof of the token's key (RFC 9449 sections 7.1 and 9).
    var refusesProof: Bool { names("use_dpop_nonce") || names("invalid_dpop_proof") }

    /// Whether the `WWW-Authenticate` field contains the error code `error`, in single or double quotes, or after
    /// `error=`.
    func names(_ error: String) -> Bool {
        let challenge = value(forHTTPHeaderField: "WWW-Authenticate") ?? ""
        return ["\"\(error)\"", "'\(error)'", "error=\(error)"].contains { challenge.contains($0) }
    }
}
