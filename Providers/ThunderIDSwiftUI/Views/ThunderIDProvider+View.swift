#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

extension View {
    /// Initializes a client and provides its ``ThunderIDState`` to all views below. Apply it to the root view.
    /// - Parameters:
    ///   - config: the configuration. Later changes of it are ignored.
    ///   - handlers: the browser and passkeys for sign-ins.
    ///   - i18n: the language and the app's own texts; `nil` for those of `config` and of this library.
    public func thunderIDProvider(
        config: ThunderIDConfig, handlers: SignInHandlers, i18n: ThunderIDI18n? = nil
    ) -> some View {
        modifier(ProviderModifier(state: ThunderIDState(config: config, handlers: handlers, i18n: i18n)))
    }

    /// Provides the state of a client that the app has made to all views below.
    public func thunderIDProvider(_ state: ThunderIDState) -> some View {
        modifier(ProviderModifier(state: state))
    }

    /// Initializes a client and provides its ``ThunderIDState`` to all views below, with the system's browser sheet and
    /// passkeys if it has them.
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
            // Try again when the app becomes active, because the device may have been locked before.
            .task(id: phase) {
                if phase == .active { await state.recover() }
            }
    }
}
#endif
