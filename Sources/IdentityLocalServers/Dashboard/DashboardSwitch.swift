/// Actions on a server from the dashboard; the raw values are the last component of the address.
enum DashboardSwitch: String, CaseIterable, Sendable {
    /// Turns a delay of every response on or off.
    case slow
    /// Turns an error as every response on or off.
    case fail
    case rotate
    /// Revokes one family of tokens, or all of them.
    case revoke

    /// The delay of a slow server's responses.
    static let delay: Duration = .seconds(3)
    /// The status of a failing server.
    static let failure = 503

    /// Performs the action.
    /// - Parameter form: `state` is `on` or `off` for a lasting switch, and `family` is the family to revoke.
    /// - Returns: false if the form lacks the parameter.
    /// - Throws: when no key can be made.
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
