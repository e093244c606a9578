#if canImport(SwiftUI) && !os(tvOS) && !os(watchOS)
import Combine
import SwiftUI
import ThunderID

/// Runs a flow for as long as it is on the screen.
struct FlowView<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    @StateObject private var flow: SignInFlow
    private let onComplete: (() -> Void)?
    private let onError: ((String) -> Void)?
    private let content: (SignInFlow) -> Content

    init(
        _ flow: @autoclosure @escaping () -> SignInFlow, onComplete: (() -> Void)? = nil,
        onError: ((String) -> Void)? = nil, @ViewBuilder content: @escaping (SignInFlow) -> Content
    ) {
        _flow = StateObject(wrappedValue: flow())
        self.onComplete = onComplete
        self.onError = onError
        self.content = content
    }

    var body: some View {
        content(flow)
            // The client is set up by the provider above; until then there is nothing to start.
            .task(id: state.isReady) {
                if state.isReady { await flow.start(with: state.client, means: state.means) }
            }
            .task(id: flow.outcome) {
                guard let outcome = flow.outcome else { return }
                // First the user, so that whoever is told finds them.
                if outcome == .signedIn { await state.refresh() }
                onComplete?()
            }
            .onReceive(flow.$error) { error in
                if let error { onError?(error) }
            }
    }
}
#endif
