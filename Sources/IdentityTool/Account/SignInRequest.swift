import IdentityKit

/// The wishes of a sign-in's command line.
struct SignInRequest: Sendable {
    typealias Link = IdentityProviderChain.Link

    /// The provider that is named; `nil` for the first that can.
    let provider: String?
    let scopes: Set<String>
    let options: IdentityClient.SignInOptions
    let usesDevice: Bool
    /// Whether a name or a password is given.
    let givesAnswers: Bool
    let isAgain: Bool
    /// How many seconds to wait for the other device.
    let deviceTimeout: Int
    /// Whether the active account stays so, where there is one.
    var keepsActive = false

    /// Whether somebody signs in although an account is signed in.
    var isNew: Bool { provider != nil || isAgain || needsPerson }

    private var needsPerson: Bool { usesDevice || givesAnswers || !options.isEmpty }

    /// Why a provider cannot be asked for it; `nil` where it can.
    func objection(to link: Link) -> String? {
        // A provider that cannot be made gives its own error, because a wrong account is worse than none.
        guard needsPerson, !(link.provider is UnmadeProvider) else { return nil }
        guard link.mayShowSignIn else { return Self.needsNobody }
        let form = link.provider.signInForm
        if usesDevice { return form == .otherDevice ? nil : "it has no sign-in on another device" }
        if !options.isEmpty { return form == .page ? nil : "its sign-in takes no --login-hint and no --prompt" }
        // A type that does not say how it signs in may ask.
        return form == nil || form == .questions
            ? nil : "it asks for no name and no password here, so that it cannot use --username and --password-stdin"
    }

    static let needsNobody = "it needs no person"
}

/// An option of the command line that the provider, or every provider, has no use for.
struct SignInArgumentError: IdentityFailure {
    let reasons: [PassedOver]

    let failureCode = "sign_in_option_unusable"
    let failureClass = FailureClass.definitive

    var message: String { "These options do not fit: \(reasons.inWords)." }
}

/// A provider that a sign-in does not ask, and the reason.
struct PassedOver: Sendable {
    let provider: String
    let reason: String
}

extension [PassedOver] {
    /// All of them as part of a sentence.
    var inWords: String { map { "\($0.provider): \($0.reason.withoutFinalPeriod)" }.joined(separator: "; ") }
}
