#if canImport(SwiftUI)
import SwiftUI

/// A sign-in whose form is drawn by the app: it runs the flow and passes it to the content.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct BaseSignIn<Content: View>: View {
    private let flow: FlowView<Content>

    /// A sign-in.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called when the person is signed in and ``ThunderIDState/user`` is known.
    ///   - onError: called with what went wrong in a step, in words for the person.
    ///   - link: a link from a message that the app was opened with, to continue with; also while the form is shown.
    ///   - content: draws the step.
    public init(
        applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil,
        link: FlowLink? = nil, @ViewBuilder content: @escaping (SignInState) -> Content
    ) {
        flow = FlowView(applicationId, link: link, onComplete: onComplete, onError: onError, content: content)
    }

    public var body: some View { flow }
}

/// A registration whose form is drawn by the app, like ``BaseSignIn``.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct BaseSignUp<Content: View>: View {
    private let flow: FlowView<Content>

    /// A registration.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called when the account was made.
    ///   - onError: called with what went wrong in a step, in words for the person.
    ///   - link: a link from a message that the app was opened with, to continue with.
    ///   - content: draws the step.
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
