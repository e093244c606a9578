#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

extension View {
    /// Initializes a client and provides its ``ThunderIDState`` to all views below. Apply it to the root view.
    /// - Parameters:
    ///   - config: the configuration. Later changes of it are ignored.
    ///   - handlers: the browser and passkeys for sign-ins.
    ///   - i18n: the language and the app's own texts. With `nil`, this library's texts are shown, in the language that
    ///     the person chose before, or else in the language of `config`.
    public func thunderIDProvider(
        config: ThunderIDConfig, handlers: SignInHandlers, i18n: ThunderIDI18n? = nil
    ) -> some View {
        modifier(ProviderModifier(state: ThunderIDState(config: config, handlers: handlers, i18n: i18n)))
    }

    /// Starts a state that the app has created, and provides it to all views below.
    public func thunderIDProvider(_ state: ThunderIDState) -> some View {
        modifier(ProviderModifier(state: state))
    }

    /// Initializes a client and provides its ``ThunderIDState`` to all views below. Sign-ins use the system's browser
    /// sheet and passkeys, if the system has them.
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
            // Start again when the app becomes active if the first start failed, because the device may have been locked.
            .task(id: phase) {
                if phase == .active { await state.recover() }
            }
    }
}
#endif
