#if canImport(SwiftUI) && !os(tvOS) && !os(watchOS)
import IdentityKit
import SwiftUI
import ThunderID

extension View {
    /// Sets a client up and gives ``ThunderIDState`` to all views below. Apply it to the root view.
    /// - Parameters:
    ///   - config: the server and what is asked of it. It is looked at once.
    ///   - means: opens pages and asks for passkeys.
    public func thunderIDProvider(config: ThunderIDConfig, means: SignInHandlers) -> some View {
        modifier(ProviderModifier(state: ThunderIDState(config: config, means: means)))
    }

    /// Gives the state of a client that the app has made to all views below.
    public func thunderIDProvider(_ state: ThunderIDState) -> some View {
        modifier(ProviderModifier(state: state))
    }

    #if os(iOS) || os(macOS) || os(visionOS)
    /// Sets a client up and gives ``ThunderIDState`` to all views below, with the system's browser sheet and passkeys.
    @available(iOSApplicationExtension, unavailable, message: "Name the means with thunderIDProvider(config:means:).")
    @available(macOSApplicationExtension, unavailable, message: "Name the means with thunderIDProvider(config:means:).")
    @available(
        visionOSApplicationExtension, unavailable, message: "Name the means with thunderIDProvider(config:means:)."
    )
    public func thunderIDProvider(config: ThunderIDConfig) -> some View {
        thunderIDProvider(
            config: config,
            means: SignInHandlers(webAuthenticator: SystemWebAuthenticator(), passkeys: SystemPasskeyAuthenticator()))
    }
    #else
    /// Sets a client up and gives ``ThunderIDState`` to all views below.
    public func thunderIDProvider(config: ThunderIDConfig) -> some View {
        thunderIDProvider(config: config, means: SignInHandlers())
    }
    #endif
}

/// Keeps the state alive and starts it.
private struct ProviderModifier: ViewModifier {
    @StateObject private var state: ThunderIDState

    init(state: @autoclosure @escaping () -> ThunderIDState) {
        _state = StateObject(wrappedValue: state())
    }

    func body(content: Content) -> some View {
        content.environmentObject(state).task { await state.start() }
    }
}
#endif
