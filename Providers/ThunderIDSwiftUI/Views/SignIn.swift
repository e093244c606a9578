#if canImport(SwiftUI)
import SwiftUI

/// A complete sign-in form: it runs the flow and shows its steps until the person is signed in.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct SignIn: View {
    private let form: FlowView<FlowForm>

    /// Creates a form.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called after the person is signed in and ``ThunderIDState/user`` is known.
    ///   - onError: called with the message of a step's error, which the form shows as well.
    ///   - link: a mailed link that opened the app, with which to continue; it can also arrive while the form is shown.
    public init(
        applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil,
        link: FlowLink? = nil
    ) {
        form = .form(applicationId, .authentication, link, onComplete, onError)
    }

    public var body: some View { form }
}

/// A complete registration form, like ``SignIn``. Whether the person is signed in at the end depends on the flow.
public struct SignUp: View {
    private let form: FlowView<FlowForm>

    /// Creates a form.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called after the account is created.
    ///   - onError: called with the message of a step's error.
    ///   - link: a mailed link that opened the app, with which to continue.
    public init(
        applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil,
        link: FlowLink? = nil
    ) {
        form = .form(applicationId, .registration, link, onComplete, onError)
    }

    public var body: some View { form }
}

extension FlowView<FlowForm> {
    /// The library's own form of a flow.
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
