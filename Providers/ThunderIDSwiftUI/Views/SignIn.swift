#if canImport(SwiftUI) && !os(tvOS) && !os(watchOS)
import SwiftUI
import ThunderID

/// A whole sign-in form: it runs the flow, shows what each step asks for, and ends when the person is signed in.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct SignIn: View {
    private let applicationId: String
    private let link: FlowLink?
    private let onComplete: (() -> Void)?
    private let onError: ((String) -> Void)?

    /// A form.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called when the person is signed in and ``ThunderIDState/user`` is known.
    ///   - onError: called with what went wrong in a step, in words for the person. The form shows it as well.
    ///   - link: a link from a message that the app was opened with, to go on with; also while the form is shown.
    public init(
        applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil,
        link: FlowLink? = nil
    ) {
        self.applicationId = applicationId
        self.link = link
        self.onComplete = onComplete
        self.onError = onError
    }

    /// The form.
    public var body: some View {
        FlowView(applicationId, link: link, onComplete: onComplete, onError: onError) { flow in
            FlowForm(flow: flow)
        }
    }
}

/// A sign-in whose form is drawn by the app: it runs the flow and passes it to the content.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct BaseSignIn<Content: View>: View {
    private let applicationId: String
    private let link: FlowLink?
    private let content: (SignInState) -> Content

    /// A sign-in.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - link: a link from a message that the app was opened with, to go on with; also while the form is shown.
    ///   - content: draws the step.
    public init(
        applicationId: String, link: FlowLink? = nil, @ViewBuilder content: @escaping (SignInState) -> Content
    ) {
        self.applicationId = applicationId
        self.link = link
        self.content = content
    }

    /// The content.
    public var body: some View {
        FlowView(applicationId, link: link, content: content)
    }
}

/// A whole registration form, like ``SignIn``. A registration signs nobody in unless its flow does.
public struct SignUp: View {
    private let applicationId: String
    private let link: FlowLink?
    private let onComplete: (() -> Void)?
    private let onError: ((String) -> Void)?

    /// A form.
    /// - Parameters:
    ///   - applicationId: the application's entity identifier.
    ///   - onComplete: called when the account was made.
    ///   - onError: called with what went wrong in a step, in words for the person. The form shows it as well.
    ///   - link: a link from a message that the app was opened with, to go on with; also while the form is shown.
    public init(
        applicationId: String, onComplete: (() -> Void)? = nil, onError: ((String) -> Void)? = nil,
        link: FlowLink? = nil
    ) {
        self.applicationId = applicationId
        self.link = link
        self.onComplete = onComplete
        self.onError = onError
    }

    /// The form.
    public var body: some View {
        FlowView(applicationId, .registration, link: link, onComplete: onComplete, onError: onError) { flow in
            FlowForm(flow: flow)
        }
    }
}
#endif
