#if canImport(SwiftUI)
import SwiftUI

/// A sign-in with a form drawn by the app: it runs the flow and passes it to the content.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct BaseSignIn<Content: View>: View {
    private let flow: FlowView<Content>

    /// Creates a sign-in.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called after the person is signed in and ``ThunderIDState/user`` is known.
    ///   - onError: called with the message of a step's error.
    ///   - link: a mailed link that opened the app, with which to continue; it can also arrive while the form is shown.
    ///   - content: draws the step.
    public init(
        applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil,
        link: FlowLink? = nil, @ViewBuilder content: @escaping (SignInState) -> Content
    ) {
        flow = FlowView(applicationId, link: link, onComplete: onComplete, onError: onError, content: content)
    }

    public var body: some View { flow }
}

/// A registration with a form drawn by the app, like ``BaseSignIn``.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct BaseSignUp<Content: View>: View {
    private let flow: FlowView<Content>

    /// Creates a registration.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called after the account is created.
    ///   - onError: called with the message of a step's error.
    ///   - link: a mailed link that opened the app, with which to continue.
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
