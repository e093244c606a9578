import Foundation

extension IdentityClient {
    /// The providers that a person may choose, in the configuration's order.
    var choosableBackends: [SignInScreen.Backend] {
        let setup = state.withLock { $0.setup }
        let links = signInCandidates(replacing: nil).filter(\.mayShowSignIn)
        let presets = links.map { setup?.preset(of: $0.name) }
        return zip(links, presets).map { link, preset in
            let native = (link.provider as? any NativelySigningIn)?.nativeVendor
            let device = environment.nativeSignIn(at: native)
            // Label providers of the same vendor by their names in the configuration, to distinguish them.
            let isOnlyOne = presets.count { $0?.name == preset?.name } == 1
            return SignInScreen.Backend(
                name: link.name, label: device?.vendorName ?? (isOnlyOne ? preset?.name : nil),
                host: device == nil ? link.pageHost : nil, vendor: device?.vendor ?? preset?.type)
        }
    }
}

extension IdentityProviderChain.Link {
    /// Host of the page that a sign-in opens on the provider's own server. `nil` when a sign-in opens no page or a page
    /// of another server, or the host is unknown.
    fileprivate var pageHost: String? {
        guard provider.signInForm == .page, let provider = provider as? any SessionBackedProvider else { return nil }
        return URL(string: provider.sessions.records.origin.backend)?.host
    }
}
