#if canImport(SwiftUI)
import SwiftUI

/// A whole sign-in form: it runs the flow, shows what each step asks for, and ends when the person is signed in.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct SignIn: View {
    private let form: FlowView<FlowForm>

    /// A form.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called when the person is signed in and ``ThunderIDState/user`` is known.
    ///   - onError: called with what went wrong in a step, in words for the person. The form shows it as well.
    ///   - link: a link from a message that the app was opened with, to continue with; also while the form is shown.
    public init(
        applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil,
        link: FlowLink? = nil
    ) {
        form = .form(applicationId, .authentication, link, onComplete, onError)
    }

    public var body: some View { form }
}

/// A whole registration form, like ``SignIn``. A registration alone does not sign the person in, unless its flow does.
public struct SignUp: View {
    private let form: FlowView<FlowForm>

    /// A form.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called when the account was made.
    ///   - onError: called with what went wrong in a step, in words for the person.
    ///   - link: a link from a message that the app was opened with, to continue with.
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
