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
            // Tell two providers of one vendor apart by the names in the configuration.
            let isOnlyOne = presets.count { $0?.name == preset?.name } == 1
            return SignInScreen.Backend(
                name: link.name, label: device?.vendorName ?? (isOnlyOne ? preset?.name : nil),
                host: device == nil ? link.pageHost : nil, vendor: device?.vendor ?? preset?.type)
        }
    }
}

extension IdentityProviderChain.Link {
    /// Host of the page of the provider's own server that a sign-in opens; `nil` when it opens none, or a page of
    /// another server.
    fileprivate var pageHost: String? {
        guard provider.signInForm == .page, let provider = provider as? any SessionBackedProvider else { return nil }
        return URL(string: provider.sessions.records.origin.backend)?.host
    }
}
