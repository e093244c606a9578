#if canImport(SwiftUI)
import SwiftUI

/// A complete sign-in form: it runs the flow and shows its steps until the person is signed in.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct SignIn: View {
    private let form: FlowView<FlowForm>

    /// Creates a form.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier; empty for the configured application.
    ///   - onComplete: called after a sign-in, when ``ThunderIDState/user`` has been looked up.
    ///   - onError: called with the message of an error in the flow, possibly several times for one error. The form shows
    ///     the message as well.
    ///   - link: a mailed link that opened the app. The flow continues with the link, even if the app sets it later.
    public init(
        applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil,
        link: FlowLink? = nil
    ) {
        form = .form(applicationId, .authentication, link, onComplete, onError)
    }

    public var body: some View { form }
}

/// A complete registration form, like ``SignIn``. The server's flow decides whether the person is signed in at the end.
public struct SignUp: View {
    private let form: FlowView<FlowForm>

    /// Creates a form.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier; empty for the configured application.
    ///   - onComplete: called when the flow is complete, with or without a sign-in.
    ///   - onError: called with the message of an error in the flow, possibly several times for one error. The form shows
    ///     the message as well.
    ///   - link: a mailed link that opened the app. The flow continues with the link, even if the app sets it later.
    public init(
        applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil,
        link: FlowLink? = nil
    ) {
        form = .form(applicationId, .registration, link, onComplete, onError)
    }

    public var body: some View { form }
}

extension FlowView<FlowForm> {
    /// Creates a view that runs a flow and draws its steps with this library's own form.
    fileprivate static func form(
        _ applicationId: String, _ type: FlowType, _ link: FlowLink?, _ onComplete: (() -> Void)?,
        _ onError: ((String) -> Void)?
    ) -> FlowView {
        FlowView(applicationId, type, link: link, onComplete: onComplete, onError: onError) { FlowForm(flow: $0) }
    }
}

struct SignInPreviews: PreviewProvider {
    static var previews: some View {
        Preview.signedOut {
            SignIn(applicationId: "")
            SignUp(applicationId: "")
        }
    }
}
#endif
