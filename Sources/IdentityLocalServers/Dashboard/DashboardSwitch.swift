/// Actions on a server from the dashboard; the raw values are the last part of the address.
enum DashboardSwitch: String, CaseIterable, Sendable {
    /// Every response is late, or on time again.
    case slow
    /// Every response is an error, or normal again.
    case fail
    case rotate
    /// Revokes one family of tokens, or all of them.
    case revoke

    /// How late a slow server is.
    static let delay: Duration = .seconds(3)
    /// The status of a failing server.
    static let failure = 503

    /// Does it.
    /// - Parameter form: `state` is `on` or `off` for what lasts, `family` names the family of a revocation.
    /// - Returns: false when the form does not say what is to be done.
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
