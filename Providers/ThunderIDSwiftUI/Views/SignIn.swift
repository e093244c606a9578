#if canImport(SwiftUI) && !os(tvOS) && !os(watchOS)
import SwiftUI
import ThunderID

/// A whole sign-in form: it runs the flow, shows what each step asks for, and ends when the person is signed in.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct SignIn: View {
    private let applicationId: String
    private let onComplete: (() -> Void)?
    private let onError: ((String) -> Void)?

    /// A form.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called when the person is signed in and ``ThunderIDState/user`` is known.
    ///   - onError: called with what went wrong in a step, in words for the person. The form shows it as well.
    public init(applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil) {
        self.applicationId = applicationId
        self.onComplete = onComplete
        self.onError = onError
    }

    /// The form.
    public var body: some View {
        FlowView(SignInFlow(applicationId: applicationId), onComplete: onComplete, onError: onError) { flow in
            FlowForm(flow: flow)
        }
    }
}

/// A sign-in whose form is drawn by the app: it runs the flow and passes it to the content.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct BaseSignIn<Content: View>: View {
    private let applicationId: String
    private let content: (SignInState) -> Content

    /// A sign-in.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - content: draws the step.
    public init(applicationId: String, @ViewBuilder content: @escaping (SignInState) -> Content) {
        self.applicationId = applicationId
        self.content = content
    }

    /// The content.
    public var body: some View {
        FlowView(SignInFlow(applicationId: applicationId), content: content)
    }
}

/// A whole registration form, like ``SignIn``. A registration signs nobody in unless its flow does.
public struct SignUp: View {
    private let applicationId: String
    private let onComplete: (() -> Void)?
    private let onError: ((String) -> Void)?

    /// A form.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called when the account was made.
    ///   - onError: called with what went wrong in a step, in words for the person. The form shows it as well.
    public init(applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil) {
        self.applicationId = applicationId
        self.onComplete = onComplete
        self.onError = onError
    }

    /// The form.
    public var body: some View {
        FlowView(
            SignInFlow(applicationId: applicationId, type: .registration), onComplete: onComplete, onError: onError
        ) { flow in
            FlowForm(flow: flow)
        }
    }
}
#endif
