#if canImport(SwiftUI)
import Combine
import SwiftUI

/// Runs a flow while its form is on the screen.
struct FlowView<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    @StateObject private var flow: SignInFlow
    private let link: FlowLink?
    private let onComplete: (() -> Void)?
    private let onError: ((String) -> Void)?
    private let content: (SignInFlow) -> Content

    init(
        _ applicationId: String, _ type: FlowType = .authentication, link: FlowLink?, onComplete: (() -> Void)? = nil,
        onError: ((String) -> Void)? = nil, @ViewBuilder content: @escaping (SignInFlow) -> Content
    ) {
        _flow = StateObject(wrappedValue: SignInFlow(applicationId: applicationId, type: type, link: link))
        self.link = link
        self.onComplete = onComplete
        self.onError = onError
        self.content = content
    }

    /// The identity of the view's task. SwiftUI runs the task again when one of these values changes.
    private struct Occasion: Equatable {
        let isReady: Bool
        let problem: String?
        let link: FlowLink?
        let texts: ThunderIDTexts
    }

    var body: some View {
        content(flow)
            .onAppear { flow.viewAppears() }
            .onDisappear { flow.viewDisappears() }
            .task(id: Occasion(isReady: state.isReady, problem: state.error, link: link, texts: state.texts)) {
                await flow.start(below: state)
                if let link, state.isReady { await flow.resume(with: link) }
            }
            .task(id: flow.outcome) {
                guard let outcome = flow.takeOutcome() else { return }
                // Look up the user before calling `onComplete`, which may read `state.user`.
                if outcome == .signedIn || flow.request.flowType == .signOut { await state.refresh() }
                onComplete?()
            }
            .onReceive(flow.$error) { error in
                if let error { onError?(error) }
            }
    }
}
#endif
