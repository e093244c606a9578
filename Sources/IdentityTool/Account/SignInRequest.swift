import IdentityKit

/// The sign-in that the options of `identity login` request.
struct SignInRequest: Sendable {
    typealias Link = IdentityProviderChain.Link

    /// The name of the provider to sign in with; `nil` for the first provider that can show a sign-in.
    let provider: String?
    let scopes: Set<String>
    let options: SignInWishes
    let usesDevice: Bool
    /// Whether `--username` or `--password-stdin` answers the questions of the sign-in.
    let givesAnswers: Bool
    let isAgain: Bool
    /// The time to wait for the sign-in on another device, in seconds.
    let deviceTimeout: Int
    /// Whether an active account stays active after the sign-in, as with `--resource`.
    var keepsActive = false

    /// Whether a sign-in is shown even if an account is signed in.
    var isNew: Bool { provider != nil || isAgain || needsPerson }

    private var needsPerson: Bool { usesDevice || givesAnswers || !options.isEmpty }

    /// The reason why a provider cannot be used for this request; `nil` if it can.
    func objection(to link: Link) -> String? {
        // Ask a provider that could not be made, so that its error is shown. Skipping this provider could sign the person in
        // with another one.
        guard needsPerson, !(link.provider is UnmadeProvider) else { return nil }
        guard link.mayShowSignIn else { return Self.needsNobody }
        let form = link.provider.signInForm
        if usesDevice { return form == .otherDevice ? nil : "it has no sign-in on another device" }
        if !options.isEmpty { return form == .page ? nil : "its sign-in takes no --login-hint and no --prompt" }
        // A provider type without a declared form of sign-in may ask questions.
        return form == nil || form == .questions
            ? nil : "it asks for no name and no password here, so that it cannot use --username and --password-stdin"
    }

    static let needsNobody = "it needs no person"
}

/// The provider of `--provider`, or every provider, cannot use an option of the command line.
struct SignInArgumentError: IdentityFailure {
    let reasons: [PassedOver]

    let failureCode = "sign_in_option_unusable"
    let failureClass = FailureClass.definitive

    var message: String { "These options do not fit: \(reasons.inWords)." }
}

/// A provider that a sign-in skips, with the reason.
struct PassedOver: Sendable {
    let provider: String
    let reason: String
}

extension [PassedOver] {
    /// The providers and reasons, separated by semicolons, as part of a sentence.
    var inWords: String { map { "\($0.provider): \($0.reason.withoutFinalPeriod)" }.joined(separator: "; ") }
}
