#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

extension View {
    /// Sets a client up and gives ``ThunderIDState`` to all views below. Apply it to the root view.
    /// - Parameters:
    ///   - config: the server and what is asked of it. It is looked at once.
    ///   - handlers: opens pages and asks for passkeys.
    ///   - i18n: the language and the app's own texts; `nil` for those of `config` and of this library.
    public func thunderIDProvider(
        config: ThunderIDConfig, handlers: SignInHandlers, i18n: ThunderIDI18n? = nil
    ) -> some View {
        modifier(ProviderModifier(state: ThunderIDState(config: config, handlers: handlers, i18n: i18n)))
    }

    /// Gives the state of a client that the app has made to all views below.
    public func thunderIDProvider(_ state: ThunderIDState) -> some View {
        modifier(ProviderModifier(state: state))
    }

    /// Sets a client up and gives ``ThunderIDState`` to all views below, with the system's browser sheet and passkeys, where
    /// it has them.
    public func thunderIDProvider(config: ThunderIDConfig, i18n: ThunderIDI18n? = nil) -> some View {
        thunderIDProvider(config: config, handlers: SignInHandlers(passkeys: ThunderIDPlugin.passkeys), i18n: i18n)
    }
}

/// Keeps the state alive and starts it.
private struct ProviderModifier: ViewModifier {
    @StateObject private var state: ThunderIDState
    @Environment(\.scenePhase) private var phase

    init(state: @autoclosure @escaping () -> ThunderIDState) {
        _state = StateObject(wrappedValue: state())
    }

    func body(content: Content) -> some View {
        content.environmentObject(state).environmentObject(state.i18n)
            .task { await state.start() }
            // The device may have been locked before.
            .task(id: phase) {
                if phase == .active { await state.recover() }
            }
    }
}
#endif
