/// Actions on a server from the dashboard. The raw value is the last component of the address of the action's form.
enum DashboardSwitch: String, CaseIterable, Sendable {
    /// Turns a delay of every response on or off.
    case slow
    /// Turns errors on or off. While they are on, every response has the status ``failure``.
    case fail
    case rotate
    /// Revokes one family of tokens, or all of them.
    case revoke

    /// The delay of every response while ``slow`` is on.
    static let delay: Duration = .seconds(3)
    /// The HTTP status of every response while ``fail`` is on.
    static let failure = 503

    /// Performs the action.
    /// - Parameter form: for ``slow`` and ``fail``, `state` is `on` or `off`. For ``revoke``, `family` is the family to
    ///   revoke, or empty for all families.
    /// - Returns: `false` if the parameter is missing, `state` has another value, or the server cannot revoke tokens.
    /// - Throws: the error of the server when no new key can be made or saved.
    func press(on site: DashboardSite, form: [LocalRequest.Parameter]) throws -> Bool {
        func value(_ name: String) -> String? { form.first { $0.name == name }?.value }
        switch self {
        case .slow, .fail:
            guard let state = value("state"), ["on", "off"].contains(state) else { return false }
            site.http.changeStandingFaults { faults in
                if self == .slow { faults.delay = state == "on" ? Self.delay : nil }
                if self == .fail { faults.failure = state == "on" ? Self.failure : nil }
            }
        case .rotate:
            try site.rotateKeys()
        case .revoke:
            guard case .families(let one, let all) = site.revocation, let family = value("family") else { return false }
            family.isEmpty ? all() : one(family)
        }
        return true
    }
}
