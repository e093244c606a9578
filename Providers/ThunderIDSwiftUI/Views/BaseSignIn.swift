#if canImport(SwiftUI)
import SwiftUI

/// A sign-in with a form that the app draws. It runs the flow and passes it to the app's content.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct BaseSignIn<Content: View>: View {
    private let flow: FlowView<Content>

    /// Creates a sign-in.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier; empty for the configured application.
    ///   - onComplete: called after a sign-in, when ``ThunderIDState/user`` has been looked up.
    ///   - onError: called with the message of an error in the flow, possibly several times for one error.
    ///   - link: a mailed link that opened the app. The flow continues with the link, even if the app sets it later.
    ///   - content: draws the flow's current step.
    public init(
        applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil,
        link: FlowLink? = nil, @ViewBuilder content: @escaping (SignInState) -> Content
    ) {
        flow = FlowView(applicationId, link: link, onComplete: onComplete, onError: onError, content: content)
    }

    public var body: some View { flow }
}

/// A registration with a form that the app draws, like ``BaseSignIn``.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct BaseSignUp<Content: View>: View {
    private let flow: FlowView<Content>

    /// Creates a registration.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier; empty for the configured application.
    ///   - onComplete: called when the flow is complete, with or without a sign-in.
    ///   - onError: called with the message of an error in the flow, possibly several times for one error.
    ///   - link: a mailed link that opened the app. The flow continues with the link, even if the app sets it later.
    ///   - content: draws the flow's current step.
    public init(
        applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil,
        link: FlowLink? = nil, @ViewBuilder content: @escaping (SignUpState) -> Content
    ) {
        flow = FlowView(
            applicationId, .registration, link: link, onComplete: onComplete, onError: onError, content: content)
    }

    public var body: some View { flow }
}

struct BaseSignInPreviews: PreviewProvider {
    static var previews: some View {
        Preview.signedOut {
            BaseSignIn(applicationId: "") { flow in Text(verbatim: flow.error ?? Preview.text) }
            BaseSignUp(applicationId: "") { flow in Text(verbatim: flow.error ?? Preview.text) }
        }
    }
}
#endif
